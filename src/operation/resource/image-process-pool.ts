import { withTimeout } from '../../concurrency/with-timeout.ts'
import { type ImageProcess, startImageProcess } from './image-process.ts'
import type { ImageResult, ImageTask } from './image-task.ts'

/** An image can be crafted to take long. */
const timeoutMs = 60_000
/**
 * How long an idle process waits for the next image. Meanwhile it holds the memory of the last one.
 */
const idleMs = 10_000

const idleProcesses = new Map<ImageProcess, NodeJS.Timeout>()
const endingProcesses = new Set<Promise<void>>()

/**
 * Runs a task in an idle process, or in a new one. An abort of the signal kills the process. The
 * caller limits the concurrency.
 * @param timeoutError made when the task takes too long
 * @throws the reason of the signal; Error if the process ends
 */
export async function runImageTask(
  task: ImageTask,
  original: Uint8Array,
  { signal, timeoutError }: { readonly signal: AbortSignal; timeoutError(): Error },
): Promise<ImageResult> {
  signal.throwIfAborted()
  const imageProcess = takeIdleProcess() ?? startImageProcess()
  try {
    const result = await withTimeout(imageProcess.run(task, original), {
      waiter: { signal },
      timeoutMs,
      timeoutError,
    })
    idleProcesses.set(imageProcess, setTimeout(killProcess, idleMs, imageProcess).unref())
    return result
  } catch (error) {
    killProcess(imageProcess)
    throw error
  }
}

/**
 * Ends idle processes, and waits until all that were ended are gone. The next image starts a new
 * one.
 */
export async function endIdleImageProcesses(): Promise<void> {
  for (const imageProcess of idleProcesses.keys()) killProcess(imageProcess)
  await Promise.all(endingProcesses)
}

function takeIdleProcess(): ImageProcess | undefined {
  for (const [imageProcess, timer] of idleProcesses) {
    clearTimeout(timer)
    idleProcesses.delete(imageProcess)
    if (!imageProcess.hasEnded) return imageProcess
  }
  return undefined
}

function killProcess(imageProcess: ImageProcess): void {
  clearTimeout(idleProcesses.get(imageProcess))
  idleProcesses.delete(imageProcess)
  const exited = imageProcess.kill().finally(() => endingProcesses.delete(exited))
  endingProcesses.add(exited)
}
