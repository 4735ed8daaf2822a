import { type ChildProcess, fork } from 'node:child_process'
import { bundlingAdvice, findPackageFile } from '../../bundle/package-files.ts'
import type { ImageResult, ImageTask } from './image-task.ts'

/** A process that reads images, one at a time. */
export interface ImageProcess {
  readonly hasEnded: boolean
  /** @throws Error if the process ends before it has finished */
  run(task: ImageTask, original: Uint8Array): Promise<ImageResult>
  /** Ends the process, and waits until it is gone. */
  kill(): Promise<void>
}

/** Sent at a time, so that the event loop does not wait while a large image is copied. */
const chunkBytes = 1_048_576

/**
 * Starts a process. libvips cannot be told to stop, its AVIF encoder runs for seconds, and a thread
 * cannot be ended within that time; a process can. It keeps the service alive only while it works,
 * and ends with the service.
 */
export function startImageProcess(): ImageProcess {
  if (!findPackageFile('./image-worker.js', import.meta.url))
    throw new Error(`The file 'image-worker.js' of resourcery is missing. ${bundlingAdvice}`)
  const child = fork(new URL('./image-worker.js', import.meta.url), {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let hasEnded = false
  const ended = new Promise<never>((_, reject) => {
    const onEnd = (cause: unknown): void => {
      hasEnded = true
      reject(new Error('The image process has ended.', { cause }))
    }
    child.once('error', onEnd)
    child.once('exit', (code, signal) => onEnd(new Error(signal ?? `It exited with code ${code}.`)))
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
      await send({ chunk: original.subarray(start, start + chunkBytes) })
    const reply = nextMessage<{ result: ImageResult }>(child, 'result')
    await send({ task })
    return (await reply).result
  }

  return {
    get hasEnded() {
      return hasEnded
    },
    async run(task, original) {
      setKeepAlive(child, true)
      try {
        // A message that could not be sent means that the process has ended.
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

/** The next message of a kind. Modules that others preload into the process may send their own. */
function nextMessage<T extends object>(child: ChildProcess, kind: keyof T): Promise<T> {
  return new Promise((resolve) => {
    child.on('message', function look(message) {
      if (typeof message !== 'object' || message === null || !(kind in message)) return
      child.off('message', look)
      resolve(message as T)
    })
  })
}

function setKeepAlive(child: ChildProcess, isAlive: boolean): void {
  if (isAlive) child.ref()
  else child.unref()
  if (isAlive) child.channel?.ref()
  else child.channel?.unref()
}
