import type { ApiRequest, RequestBody, RequestHeaders } from './api-request.ts'

/**
 * A request that the service sends itself, in the name of a caller whom it knows. No authenticator
 * is asked, and no limit counts the request; the lines of one that a job carries out are counted.
 */
export class ServiceRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
  readonly body: RequestBody | undefined
  readonly signal: AbortSignal | undefined
  readonly caller: unknown
  /** Undefined where that of the router holds. */
  readonly actionTimeoutMs: number | undefined

  constructor(caller: unknown, { path, query, accept, ...others }: ServiceTarget) {
    const { method = 'GET', headers = {}, body, signal, actionTimeoutMs } = others
    this.method = method
    this.path = path
    this.query = query
    this.headers = accept === undefined ? headers : { ...headers, accept }
    this.body = body
    this.signal = signal
    this.caller = caller
    this.actionTimeoutMs = actionTimeoutMs
  }
}

/** What it asks for. */
export interface ServiceTarget {
  /** Default: GET. */
  readonly method?: string
  /** Percent-encoded, from the root. */
  readonly path: string
  /** Percent-encoded, without the question mark. */
  readonly query: string
  /** The media type. Default: that of the headers. */
  readonly accept?: string
  /** In lower case. Default: none. */
  readonly headers?: RequestHeaders
  /** Default: none. */
  readonly body?: RequestBody | undefined
  /** Ends the work. Default: nothing does. */
  readonly signal?: AbortSignal
  /** How long an action may take. Default: as the router says. */
  readonly actionTimeoutMs?: number
}
