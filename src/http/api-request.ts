/**
 * Header values by lower-case name; several lines of one header are joined with `, ` (RFC 9110
 * §5.3).
 */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** The bytes a request brings. They are read once, and only when an operation wants them. */
export interface RequestBody {
  /**
   * The whole body.
   * @throws ApiError `body-too-large` as soon as more than `limit` bytes are declared or arrive,
   * `request-timeout` when they stall.
   */
  bytes(limit: number): Promise<Uint8Array>
  /** The body as it arrives, with back-pressure. */
  stream(): AsyncIterable<Uint8Array>
}

/** A request as every host can give it: plain values, no sockets. */
export interface ApiRequest {
  readonly method: string
  /** The path as it was sent, percent-encoded, without the query string. */
  readonly path: string
  /** The query string as it was sent, without the question mark. */
  readonly query: string
  readonly headers: RequestHeaders
  /** Undefined when the request has none. */
  readonly body: RequestBody | undefined
  /**
   * Aborted when the client's connection closes before it was answered. Hosts make it when it is
   * first asked for; one that does not know its clients has none.
   */
  readonly signal?: AbortSignal | undefined
}
