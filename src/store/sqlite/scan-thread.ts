import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../store.ts'
import { TooManyBytes } from './connection.ts'
import type { Statement } from './statement-cache.ts'

/** What a thread is asked, in the terms of `scan-worker.js`. */
export type ScanRequest =
  | { readonly kind: 'rows'; readonly statement: Statement; readonly maxBytes: number }
  | { readonly kind: 'begin'; readonly list: number; readonly ids: Statement }
  | { readonly kind: 'end'; readonly list: number }

/** One thread that answers one request at a time. */
export interface ScanThread {
  /** @throws StatementStopped after `stop` */
  run(request: ScanRequest): Promise<unknown>
  /**
   * Breaks off what is being answered, where the statement next looks at a row; at once, and by
   * force, where it does not for too long.
   */
  stop(): void
  /** Ends the thread once the statement that it runs is broken off. */
  close(): Promise<void>
}

/** The statement was broken off because nobody waits for it. */
export class StatementStopped extends Error {
  override readonly name = 'StatementStopped'
}

interface ScanResponse {
  readonly result?: unknown
  readonly error?: {
    readonly message: string
    readonly errcode?: number
    readonly isStopped?: boolean
    readonly isTooLarge?: boolean
  }
}

interface PendingRequest {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * How long a statement that is to stop may go on sorting what it has found, before its thread is
 * ended.
 */
const stopTimeoutMs = 5_000
/**
 * How long the process waits at its end for a thread to leave the native code, which must not be
 * ended from outside.
 */
const exitTimeoutMs = 2_000

/** Where in the shared memory it stands whether to stop, and whether the thread is at work. */
const sharedIndexes = { stop: 0, busy: 1 } as const

/**
 * Starts a thread. It keeps the process alive only while it answers.
 * @param ended called once when it ends of itself
 */
export function scanThread(
  file: string,
  driver: string,
  ended: (cause: unknown) => void,
): ScanThread {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const execArgv = driver === 'node:sqlite' ? ['--disable-warning=ExperimentalWarning'] : []
  const workerData = { file, driver, shared }
  const worker = new Worker(new URL('./scan-worker.js', import.meta.url), { workerData, execArgv })
  worker.unref()
  let waiting: PendingRequest | undefined
  let force: NodeJS.Timeout | undefined
  let isClosing = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))

  const settle = (): PendingRequest | undefined => {
    const one = waiting
    waiting = undefined
    clearTimeout(force)
    force = undefined
    if (!isClosing) worker.unref()
    return one
  }

  worker.on('message', ({ result, error }: ScanResponse) => {
    const one = settle()
    if (!error) one?.resolve(result)
    else if (error.isTooLarge) one?.reject(new TooManyBytes(error.message))
    else if (error.isStopped) one?.reject(new StatementStopped(error.message))
    else one?.reject(Object.assign(new Error(error.message), { errcode: error.errcode }))
  })
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`The scan worker ended with the code ${code}.`)))
  process.on('exit', leave)

  return {
    run: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        Atomics.store(shared, sharedIndexes.stop, 0)
        Atomics.store(shared, sharedIndexes.busy, 1)
        worker.ref()
        worker.postMessage(request)
      }),
    stop,
    async close() {
      isClosing = true
      stop()
      worker.postMessage({ kind: 'close' })
      worker.ref()
      await exited
    },
  }

  function stop(): void {
    Atomics.store(shared, sharedIndexes.stop, 1)
    if (waiting) force ??= setTimeout(() => void worker.terminate(), stopTimeoutMs).unref()
  }

  function fail(cause: unknown): void {
    process.off('exit', leave)
    const one = settle()
    one?.reject(new StoreUnavailable('The scan of the SQLite file was broken off.', { cause }))
    if (!isClosing) ended(cause)
    isClosing = true
  }

  /**
   * A thread that the end of the process catches within native code brings it down with SIGABRT.
   */
  function leave(): void {
    Atomics.store(shared, sharedIndexes.stop, 1)
    if (Atomics.load(shared, sharedIndexes.busy) === 1)
      Atomics.wait(shared, sharedIndexes.busy, 1, exitTimeoutMs)
  }
}
