import { problem } from '../../error/problem.ts'
import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { isSafe } from '../../http/safe-method.ts'
import { gauges, writesQueue } from '../../telemetry/channels.ts'
import { problemResponse } from '../problem-response.ts'
import type { Service } from '../service.ts'
import type { OverloadOptions } from './overload-options.ts'

/** From this share of a limit on, scans are refused: it leaves the rest to other requests. */
const scanShare = 0.5

/**
 * How much waits in the queues that a request may have to join, as a share of the limit. A store
 * knows only while it runs which requests need a scan, and refuses those by itself.
 */
interface QueueLoads {
  /** Of connections to PostgreSQL, which all requests need. */
  readonly all: number
  readonly writes: number
}

/**
 * Refuses requests while the process has more of them than it can answer soon. A turn of the event
 * loop reads all requests that have arrived, and those that arrive meanwhile wait for its end. So
 * the time of a turn is what each request waits before anything else; what it waits afterwards are
 * the queues of the stores. Nothing is remembered from one turn to the next, so that all are
 * admitted as soon as there is time for them.
 */
export class Admission {
  readonly #options: Required<OverloadOptions>
  /** When the first request of this turn was read; undefined before it. */
  #turnStartMs: number | undefined
  /** How many requests were read in this turn. */
  #inTurn = 0
  /** Those at the beginning of the turn. */
  #queues: QueueLoads = { all: 0, writes: 0 }

  constructor(options: Required<OverloadOptions>) {
    this.#options = options
  }

  /** Is there time for the request? */
  admits(request: ApiRequest, service: Service): boolean {
    this.#turnStartMs ??= this.#beginTurn()
    const ofTurn = this.#loadOfTurn(this.#turnStartMs)
    const load = service.limitsItsQueues
      ? ofTurn
      : Math.max(ofTurn, this.#queues.all, isSafe(request) ? 0 : this.#queues.writes)
    if (load >= 1) return false
    return load < scanShare || service.isScan?.(request) !== true
  }

  #loadOfTurn(startMs: number): number {
    const { maxDelayMs, minPerTurn } = this.#options
    return ++this.#inTurn <= minPerTurn ? 0 : (performance.now() - startMs) / maxDelayMs
  }

  #beginTurn(): number {
    this.#inTurn = 0
    this.#queues = queueLoads(this.#options.maxWaiting)
    // Immediates run after everything that the turn reads from sockets.
    setImmediate(() => {
      this.#turnStartMs = undefined
    })
    return performance.now()
  }
}

function queueLoads(maxWaiting: number): QueueLoads {
  const lengths = { waitingCalls: 0, [writesQueue]: 0 }
  gauges.publish({
    read(gauge, value, of) {
      const name = gauge === 'queue' ? of : gauge
      if (name in lengths) lengths[name as keyof typeof lengths] += value
    },
  })
  return {
    all: lengths.waitingCalls / maxWaiting,
    writes: lengths[writesQueue] / maxWaiting,
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
