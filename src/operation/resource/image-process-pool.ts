import { withTimeout } from '../../concurrency/with-timeout.ts'
import { type ImageProcess, startImageProcess } from './image-process.ts'
import type { ImageResult, ImageTask } from './image-task.ts'

/** How long one image may take: it can be made to be slow. */
const timeoutMs = 60_000
/**
 * How long a process waits for the next image. Until then it holds the memory that the last one
 * took.
 */
const idleMs = 10_000

const idleProcesses = new Map<ImageProcess, NodeJS.Timeout>()
const endingProcesses = new Set<Promise<void>>()

/**
 * Has an image read by a process that has none, or by a new one. It is broken off when the signal
 * is aborted. How many work at a time is for the caller to bound.
 * @param late what is thrown where it takes too long
 * @throws the reason of the signal; Error where the process ends
 */
export async function runImageTask(
  task: ImageTask,
  original: Uint8Array,
  { signal, timeoutError }: { readonly signal: AbortSignal; timeoutError(): Error },
): Promise<ImageResult> {
  signal.throwIfAborted()
  const one = takeIdleProcess() ?? startImageProcess()
  try {
    const answer = await withTimeout(one.run(task, original), { signal, timeoutMs, timeoutError })
    idleProcesses.set(one, setTimeout(killProcess, idleMs, one).unref())
    return answer
  } catch (error) {
    killProcess(one)
    throw error
  }
}

/**
 * Ends those that have nothing to do, and waits until all that were ended are gone. The next image
 * starts one anew.
 */
export async function endIdleImageProcesses(): Promise<void> {
  for (const one of idleProcesses.keys()) killProcess(one)
  await Promise.all(endingProcesses)
}

function takeIdleProcess(): ImageProcess | undefined {
  for (const [one, alarm] of idleProcesses) {
    clearTimeout(alarm)
    idleProcesses.delete(one)
    if (!one.hasEnded) return one
  }
  return undefined
}

function killProcess(one: ImageProcess): void {
  clearTimeout(idleProcesses.get(one))
  idleProcesses.delete(one)
  const gone = one.kill().finally(() => endingProcesses.delete(gone))
  endingProcesses.add(gone)
}
