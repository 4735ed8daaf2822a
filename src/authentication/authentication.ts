import type { ApiRequest } from '../http/api-request.ts'
import type { TrustedOrigins } from '../http/cross-site-guard.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { RuleDeclaration, SecurityScheme } from '../rule/declaration.ts'
import { isSchema, type Schema } from '../schema/standard-schema.ts'
import { authenticateErrors, type CallerSource } from './authenticate.ts'
import type { Authenticator } from './authenticator.ts'
import { credentialHeader, isSentByBrowsers } from './credential-header.ts'

/** How a router recognizes its callers. */
export interface Authentication extends CallerSource {
  /** What it adds to every rule: each scheme is enough, and none is needed. */
  readonly declaration: RuleDeclaration
  /** The request headers that carry credentials, in lower case, without duplicates. */
  readonly headers: readonly string[]
  /** Does a request have a credential that somebody could guess? */
  hasCredential(request: ApiRequest): boolean
}

/** The options of a router that decide who its callers are. */
interface AuthenticationOptions {
  readonly authentication?: readonly Authenticator[] | undefined
  readonly callerSchema?: Schema | undefined
  readonly trustedOrigins?: TrustedOrigins | undefined
}

/**
 * Undefined without authenticators.
 * @param bearerParameters of challenges for bearer tokens
 * @throws RegistrationError for an invalid authenticator, and for one option without the other
 */
export function createAuthentication(
  { authentication, callerSchema, trustedOrigins }: AuthenticationOptions,
  bearerParameters: CallerSource['bearerParameters'],
): Authentication | undefined {
  if (authentication === undefined && callerSchema === undefined) return undefined
  if (!Array.isArray(authentication) || authentication.length === 0)
    throw new RegistrationError(
      "The option 'security.authentication' of createRouter() must be a list of authenticators, such as [bearerJwt({ … })].",
    )
  if (!isSchema(callerSchema))
    throw new RegistrationError(
      "The option 'security.callerSchema' of createRouter() must be the schema of what the authenticators give, such as z.object({ id: z.string() }).",
    )
  const authenticators = authentication.map(freezeAuthenticator)
  checkNames(authenticators)
  if (trustedOrigins === 'any') refuseBrowserCredentials(authenticators)
  const headers = [
    ...new Set(authenticators.flatMap(({ scheme }) => credentialHeader(scheme) ?? [])),
  ]
  return Object.freeze({
    authenticators: inOrder(authenticators),
    callerSchema,
    bearerParameters,
    declaration: Object.freeze({
      isDefault: true,
      bearerParameters,
      security: [...authenticators.map(({ name, scheme }) => ({ [name]: scheme })), {}],
      errors: [...authenticateErrors, 'authentication-unavailable' as const],
    }),
    headers,
    hasCredential: credentialFinder(authenticators.map(({ scheme }) => scheme)),
  })
}

/**
 * `Authorization` is what a client sends on purpose, while browsers add cookies by themselves: the
 * authenticators that read it are asked first, all others in the order of registration.
 */
function inOrder(authenticators: readonly Authenticator[]): readonly Authenticator[] {
  const readsAuthorization = ({ scheme }: Authenticator) =>
    credentialHeader(scheme) === 'authorization'
  return Object.freeze([
    ...authenticators.filter(readsAuthorization),
    ...authenticators.filter((authenticator) => !readsAuthorization(authenticator)),
  ])
}

function freezeAuthenticator(authenticator: Authenticator): Authenticator {
  const { name, scheme, authenticate } = Object(authenticator) as Partial<Authenticator>
  if (typeof name !== 'string' || !/^[\w.-]+$/.test(name) || typeof authenticate !== 'function')
    throw new RegistrationError(
      "Each authenticator of createRouter() must be an object with 'name' (letters, digits, '.', '_', '-'), 'scheme' and 'authenticate', such as the result of bearerJwt().",
    )
  if (typeof scheme !== 'object' || scheme === null || typeof scheme.type !== 'string')
    throw new RegistrationError(
      `The scheme of the authenticator '${name}' must be an OpenAPI security scheme, such as { type: 'http', scheme: 'bearer' }.`,
    )
  return Object.freeze({
    name,
    scheme: Object.freeze({ ...scheme }),
    authenticate: authenticate.bind(authenticator),
  })
}

function checkNames(authenticators: readonly Authenticator[]): void {
  const names = authenticators.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw new RegistrationError(
      `Two authenticators have the name '${repeated}'. Give each one a name of its own.`,
    )
}

function refuseBrowserCredentials(authenticators: readonly Authenticator[]): void {
  const authenticator = authenticators.find(({ scheme }) => isSentByBrowsers(scheme))
  if (authenticator)
    throw new RegistrationError(
      `Browsers send the credential of the authenticator '${authenticator.name}' by themselves, so trustedOrigins: 'any' would let every site write in the name of its visitors. List the origins.`,
    )
}

/**
 * Tells whether a request has what one of the schemes names: a header, or a query parameter. A
 * client certificate does not count: it comes with the connection, and nobody can guess one.
 */
function credentialFinder(schemes: readonly SecurityScheme[]): (request: ApiRequest) => boolean {
  const headers = [...new Set(schemes.flatMap((scheme) => credentialHeader(scheme) ?? []))]
  const parameters = schemes.flatMap((scheme) =>
    scheme.type === 'apiKey' && scheme.in === 'query' ? scheme.name : [],
  )
  return (request) =>
    headers.some((name) => request.headers[name] !== undefined) ||
    hasParameter(request.query, parameters)
}

function hasParameter(query: string, names: readonly string[]): boolean {
  if (names.length === 0 || query === '') return false
  const parameters = new URLSearchParams(query)
  return names.some((name) => parameters.has(name))
}
