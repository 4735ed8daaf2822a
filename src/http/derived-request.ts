import type { ApiRequest, RequestBody, RequestHeaders } from './api-request.ts'
import type { RequestTrace } from './request-trace.ts'

/** The request with other headers. Hosts compute some members when they are asked for. */
export function requestWithHeaders(request: ApiRequest, headers: RequestHeaders): ApiRequest {
  const { path, query, body } = request
  return new DerivedRequest(request, { headers, path, query, body })
}

/** The request as if it had been sent to another path. */
export function requestAtPath(request: ApiRequest, path: string): ApiRequest {
  const { headers, query, body } = request
  return new DerivedRequest(request, { headers, path, query, body })
}

/** The request as if its address had this query string, and it had no body. */
export function requestWithQuery(request: ApiRequest, query: string): ApiRequest {
  const { headers, path } = request
  return new DerivedRequest(request, { headers, path, query, body: undefined })
}

/** What a derived request has of its own. */
type DerivedParts = Pick<ApiRequest, 'headers' | 'path' | 'query' | 'body'>

class DerivedRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
  readonly body: RequestBody | undefined
  readonly #request: ApiRequest

  constructor(request: ApiRequest, { headers, path, query, body }: DerivedParts) {
    this.method = request.method
    this.path = path
    this.query = query
    this.headers = headers
    this.body = body
    this.#request = request
  }

  get address(): string | undefined {
    return this.#request.address
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal
  }

  get trace(): RequestTrace | undefined {
    return this.#request.trace
  }

  get isAborted(): boolean | undefined {
    return this.#request.isAborted
  }
}
