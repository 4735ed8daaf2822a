import { performance } from 'node:perf_hooks'

/** How long all expensive work together may run in one turn of the event loop. */
export const maxSliceMs = 5

/** Whoever waits for the work: it stops when the signal is aborted. */
export interface Waiter {
  readonly signal?: AbortSignal | undefined
  /** False while the signal is not aborted, and need not be created to see that. */
  readonly isAborted?: boolean | undefined
}

/** @throws the reason of the signal, if it is aborted */
export function throwIfAborted(waiter: Waiter | undefined): void {
  if (waiter && waiter.isAborted !== false) waiter.signal?.throwIfAborted()
}

const queue: (() => void)[] = []
let sliceStartedAt: number | undefined

/**
 * Resumes in a later turn of the event loop. All expensive work waits in one queue, and each turn
 * resumes as much of it as fits into {@link maxSliceMs}: a hundred lists at once delay other
 * requests no longer than one list does.
 *
 * ```ts
 * await yieldToEventLoop({ signal })
 * ```
 *
 * @throws the reason of the caller's signal
 */
export async function yieldToEventLoop(caller?: Waiter): Promise<void> {
  await new Promise<void>((resolve) => {
    queue.push(resolve)
    if (queue.length === 1) setImmediate(startSlice)
  })
  throwIfAborted(caller)
}

/**
 * Yields if expensive work has used up this turn of the event loop, so that a hundred requests that
 * arrive together do not all begin in it.
 * @throws the reason of the caller's signal
 */
export async function yieldIfBusy(caller?: Waiter): Promise<void> {
  if (isEventLoopBusy()) await yieldToEventLoop(caller)
}

/** Has expensive work used up this turn of the event loop? Starts its slice, if none has begun. */
export function isEventLoopBusy(): boolean {
  if (sliceStartedAt === undefined) {
    markSliceStart()
    return false
  }
  return isTimeUp()
}

function startSlice(): void {
  markSliceStart()
  resumeNext()
}

function resumeNext(): void {
  const resume = queue.shift()
  resume?.()
  // The microtasks of the resumed work run before the next tick.
  if (queue.length > 0) queueMicrotask(() => process.nextTick(resumeNextInTime))
}

function resumeNextInTime(): void {
  if (queue.length === 0) return
  if (isTimeUp()) setImmediate(startSlice)
  else resumeNext()
}

function markSliceStart(): void {
  if (sliceStartedAt === undefined) setImmediate(markSliceEnd)
  sliceStartedAt = performance.now()
}

function markSliceEnd(): void {
  sliceStartedAt = undefined
}

function isTimeUp(): boolean {
  return sliceStartedAt !== undefined && performance.now() - sliceStartedAt > maxSliceMs
}
