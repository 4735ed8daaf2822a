import type { RequestTrace } from './request-trace.ts'

/** Headers by lower-case name. Several lines of a header are joined with `, ` (RFC 9110 §5.3). */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** The parameters of a path by name, decoded. */
export type PathParams = Readonly<Record<string, string>>

/** The body of a request. It is read once, when an operation needs it. */
export interface RequestBody {
  /**
   * The whole body.
   * @throws ApiError `body-too-large` if more than `limit` bytes are declared or arrive,
   * `request-timeout` if they arrive too slowly.
   */
  bytes(limit: number): Promise<Uint8Array>
  /** The chunks of the body, with backpressure. */
  stream(): AsyncIterable<Uint8Array>
}

/** A request, independent of the host (Node.js, fetch, tests). */
export interface ApiRequest {
  readonly method: string
  /** The path, percent-encoded, without the query string. */
  readonly path: string
  /** The query string, percent-encoded, without the question mark. */
  readonly query: string
  readonly headers: RequestHeaders
  readonly body: RequestBody | undefined
  /**
   * The IP address of the client, for example `203.0.113.7`: that of the connection, or what a
   * trusted proxy says (`trustProxy` of the host). Undefined where the host does not know it.
   */
  readonly address?: string | undefined
  /**
   * Aborted when the client closes the connection before the response. Hosts create it lazily; a
   * host without access to the connection has none.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Is the signal aborted, or would it be if it existed? Creating a signal costs as much as reading
   * an item, so work that only looks now and then asks this. Undefined where the host cannot tell.
   */
  readonly isAborted?: boolean | undefined
  /** What the host notes about the request; undefined where it neither logs nor traces. */
  readonly trace?: RequestTrace | undefined
}
