import type { ApiRequest } from './api-request.ts'

/**
 * A request to read something that the service sends itself, in the name of a caller whom it knows.
 * No authenticator is asked, and no limit counts it.
 */
export class ServiceRequest implements ApiRequest {
  readonly method = 'GET'
  readonly path: string
  readonly query: string
  readonly headers: ApiRequest['headers']
  readonly body = undefined
  readonly caller: unknown

  constructor(caller: unknown, { path, query, accept }: ServiceTarget) {
    this.path = path
    this.query = query
    this.headers = { accept }
    this.caller = caller
  }
}

/** What it asks for. */
interface ServiceTarget {
  /** Percent-encoded, from the root. */
  readonly path: string
  /** Percent-encoded, without the question mark. */
  readonly query: string
  /** The media type. */
  readonly accept: string
}
