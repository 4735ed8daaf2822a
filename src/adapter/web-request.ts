import type { ApiRequest } from '../http/api-request.ts'

/** A request of the fetch API without its body. */
export function webRequest(
  { method, url, headers, signal }: Request,
  address: string | undefined,
): ApiRequest {
  const { pathname, search, host } = new URL(url)
  return {
    method,
    path: pathname,
    query: search.slice(1),
    // Web requests have the host in their URL.
    headers: { host, ...Object.fromEntries(headers) },
    body: undefined,
    address,
    signal,
  }
}
