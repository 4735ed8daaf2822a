import { type ImageProcess, imageProcess } from './image-process.ts'
import type { ImageAnswer, ImageTask } from './image-task.ts'
import { withinTime } from './within-time.ts'

/** How long one image may take: it can be made to be slow. */
const longestMs = 60_000
/** How long a process waits for the next image. Until then it holds the memory that the last one took. */
const idleMs = 10_000

const idle = new Map<ImageProcess, NodeJS.Timeout>()
const ending = new Set<Promise<void>>()

/**
 * Has an image read by a process that has none, or by a new one. It is broken off when the signal is aborted. How many work at a time is for
 * the caller to bound.
 * @param late what is thrown where it takes too long
 * @throws the reason of the signal; Error where the process ends
 */
export async function askImageProcess(
  task: ImageTask,
  original: Uint8Array,
  { signal, late }: { readonly signal: AbortSignal; late(): Error },
): Promise<ImageAnswer> {
  signal.throwIfAborted()
  const one = idleProcess() ?? imageProcess()
  try {
    const answer = await withinTime(one.ask(task, original), { signal, milliseconds: longestMs, late })
    idle.set(one, setTimeout(end, idleMs, one).unref())
    return answer
  } catch (error) {
    end(one)
    throw error
  }
}

/** Ends those that have nothing to do, and waits until all that were ended are gone. The next image starts one anew. */
export async function endIdleImageProcesses(): Promise<void> {
  for (const one of idle.keys()) end(one)
  await Promise.all(ending)
}

function idleProcess(): ImageProcess | undefined {
  for (const [one, alarm] of idle) {
    clearTimeout(alarm)
    idle.delete(one)
    if (!one.hasEnded) return one
  }
  return undefined
}

function end(one: ImageProcess): void {
  clearTimeout(idle.get(one))
  idle.delete(one)
  const gone = one.end().finally(() => ending.delete(gone))
  ending.add(gone)
}
