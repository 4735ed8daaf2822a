import type { Declaration, SecurityScheme } from './declaration.ts'

/**
 * What a 401 has to say (RFC 9110 §11.6.1): how to prove who is asking, as far as the middleware
 * around the operation declares it. Where none of its schemes is one of HTTP's own, it is `Bearer`:
 * a 401 is never without a challenge, and clients pass over those that they do not know.
 */
export function challenge(declarations: readonly Declaration[]): {
  readonly 'www-authenticate': string
} {
  const schemes = declarations.flatMap(({ security = {} }) => Object.values(security))
  const challenges = new Set(schemes.flatMap((scheme) => httpSchemeOf(scheme) ?? []))
  return { 'www-authenticate': challenges.size === 0 ? bearer : [...challenges].join(', ') }
}

function httpSchemeOf(scheme: SecurityScheme): string | undefined {
  switch (scheme.type) {
    case 'http':
      return httpSchemes.get(scheme.scheme.toLowerCase())
    case 'oauth2':
    case 'openIdConnect':
      return bearer
    default:
      return undefined
  }
}

const bearer = 'Bearer'

/** Those that need no more than is known here (RFC 6750 §3, RFC 7617 §2). */
const httpSchemes: ReadonlyMap<string, string> = new Map([
  ['bearer', bearer],
  ['basic', 'Basic realm="api", charset="UTF-8"'],
])
