import type { RequiredScheme, RuleDeclaration, SecurityScheme } from './declaration.ts'
import { requiredAlternatives } from './security.ts'

/**
 * The `WWW-Authenticate` header of a 401 (RFC 9110 §11.6.1): the HTTP authentication schemes that
 * the middleware of the operation declares. Without one it is `Bearer`, because a 401 must have a
 * challenge; clients ignore a scheme that they do not know.
 */
export function challenge(declarations: readonly RuleDeclaration[]): {
  readonly 'www-authenticate': string
} {
  const schemes = declarations.flatMap(requiredAlternatives).flatMap(Object.values<RequiredScheme>)
  const parameters = Object.assign({}, ...declarations.map((each) => each.bearerParameters?.()))
  const challenges = new Set(schemes.flatMap((scheme) => challengeOf(scheme, parameters) ?? []))
  return { 'www-authenticate': challenges.size === 0 ? bearer : [...challenges].join(', ') }
}

/**
 * The challenge of one scheme; undefined for schemes that are none of HTTP.
 * @param bearerParameters for bearer tokens only (RFC 6750 §3)
 */
export function challengeOf(
  scheme: SecurityScheme,
  bearerParameters: Readonly<Record<string, string>> = {},
): string | undefined {
  switch (scheme.type) {
    case 'http': {
      const name = scheme.scheme.toLowerCase()
      return name === 'bearer' ? bearerChallenge(bearerParameters) : httpSchemes.get(name)
    }
    case 'oauth2':
    case 'openIdConnect':
      return bearerChallenge(bearerParameters)
    default:
      return undefined
  }
}

const bearer = 'Bearer'

/** @param parameters with values that need no escapes in a quoted string */
export function bearerChallenge(parameters: Readonly<Record<string, string>>): string {
  const texts = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return texts.length === 0 ? bearer : `${bearer} ${texts.join(', ')}`
}

/** The schemes that need no parameters of the request (RFC 7617 §2). */
const httpSchemes: ReadonlyMap<string, string> = new Map([
  ['basic', 'Basic realm="api", charset="UTF-8"'],
])
