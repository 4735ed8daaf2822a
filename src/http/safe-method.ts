/**
 * Does the method only read (RFC 9110 §9.2.1)? Like GET, QUERY has conditional requests and no
 * effect on items (RFC 10008 §2).
 */
export function isSafe({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'QUERY' || method === 'OPTIONS'
}
