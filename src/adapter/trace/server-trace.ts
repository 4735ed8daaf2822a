import type { ApiResponse } from '../../http/api-response.ts'
import type { ResponseHeaders } from '../../http/headers/response-headers.ts'
import type { RequestStage, RequestTrace } from '../../http/request-trace.ts'
import type { Service } from '../service.ts'
import { requestIdOf } from './request-id.ts'
import { type StageTime, serverTiming } from './server-timing.ts'
import { traceIdOf } from './trace-parent.ts'
import type { TracedExchange } from './traced-exchange.ts'

/** The trace of a request, from the end of its head to the end of its response. */
export class ServerTrace implements RequestTrace {
  readonly requestId: string
  traceId: string | undefined
  route: string | undefined
  caller: unknown
  /** That of the first problem of the response. */
  code: string | undefined
  /** What was unexpected. */
  error: unknown
  /** What the host has found for the path. */
  service: Service | undefined
  /** As the client sent it, without the query. */
  readonly path: string
  readonly address: string | undefined
  readonly startMs: number = performance.now()
  readonly stages: StageTime[] = []
  /** Runs what handles the request, so that spans of other libraries find their parent. */
  run: Run = runNow
  /** Called by the host once the response has ended. */
  end: () => void = () => undefined
  readonly exchange: TracedExchange
  readonly #sendsTiming: boolean
  #stage: StageTime | undefined

  /** @param sendsTiming whether the response says how long its stages took */
  constructor(
    exchange: TracedExchange,
    path: string,
    address: string | undefined,
    sendsTiming: boolean,
  ) {
    const { headers } = exchange
    this.exchange = exchange
    this.path = path
    this.address = address
    this.#sendsTiming = sendsTiming
    this.requestId = requestIdOf(headers['x-request-id'] as string | undefined)
    this.traceId = traceIdOf(headers.traceparent as string | undefined)
  }

  /**
   * The template of the path: as its service says, or else that of the service. Undefined where no
   * service has the path.
   */
  get template(): string | undefined {
    if (this.route !== undefined || this.service === undefined) return this.route
    const { basePath, paths = [] } = this.service
    return this.path === basePath || paths.includes(this.path) ? this.path : `${basePath}/*`
  }

  enter(stage: RequestStage): void {
    const startMs = performance.now()
    this.#endStage(startMs)
    this.#stage = { stage, startMs, durationMs: 0 }
    this.stages.push(this.#stage)
  }

  fail(code: string, error: unknown): void {
    this.code = code
    this.error ??= error
  }

  /** Called with the response before it is sent. */
  respond(response: ApiResponse): ApiResponse {
    this.#endStage(performance.now())
    const { body } = response
    const traced =
      body.kind === 'stream' ? { ...body, chunks: runEach(body.chunks, this.run) } : body
    const headers: ResponseHeaders = { ...response.headers, 'x-request-id': this.requestId }
    if (!this.#sendsTiming) return { ...response, headers, body: traced }
    const own = serverTiming(this.stages, performance.now() - this.startMs)
    const timing = [headers['server-timing'] ?? [], own].flat().join(', ')
    return { ...response, headers: { ...headers, 'server-timing': timing }, body: traced }
  }

  #endStage(nowMs: number): void {
    if (this.#stage) this.#stage.durationMs = nowMs - this.#stage.startMs
    this.#stage = undefined
  }
}

type Run = <T>(handle: () => T) => T

const runNow: Run = (handle) => handle()

/** Reads each chunk in the context of the request, long after the service has responded. */
function runEach<C>(chunks: AsyncIterable<C>, run: Run): AsyncIterable<C> {
  if (run === runNow) return chunks
  return {
    [Symbol.asyncIterator]() {
      const iterator = chunks[Symbol.asyncIterator]()
      return {
        next: () => run(() => iterator.next()),
        return: async (value?: unknown) =>
          (await run(() => iterator.return?.(value))) ?? { done: true, value: undefined },
      }
    },
  }
}
