import type { SecurityScheme } from '../rule/declaration.ts'

/** The request header that carries a credential, in lower case; undefined if none does. */
export function credentialHeader(scheme: SecurityScheme): string | undefined {
  switch (scheme.type) {
    case 'http':
    case 'oauth2':
    case 'openIdConnect':
      return 'authorization'
    case 'apiKey':
      return apiKeyHeader(scheme)
    case 'mutualTLS':
      return undefined
  }
}

function apiKeyHeader({
  in: place,
  name,
}: Extract<SecurityScheme, { readonly type: 'apiKey' }>): string | undefined {
  if (place === 'query') return undefined
  return place === 'cookie' ? 'cookie' : name.toLowerCase()
}

/**
 * Do browsers add the credential by themselves, also to requests that a page of another site makes?
 */
export function isSentByBrowsers(scheme: SecurityScheme): boolean {
  switch (scheme.type) {
    case 'apiKey':
      return scheme.in === 'cookie'
    case 'http':
      return scheme.scheme.toLowerCase() !== 'bearer'
    case 'mutualTLS':
      return true
    default:
      return false
  }
}
