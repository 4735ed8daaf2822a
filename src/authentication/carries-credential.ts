import type { ApiRequest } from '../http/api-request.ts'
import type { SecurityScheme } from '../rule/declaration.ts'
import { credentialHeader } from './credential-header.ts'

/**
 * Tells whether a request has what one of the schemes names: a header, or a query parameter. A
 * client certificate does not count: it comes with the connection, and nobody can guess one.
 */
export function credentialFinder(
  schemes: readonly SecurityScheme[],
): (request: ApiRequest) => boolean {
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
