import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** A request with its response, as the trace of any host reads them. */
export interface TracedExchange {
  readonly method: string
  /** The path with the query, as the client sent it. */
  readonly target: string
  readonly headers: Readonly<IncomingHttpHeaders>
  readonly scheme: 'http' | 'https'
  /** Undefined where the host does not say. */
  readonly httpVersion: string | undefined
  /** Undefined if the client left before the response. */
  readonly status: number | undefined
  /** The bytes sent; over sockets with those of the head. */
  readonly bytes: number
  /** Was the whole response sent? */
  readonly isFinished: boolean
}

/** An exchange of `node:http`. */
export class NodeExchange implements TracedExchange {
  readonly method: string
  readonly target: string
  readonly #res: ServerResponse
  readonly #bytesBefore: number

  constructor(res: ServerResponse) {
    this.#res = res
    // Middleware of a framework may change both.
    this.method = res.req.method ?? ''
    this.target = res.req.url ?? ''
    this.#bytesBefore = res.req.socket.bytesWritten
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return this.#res.req.headers
  }

  get scheme(): 'http' | 'https' {
    return 'encrypted' in this.#res.req.socket ? 'https' : 'http'
  }

  get httpVersion(): string {
    return this.#res.req.httpVersion
  }

  get status(): number | undefined {
    return this.#res.headersSent ? this.#res.statusCode : undefined
  }

  /** Requests that tests inject have none. */
  get bytes(): number {
    return this.#res.req.socket.bytesWritten - this.#bytesBefore || 0
  }

  get isFinished(): boolean {
    return this.#res.writableFinished
  }
}

/** An exchange of the fetch API. Its host sends the response, and tells nobody how. */
export class FetchExchange implements TracedExchange {
  readonly httpVersion = undefined
  status: number | undefined
  /** Those of the body. */
  bytes = 0
  isFinished = false
  readonly #request: Request
  readonly #url: URL

  constructor(request: Request, url: URL) {
    this.#request = request
    this.#url = url
  }

  get method(): string {
    return this.#request.method
  }

  get target(): string {
    return this.#url.pathname + this.#url.search
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return Object.fromEntries(this.#request.headers)
  }

  get scheme(): 'http' | 'https' {
    return this.#url.protocol === 'https:' ? 'https' : 'http'
  }
}
