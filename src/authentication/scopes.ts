import { refusalsOf } from '../error/refusals.ts'
import { bearerChallenge } from '../rule/authenticate-challenge.ts'
import type { JwtClaims } from './jwt-options.ts'

const ownErrors = ['insufficient-scope'] as const

const { refuse } = refusalsOf(ownErrors)

/** `scope-token` (RFC 6749 §3.3): no space, quote or backslash. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * The scopes of a token: the text `scope` (RFC 8693 §4.2, RFC 9068 §2.2.3), or the list or text
 * `scp` that some issuers write.
 *
 * ```ts
 * scopesOf({ scope: 'books:read books:write' }) // ['books:read', 'books:write']
 * ```
 */
export function scopesOf({ scope, scp }: JwtClaims): readonly string[] {
  const scopes = scope ?? scp
  if (typeof scopes === 'string') return scopes.split(' ').filter((name) => name !== '')
  return Array.isArray(scopes)
    ? scopes.filter((name): name is string => typeof name === 'string')
    : []
}

/**
 * Refuses a request whose credential lacks a scope: 403 with the challenge `insufficient_scope` and
 * the scopes that are needed (RFC 6750 §3.1). For hooks and actions; declare
 * `errors: ['insufficient-scope']`.
 *
 * ```ts
 * requireScopes(['books:read'], ['books:read'])
 * ```
 *
 * @param granted the scopes of the caller
 * @param required the scopes that are needed, all of them
 * @throws ApiError `insufficient-scope`; TypeError for a required scope that no token can have
 */
export function requireScopes(granted: readonly string[], required: readonly string[]): void {
  const invalid = required.find((scope) => !scopeToken.test(scope))
  if (invalid !== undefined)
    throw new TypeError(
      `The scope ${JSON.stringify(invalid)} must have printable ASCII characters, without spaces, quotes and backslashes.`,
    )
  const missing = required.filter((scope) => !granted.includes(scope))
  if (missing.length === 0) return
  const names = missing.map((scope) => `'${scope}'`).join(', ')
  refuse(
    'insufficient-scope',
    `The credential lacks the ${missing.length === 1 ? 'scope' : 'scopes'} ${names}.`,
    { header: 'Authorization' },
    {
      headers: {
        'www-authenticate': bearerChallenge({
          error: 'insufficient_scope',
          scope: required.join(' '),
        }),
      },
    },
  )
}
