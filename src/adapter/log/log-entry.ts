/** A request with its response, after the last byte was sent or the client has left. */
export interface LogEntry {
  /** When the request arrived, as an ISO 8601 date-time. */
  readonly time: string
  readonly method: string
  /**
   * The template of the path, such as `/api/books/{id}`; `/api/*` where the service at `/api` has
   * no other. Undefined where no service has the path.
   */
  readonly route: string | undefined
  /**
   * The percent-encoded path, without the query: tokens and personal data often stand there. Only
   * with the option `withPath`.
   */
  readonly path?: string
  /** Undefined if the client left before the response. */
  readonly status: number | undefined
  /** The bytes sent, with those of the head. */
  readonly bytes: number
  readonly durationMs: number
  /** The address of the client; see `trustProxy`. */
  readonly address: string | undefined
  /** Has the client left before the end of the response? */
  readonly isAborted: boolean
  /** That of the response header `X-Request-Id`. */
  readonly requestId: string
  /** That of `traceparent`; undefined without one. */
  readonly traceId: string | undefined
  /** As the option `callerId` says; undefined without it, and for anonymous requests. */
  readonly caller?: string | undefined
  /** The code of the first problem of an error, such as `not-found`. */
  readonly code?: string | undefined
  /** The unexpected error that made the response a 5xx, as `onError` gets it. */
  readonly error?: unknown
}
