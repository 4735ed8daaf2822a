import { performance } from 'node:perf_hooks'

/**
 * How long works that cost much may go on in one turn of the event loop, all of them together, in
 * ms.
 */
const maxSliceMs = 5

const queue: (() => void)[] = []
let sliceStartedAt: number | undefined

/**
 * Goes on in a later turn of the event loop. All works that cost much wait in one row, and each
 * turn lets as many of them go on as its time allows: a hundred lists that are sent at once keep
 * other requests from being answered no longer than one does.
 * @param caller who waits for the work, where anybody does
 * @throws the reason of the signal where the caller has left meanwhile
 */
export async function yieldToEventLoop(caller?: {
  readonly signal?: AbortSignal | undefined
}): Promise<void> {
  await new Promise<void>((resolve) => {
    queue.push(resolve)
    if (queue.length === 1) setImmediate(startSlice)
  })
  caller?.signal?.throwIfAborted()
}

/**
 * Have works that cost much already taken the time of this turn of the event loop? Asked before one
 * begins.
 */
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
  const next = queue.shift()
  next?.()
  // What the work does at once is done before the ticks that come after its microtasks.
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
