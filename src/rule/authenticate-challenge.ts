import type { Declaration, RequiredScheme, SecurityScheme } from './declaration.ts'
import { requiredAlternatives } from './security.ts'

/**
 * The `WWW-Authenticate` header of a 401 (RFC 9110 §11.6.1): the HTTP authentication schemes that
 * the middleware of the operation declares. Without one it is `Bearer`, because a 401 must have a
 * challenge; clients ignore a scheme that they do not know.
 */
export function challenge(declarations: readonly Declaration[]): {
  readonly 'www-authenticate': string
} {
  const schemes = declarations.flatMap(requiredAlternatives).flatMap(Object.values<RequiredScheme>)
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

/** The schemes that need no further parameters (RFC 6750 §3, RFC 7617 §2). */
const httpSchemes: ReadonlyMap<string, string> = new Map([
  ['bearer', bearer],
  ['basic', 'Basic realm="api", charset="UTF-8"'],
])
