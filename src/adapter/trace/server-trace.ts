import type { ServerResponse } from 'node:http'
import type { ApiResponse } from '../../http/api-response.ts'
import type { RequestStage, RequestTrace } from '../../http/request-trace.ts'
import type { Service } from '../service.ts'
import { requestIdOf } from './request-id.ts'
import { traceIdOf } from './trace-parent.ts'

/** How long a stage took, with the time of `performance.now()` at its beginning. */
export interface StageTime {
  readonly stage: RequestStage
  readonly startMs: number
  durationMs: number
}

/** The trace of a request of `node:http`, from its first byte to the last one of its response. */
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
  run: <T>(handle: () => T) => T = (handle) => handle()
  readonly res: ServerResponse
  readonly #bytesBefore: number
  #stage: StageTime | undefined

  constructor(res: ServerResponse, path: string, address: string | undefined) {
    const { headers, socket } = res.req
    this.res = res
    this.path = path
    this.address = address
    this.requestId = requestIdOf(headers['x-request-id'] as string | undefined)
    this.traceId = traceIdOf(headers.traceparent as string | undefined)
    this.#bytesBefore = socket.bytesWritten
  }

  get method(): string {
    return this.res.req.method ?? ''
  }

  /** Undefined if the client left before the response. */
  get status(): number | undefined {
    return this.res.headersSent ? this.res.statusCode : undefined
  }

  /** The bytes sent, with those of the head. Requests that tests inject have none. */
  get bytes(): number {
    return this.res.req.socket.bytesWritten - this.#bytesBefore || 0
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
    return {
      ...response,
      headers: { ...response.headers, 'x-request-id': this.requestId },
    }
  }

  #endStage(nowMs: number): void {
    if (this.#stage) this.#stage.durationMs = nowMs - this.#stage.startMs
    this.#stage = undefined
  }
}
