import type { ApiRequest } from '../http/api-request.ts'

/** A credential of the `Authorization` header, without its scheme. */
export type AuthorizationCredential =
  | { readonly kind: 'credential'; readonly value: string }
  /** The scheme is the expected one, and what follows cannot be a credential. */
  | { readonly kind: 'malformed' }

/** `token68` (RFC 9110 §11.2), which bearer tokens and credentials of Basic are. */
const token68 = /^[\w.~+/-]+=*$/

/**
 * The credential of this authentication scheme; undefined if the request has none, or one of
 * another scheme. Names of schemes are case-insensitive (RFC 9110 §11.1).
 *
 * @param scheme in lower case
 */
export function authorizationOf(
  { headers }: ApiRequest,
  scheme: string,
): AuthorizationCredential | undefined {
  const header = headers.authorization?.trim()
  if (header === undefined) return undefined
  const end = header.indexOf(' ')
  const name = end === -1 ? header : header.slice(0, end)
  if (name.toLowerCase() !== scheme) return undefined
  const value = end === -1 ? '' : header.slice(end).trim()
  return token68.test(value) ? { kind: 'credential', value } : { kind: 'malformed' }
}
