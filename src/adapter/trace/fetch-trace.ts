import type { StreamProgress } from '../fetch-stream.ts'
import type { ServerTrace } from './server-trace.ts'
import type { FetchExchange } from './traced-exchange.ts'

/** The trace of a web request. Its host sends the response, so its end is that of the body. */
export class FetchTrace implements StreamProgress {
  readonly trace: ServerTrace
  readonly #exchange: FetchExchange
  #isClosed = false

  constructor(trace: ServerTrace, exchange: FetchExchange) {
    this.trace = trace
    this.#exchange = exchange
  }

  /** The host gets the whole body at once. */
  sent(status: number, bytes: number): void {
    this.#exchange.status = status
    this.sending(bytes)
    this.ended(true)
  }

  /** The host gets a stream, which may have been closed already: the client may have left. */
  began(status: number): void {
    this.#exchange.status = status
    if (this.#isClosed) this.ended(false)
  }

  sending(bytes: number): void {
    this.#exchange.bytes += bytes
  }

  ended(isFinished: boolean): void {
    this.#isClosed = true
    // A stream that fails before its first chunk becomes an error response.
    if (this.#exchange.status === undefined) return
    this.#exchange.isFinished = isFinished
    this.trace.end()
  }
}
