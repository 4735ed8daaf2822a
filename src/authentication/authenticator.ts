import type { ApiRequest } from '../http/api-request.ts'
import type { ItemsOf } from '../model/items/items.ts'
import type { SecurityScheme } from '../rule/declaration.ts'

/** What an authenticator gets besides the request. */
export interface AuthenticationTools {
  /** Reads and writes items of any model, as the service: `router.items`. */
  readonly items: ItemsOf
}

/** Whom a credential is of, for `security.callerSchema` of the router. */
export interface Authenticated<Caller = unknown> {
  readonly caller: Caller
  /**
   * When the credential expires: streams of changes end then, so that their clients sign in anew.
   * Default: it is not known.
   */
  readonly expiresAt?: Date | undefined
}

/**
 * The credential is wrong. The response is a 401 (`invalid-credentials`) with the challenge of the
 * authenticator, for bearer tokens with `error="invalid_token"` (RFC 6750 §3.1).
 */
export interface RefusedCredential {
  /** What is wrong and what is expected, as a sentence for the client. */
  readonly refused: string
}

/**
 * Undefined if the request carries no credential of this kind. Synchronous where that is known at
 * once, so that anonymous requests do not wait.
 */
export type AuthenticationResult<Caller = unknown> =
  | CredentialResult<Caller>
  | undefined
  | Promise<CredentialResult<Caller> | undefined>

/** Whom a credential is of, or why it is refused. */
export type CredentialResult<Caller = unknown> = Authenticated<Caller> | RefusedCredential

/**
 * Recognizes one kind of credential. `authenticate` gives the caller, or undefined if the request
 * has no credential of this kind; it refuses a credential that is wrong, because undefined would
 * make its sender an anonymous caller.
 *
 * ```ts
 * const gateway: Authenticator<{ id: string }> = {
 *   name: 'gateway',
 *   scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
 *   authenticate: ({ headers }) => {
 *     const id = headers['x-user']
 *     if (id === undefined) return undefined
 *     return id === '' ? { refused: "'X-User' must not be empty." } : { caller: { id } }
 *   },
 * }
 * ```
 */
export interface Authenticator<Caller = unknown> {
  /** The name of the scheme in the OpenAPI document: letters, digits, `.`, `_` and `-`. */
  readonly name: string
  /** How requests carry the credential (OpenAPI 3.1, Security Scheme Object). */
  readonly scheme: SecurityScheme
  /**
   * Does it read items of the router? Refused where the caller decides which store the items are in
   * (option `stores` of `createRouter`). Default: false.
   */
  readonly readsItems?: boolean
  /**
   * @throws AuthenticationUnavailable if the credential cannot be checked now (503); any other
   * error but an ApiError is a 500, and reported
   */
  authenticate(request: ApiRequest, tools: AuthenticationTools): AuthenticationResult<Caller>
}
