import type { ApiRequest } from '../http/api-request.ts'
import type { ItemsOf } from '../model/items/items.ts'
import type { SecurityScheme } from '../rule/declaration.ts'

/** What an authenticator gets besides the request. */
export interface AuthenticationTools {
  /** Reads and writes items of any model, as the service: `router.items`. */
  readonly items: ItemsOf
  /**
   * Refuses the credential: 401 with the challenge of the authenticator, and for bearer tokens with
   * `error="invalid_token"` (RFC 6750 §3.1).
   * @param detail what is wrong and what is expected, for the client
   * @throws ApiError `invalid-credentials`
   */
  readonly refuse: (detail: string) => never
}

/** Whom a credential is of, for the schema of the option `caller`. */
export interface Authenticated<Caller = unknown> {
  readonly caller: Caller
}

/**
 * Undefined if the request carries no credential of this kind. Synchronous where that is known at
 * once, so that anonymous requests do not wait.
 */
export type AuthenticationResult<Caller = unknown> =
  | Authenticated<Caller>
  | undefined
  | Promise<Authenticated<Caller> | undefined>

/**
 * Recognizes one kind of credential. `authenticate` gives the caller, or undefined if the request
 * has no credential of this kind; it refuses a credential that is wrong, so that its sender is not
 * taken for an anonymous caller.
 *
 * ```ts
 * const gateway: Authenticator<{ id: string }> = {
 *   name: 'gateway',
 *   scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
 *   authenticate: ({ headers }, { refuse }) => {
 *     const id = headers['x-user']
 *     if (id === '') refuse("'X-User' must not be empty.")
 *     return id === undefined ? undefined : { caller: { id } }
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
   * @throws ApiError for a wrong credential (`tools.refuse`), and for what cannot be checked now,
   * such as a 503. Other errors are a 500 and reported.
   */
  authenticate(request: ApiRequest, tools: AuthenticationTools): AuthenticationResult<Caller>
}
