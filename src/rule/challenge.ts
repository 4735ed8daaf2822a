import type { Declaration, SecurityScheme } from './declaration.ts'

/**
 * What `WWW-Authenticate` says where a request was refused for want of authentication (RFC 9110 §11.6.1): how to prove who is asking, as far as
 * the middleware around the operation declares it. Undefined where none of its schemes is one of HTTP's own.
 */
export function challengeOf(declarations: readonly Declaration[]): string | undefined {
  const schemes = declarations.flatMap(({ security = {} }) => Object.values(security))
  const challenges = new Set(schemes.flatMap((scheme) => schemeInHttp(scheme) ?? []))
  return challenges.size === 0 ? undefined : [...challenges].join(', ')
}

function schemeInHttp(scheme: SecurityScheme): string | undefined {
  switch (scheme.type) {
    case 'http':
      return ofHttp.get(scheme.scheme.toLowerCase())
    case 'oauth2':
    case 'openIdConnect':
      return ofHttp.get('bearer')
    default:
      return undefined
  }
}

/** Those that need no more than is known here (RFC 6750 §3, RFC 7617 §2). */
const ofHttp: ReadonlyMap<string, string> = new Map([
  ['bearer', 'Bearer'],
  ['basic', 'Basic realm="api", charset="UTF-8"'],
])
