import type { ApiRequest, RequestBody, RequestHeaders } from './api-request.ts'

/** The request with other headers. Hosts compute some members when they are asked for. */
export function requestWithHeaders(request: ApiRequest, headers: RequestHeaders): ApiRequest {
  return new DerivedRequest(request, { headers, path: request.path })
}

/** The request as if it had been sent to another path. */
export function requestAtPath(request: ApiRequest, path: string): ApiRequest {
  return new DerivedRequest(request, { headers: request.headers, path })
}

class DerivedRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
  readonly body: RequestBody | undefined
  readonly #request: ApiRequest

  constructor(request: ApiRequest, { headers, path }: Pick<ApiRequest, 'headers' | 'path'>) {
    this.method = request.method
    this.path = path
    this.query = request.query
    this.headers = headers
    this.body = request.body
    this.#request = request
  }

  get address(): string | undefined {
    return this.#request.address
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal
  }

  get isAborted(): boolean | undefined {
    return this.#request.isAborted
  }
}
