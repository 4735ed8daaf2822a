import type { ApiError } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'

export interface ConcurrencyLimits {
  /** How many works run at a time. */
  readonly maxParallel: number
  /** How many may wait. */
  readonly maxWaiting: number
}

/** `single`: it takes so much that no other of its kind runs beside it. */
export type WorkKind = 'usual' | 'single'

/**
 * @throws ApiError `overloaded` when too many wait, and the reason of the signal when it is aborted
 * while the work waits
 */
export type ConcurrencyLimiter = <T>(
  kind: WorkKind,
  signal: AbortSignal,
  work: () => Promise<T>,
) => Promise<T>

interface QueuedWork {
  readonly kind: WorkKind
  begin(): void
}

/**
 * Runs so many works at a time, in the order in which they came. @param of what waits, for the
 * refusal: `images`
 */
export function limitConcurrency(
  { maxParallel, maxWaiting }: ConcurrencyLimits,
  of: string,
): ConcurrencyLimiter {
  const queue: QueuedWork[] = []
  let running = 0
  let isSingleRunning = false

  const canRun = ({ kind }: Pick<QueuedWork, 'kind'>): boolean =>
    running < maxParallel && !(kind === 'single' && isSingleRunning)
  const enter = (kind: WorkKind): void => {
    running++
    if (kind === 'single') isSingleRunning = true
  }
  const leave = (kind: WorkKind): void => {
    running--
    if (kind === 'single') isSingleRunning = false
    for (let next = queue.findIndex(canRun); next >= 0; next = queue.findIndex(canRun)) {
      const [one] = queue.splice(next, 1)
      enter(one!.kind)
      one!.begin()
    }
  }
  const turn = (kind: WorkKind, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const abandon = () => {
        queue.splice(queue.indexOf(one), 1)
        reject(signal.reason)
      }
      const one: QueuedWork = {
        kind,
        begin: () => {
          signal.removeEventListener('abort', abandon)
          resolve()
        },
      }
      queue.push(one)
      signal.addEventListener('abort', abandon, { once: true })
    })

  return async (kind, signal, work) => {
    signal.throwIfAborted()
    if (canRun({ kind })) enter(kind)
    else if (queue.length < maxWaiting) await turn(kind, signal)
    else throw overloaded(of)
    try {
      return await work()
    } finally {
      leave(kind)
    }
  }
}

function overloaded(of: string): ApiError {
  return temporaryRefusal('overloaded', `Too many ${of} wait; try again in a moment.`)
}
