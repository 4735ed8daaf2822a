import { type ChildProcess, fork } from 'node:child_process'
import type { ImageResult, ImageTask } from './image-task.ts'

/** One process that reads images, one at a time. */
export interface ImageProcess {
  readonly hasEnded: boolean
  /** @throws Error where the process ends before it answers */
  run(task: ImageTask, original: Uint8Array): Promise<ImageResult>
  /** Ends it, whatever it is doing, and waits until it is gone. */
  kill(): Promise<void>
}

/** What is sent at a time, so that the event loop does not wait until a large image is copied. */
const chunkBytes = 1_048_576

/**
 * Starts a process. libvips cannot be told to stop, an encoder of AVIF for seconds, and a thread
 * cannot be ended within it: a process can. It keeps the service alive only while it works, and
 * ends when the service does.
 */
export function startImageProcess(): ImageProcess {
  const child = fork(new URL('./image-worker.js', import.meta.url), {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let hasEnded = false
  const ended = new Promise<never>((_, reject) => {
    const end = (cause: unknown): void => {
      hasEnded = true
      reject(new Error('The process that reads images has ended.', { cause }))
    }
    child.once('error', end)
    child.once('exit', (code, signal) =>
      end(new Error(signal ?? `It ended with the code ${code}.`)),
    )
  })
  ended.catch(() => {})
  const ready = nextMessage<{ isReady: true }>(child, 'isReady')
  setKeepAlive(child, false)

  const send = (message: object): Promise<unknown> =>
    new Promise((resolve, reject) =>
      child.send(message, (error) => (error ? reject(error) : resolve(undefined))),
    )

  const exchange = async (task: ImageTask, original: Uint8Array): Promise<ImageResult> => {
    await ready
    for (let start = 0; start < original.length; start += chunkBytes)
      await send({ part: original.subarray(start, start + chunkBytes) })
    const answered = nextMessage<{ answer: ImageResult }>(child, 'answer')
    await send({ task })
    return (await answered).answer
  }

  return {
    get hasEnded() {
      return hasEnded
    },
    async run(task, original) {
      setKeepAlive(child, true)
      try {
        // What cannot be sent was not, for the process has ended: it is told so.
        const exchanged = exchange(task, original).catch(() => ended)
        return await Promise.race([exchanged, ended])
      } finally {
        if (!hasEnded) setKeepAlive(child, false)
      }
    },
    async kill() {
      hasEnded = true
      // A service that closes would else end here, with its store still open.
      setKeepAlive(child, true)
      child.kill('SIGKILL')
      await ended.catch(() => {})
    },
  }
}

/** The next message of a kind. What others have loaded into the process may send their own. */
function nextMessage<T extends object>(child: ChildProcess, kind: keyof T): Promise<T> {
  return new Promise((resolve) => {
    child.on('message', function look(message) {
      if (typeof message !== 'object' || message === null || !(kind in message)) return
      child.off('message', look)
      resolve(message as T)
    })
  })
}

function setKeepAlive(child: ChildProcess, does: boolean): void {
  if (does) child.ref()
  else child.unref()
  if (does) child.channel?.ref()
  else child.channel?.unref()
}
