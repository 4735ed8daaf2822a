import type { Service } from '../adapter/service.ts'
import type { Authenticate } from '../authentication/authenticate.ts'
import { callerOrAddress } from '../context/caller-or-address.ts'
import type { Context } from '../context/context.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import type { CorsSettings } from '../http/cors-options.ts'
import type { CrossSiteGuard } from '../http/cross-site-guard.ts'
import type { ClientLimit } from '../middleware/client-limit.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { type CorsRules, corsRulesOfService, withCors } from '../pipeline/cors.ts'

/** A request to a route of one's own. */
export interface RouteRequest<Caller = unknown> {
  readonly request: ApiRequest
  /** Who sent it; undefined for an anonymous request. */
  readonly caller: Caller | undefined
}

/** Responds to a request at a route of one's own. It may throw what `refuse` throws. */
export type RouteHandler<Caller = unknown> = (
  request: RouteRequest<Caller>,
) => ApiResponse | Promise<ApiResponse>

export interface OwnServiceOptions {
  /**
   * The methods that pages of other origins may use, in upper case, as HTTP compares them. Default:
   * `DELETE`, `GET`, `HEAD`, `PATCH`, `POST` and `PUT`.
   */
  readonly methods?: readonly string[]
}

const ownServiceOptions: OptionChecks<OwnServiceOptions> = { methods: true }

/** What a router lends to the routes beside it. */
export interface OwnServiceParts {
  /** Resolves when the router is open. */
  open(): Promise<OpenParts>
  readonly refuseCrossSite: CrossSiteGuard
  readonly cors: CorsSettings | undefined
  /** Request headers that pages may send: of authenticators, and of the options of CORS. */
  readonly corsHeaders: readonly string[]
  readonly onError: ((error: unknown) => void) | undefined
  encodeError(error: unknown): ApiResponse
}

interface OpenParts {
  readonly authenticate: Authenticate | undefined
  readonly limits: readonly ClientLimit[]
  readonly corsRules: CorsRules | undefined
}

const defaultMethods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

/** Runs a handler as the rules of the router run: with its callers, limits, CORS and errors. */
export function ownService<Caller>(
  basePath: string,
  handle: RouteHandler<Caller>,
  options: OwnServiceOptions,
  parts: OwnServiceParts,
): Service {
  checkOptions('service()', options, ownServiceOptions)
  const methods = options.methods ?? defaultMethods
  checkMethods(methods)
  const allow = [...methods, 'OPTIONS'].join(', ')
  let corsRules: CorsRules | undefined
  const handleRequest = async (request: ApiRequest): Promise<ApiResponse> => {
    try {
      const { limits, ...open } = await parts.open()
      corsRules ??= corsRulesOfService(methods, parts.corsHeaders, {
        exposedHeaders: open.corsRules?.exposedHeaders ?? '',
      })
      // Browsers send it without credentials, and by themselves.
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: noBody }
      if (isUnsafe(request)) parts.refuseCrossSite(request)
      const caller = (await open.authenticate?.(request)) as Caller | undefined
      const sender: Pick<Context, 'request' | 'caller' | 'client'> = {
        request,
        caller,
        client: callerOrAddress({ request, caller }),
      }
      const run = async (index: number): Promise<ApiResponse> => {
        try {
          const limit = limits[index]
          if (limit) return await limit.ofRoute(sender, () => run(index + 1))
          return await handle({ request, caller })
        } catch (error) {
          return parts.encodeError(error)
        }
      }
      return await run(0)
    } catch (error) {
      return parts.encodeError(error)
    }
  }
  return {
    basePath,
    respond: parts.cors
      ? withCors(handleRequest, parts.cors, basePath, () => corsRules)
      : handleRequest,
    ...(parts.onError && { onError: parts.onError }),
  }
}

function checkMethods(methods: unknown): void {
  if (Array.isArray(methods) && methods.every((name) => /^[A-Z]+$/.test(name))) return
  throw new RegistrationError(
    `The option 'methods' of service() must be an array of methods in upper case, such as ['GET', 'POST']; got ${JSON.stringify(methods)}.`,
  )
}

/** Methods that change something (RFC 9110 §9.2.1). */
export function isUnsafe({ method }: Pick<ApiRequest, 'method'>): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'
}
