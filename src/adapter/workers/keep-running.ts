import { countQuickEnds, restartDelayMs } from './restart-delay.ts'
import type { Worker } from './worker.ts'

export interface Supervision {
  /** Starts a worker, which is ready then. @throws Error if it ends before */
  start(): Promise<Worker>
  /** Are the workers of this generation no longer wanted? */
  isOver(): boolean
  /** Gets a sentence about each worker that ended by itself. */
  report(error: Error): void
  /** Called when a worker that replaces another one does not start. */
  onFailedStart(error: Error): void
}

/**
 * Replaces a worker, and those that replace it, whenever one ends by itself.
 * @param first undefined where it ended before it was ready
 */
export async function keepRunning(
  first: Worker | undefined,
  supervision: Supervision,
): Promise<void> {
  let worker = first
  let startedAtMs = first?.startedAtMs ?? performance.now()
  for (let quickEnds = 0; ; ) {
    const reason = await worker?.ended
    if (worker?.isClosing || supervision.isOver()) return
    if (worker) supervision.report(new Error(`The worker ${worker.pid} ended with ${reason}.`))
    quickEnds = countQuickEnds(quickEnds, performance.now() - startedAtMs)
    await wait(restartDelayMs(quickEnds))
    if (supervision.isOver()) return
    startedAtMs = performance.now()
    worker = await replacement(supervision)
  }
}

/** Undefined if it ended before it was ready. */
async function replacement(supervision: Supervision): Promise<Worker | undefined> {
  try {
    return await supervision.start()
  } catch (error) {
    if (!supervision.isOver()) supervision.onFailedStart(error as Error)
    return undefined
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref())
}
