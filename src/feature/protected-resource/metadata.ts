import type { ApiRequest } from '../../http/api-request.ts'
import { type ApiResponse, noBody } from '../../http/api-response.ts'
import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'

/** What clients learn about how to get a token for the service (RFC 9728 §2). */
export interface ProtectedResourceOptions {
  /** The issuers of tokens: the addresses of their authorization servers (RFC 8414). */
  readonly authorizationServers: readonly string[]
  /** The scopes that the service knows. Default: none are listed. */
  readonly scopes?: readonly string[]
  /** The name of the service, for people. Default: none. */
  readonly name?: string
  /** The address of a page for developers. Default: none. */
  readonly documentation?: string
}

const protectedResourceOptions: OptionChecks<ProtectedResourceOptions> = {
  authorizationServers: true,
  scopes: true,
  name: true,
  documentation: true,
}

/** The metadata of one router. */
interface ResourceMetadata {
  /** Where it is served: below the root of the host, and not of the router (RFC 9728 §3.1). */
  readonly path: string
  /** The absolute address of the metadata. */
  url(): string
  respond(request: ApiRequest): ApiResponse
}

const wellKnownPath = '/.well-known/oauth-protected-resource'

/**
 * @param baseUrl the origin of the service; empty if it is not configured
 * @throws RegistrationError for an invalid option
 */
export function resourceMetadata(
  options: ProtectedResourceOptions,
  basePath: string,
  baseUrl: () => string,
): ResourceMetadata {
  checkOptions(
    "the option 'security.protectedResource' of createRouter()",
    options,
    protectedResourceOptions,
  )
  const { authorizationServers, scopes, name, documentation } = options
  const servers: unknown = authorizationServers
  if (!Array.isArray(servers) || servers.length === 0 || !servers.every(isUrl))
    throw new RegistrationError(
      "The option 'authorizationServers' of 'protectedResource' must be a list of URLs, such as ['https://id.example'].",
    )
  const path = wellKnownPath + basePath
  const document = (): string =>
    JSON.stringify({
      resource: baseUrl() + basePath,
      authorization_servers: authorizationServers,
      bearer_methods_supported: ['header'],
      ...(scopes && { scopes_supported: scopes }),
      ...(name !== undefined && { resource_name: name }),
      ...(documentation !== undefined && { resource_documentation: documentation }),
    })
  return {
    path,
    url: () => baseUrl() + path,
    respond: ({ method }) => {
      if (method !== 'GET' && method !== 'HEAD')
        return {
          status: method === 'OPTIONS' ? 204 : 405,
          headers: { allow: 'GET, HEAD, OPTIONS' },
          body: noBody,
        }
      const text = document()
      return {
        status: 200,
        headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' },
        body: method === 'HEAD' ? noBody : { kind: 'text', text },
      }
    },
  }
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:/.test(value)
}
