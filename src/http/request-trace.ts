/**
 * What takes up the time of a request: who sent it, what hooks decide, reading its body, the work
 * on items, and writing the response.
 */
export type RequestStage = 'authenticate' | 'hooks' | 'decode' | 'store' | 'encode'

/**
 * What a host notes about one request, for logs, traces and metrics. Whoever handles the request
 * adds what it knows.
 */
export interface RequestTrace {
  /** The `X-Request-Id` of the client if it is a plain word, or else a new UUID. */
  readonly requestId: string
  /**
   * The trace that the request is a part of, as 32 hexadecimal digits: by `traceparent` of the
   * client (W3C Trace Context), or begun by `telemetry`. Undefined without both.
   */
  readonly traceId: string | undefined
  /** The template of the path, such as `/api/books/{id}`; undefined until it is known. */
  route: string | undefined
  /** Who sent the request; undefined until that is known, and for anonymous requests. */
  caller: unknown
  /** Begins a stage, and ends the one before. */
  enter(stage: RequestStage): void
  /**
   * Notes why the request gets no other response.
   * @param code that of the first problem
   * @param error the unexpected error; undefined where the request is refused
   */
  fail(code: string, error: unknown): void
}
