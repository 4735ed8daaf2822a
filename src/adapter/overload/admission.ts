import { problem } from '../../error/problem.ts'
import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { problemResponse } from '../problem-response.ts'
import type { Service } from '../service.ts'
import type { OverloadOptions } from './overload-options.ts'

/** From this share of a limit on, scans are refused: it leaves the rest to other requests. */
const scanShare = 0.5

const readingMethods = new Set(['GET', 'HEAD', 'QUERY', 'OPTIONS'])

/**
 * Refuses requests while the process has more of them than it can answer soon. A turn of the event
 * loop reads all requests that have arrived, and those that arrive meanwhile wait for its end. So
 * the time of a turn is what each request waits before anything else; beyond it, work that waits
 * for something else, such as a store, is counted. Nothing is remembered from one turn to the next,
 * so that all are admitted as soon as there is time for them.
 */
export class Admission {
  readonly #options: Required<OverloadOptions>
  /** Reads that were admitted and have no response. */
  #reads = 0
  /** The same of all other requests: where writes wait for a disk, reads need not. */
  #writes = 0
  /** When the first request of this turn was read; undefined before it. */
  #turnStartMs: number | undefined
  /** How many requests were read in this turn. */
  #inTurn = 0

  constructor(options: Required<OverloadOptions>) {
    this.#options = options
  }

  /** Admits a request, which `leave` must follow once it has its response, or refuses it. */
  enter(request: ApiRequest, service: Service): boolean {
    const isRead = readingMethods.has(request.method)
    const load = this.#load(isRead ? this.#reads : this.#writes)
    if (load >= 1 || (load >= scanShare && service.isScan?.(request) === true)) return false
    if (isRead) this.#reads++
    else this.#writes++
    return true
  }

  leave({ method }: ApiRequest): void {
    if (readingMethods.has(method)) this.#reads--
    else this.#writes--
  }

  /** 1 and more where nothing more can be admitted. */
  #load(pending: number): number {
    const { maxDelayMs, minPerTurn, maxPending } = this.#options
    this.#turnStartMs ??= this.#beginTurn()
    const startMs = this.#turnStartMs
    const ofPending = pending / maxPending
    if (++this.#inTurn <= minPerTurn) return ofPending
    return Math.max(ofPending, (performance.now() - startMs) / maxDelayMs)
  }

  #beginTurn(): number {
    this.#inTurn = 0
    // Immediates run after everything that the turn reads from sockets.
    setImmediate(() => {
      this.#turnStartMs = undefined
    })
    return performance.now()
  }
}

/** One response for all, because it is sent while there is no time to make others. */
export const overloadedResponse: ApiResponse = problemResponse(
  [
    problem(
      'overloaded',
      'The server has more requests than it can carry out. Send it again later.',
    ),
  ],
  503,
  { 'retry-after': '1' },
)
