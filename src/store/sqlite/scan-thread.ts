import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { findPackageFile } from '../../bundle/package-files.ts'
import { lazy } from '../../cache/lazy.ts'
import { TooManyBytes } from '../reader/chunk-size.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { StoreUnavailable } from '../store-failures.ts'
import {
  awaitAtExit,
  forgetAtExit,
  markBusy,
  newThreadFlags,
  stopStatement,
} from './thread-flags.ts'

/** A request to a thread; `scan-worker.js` has the same names. */
export type ScanRequest =
  | { readonly kind: 'rows'; readonly statement: Statement; readonly maxBytes: number }
  | { readonly kind: 'begin'; readonly list: number; readonly ids: Statement }
  | { readonly kind: 'end'; readonly list: number }

/** A thread that handles one request at a time. */
export interface ScanThread {
  /** @throws StatementStopped after `stop` */
  run(request: ScanRequest): Promise<unknown>
  /** Aborts the running statement at the next row. */
  stop(): void
  /**
   * Ends the thread after aborting its statement. A thread that stays in native code for longer
   * ends by itself afterwards.
   */
  close(): Promise<void>
}

export function scanAborted(cause?: unknown): Error {
  return new StoreUnavailable('The scan of the SQLite file was aborted.', { cause })
}

/** The statement was aborted because its caller left. */
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

/** Have the sources been bundled without the file of the worker? */
export const isScanWorkerMissing: () => boolean = lazy(
  () => findPackageFile('./scan-worker.js', import.meta.url) === undefined,
)

/**
 * How long a closing thread may go on sorting. It is not terminated after that: the process would
 * be killed by SIGABRT when the native code returns.
 */
const defaultCloseTimeoutMs = 5_000

/**
 * Starts a thread. It keeps the process alive only while it handles a request.
 * @param onEnd called once when the thread ends by itself
 * @param closeTimeoutMs how long `close` waits for native code to return
 */
export function scanThread(
  file: string,
  driver: string,
  onEnd: (cause: unknown) => void,
  closeTimeoutMs: number = defaultCloseTimeoutMs,
): ScanThread {
  const flags = newThreadFlags()
  const execArgv = driver === 'node:sqlite' ? ['--disable-warning=ExperimentalWarning'] : []
  const workerData = { file, driver, shared: flags }
  const worker = new Worker(new URL('./scan-worker.js', import.meta.url), { workerData, execArgv })
  worker.unref()
  let pending: PendingRequest | undefined
  let isClosing = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))

  const settle = (): PendingRequest | undefined => {
    const settled = pending
    pending = undefined
    if (!isClosing) worker.unref()
    return settled
  }

  worker.on('message', ({ result, error }: ScanResponse) => {
    const request = settle()
    if (!error) request?.resolve(result)
    else if (error.isTooLarge) request?.reject(new TooManyBytes(error.message))
    else if (error.isStopped) request?.reject(new StatementStopped(error.message))
    else request?.reject(Object.assign(new Error(error.message), { errcode: error.errcode }))
  })
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`The scan worker ended with the code ${code}.`)))
  awaitAtExit(flags)

  return {
    run: (request) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject }
        markBusy(flags)
        worker.ref()
        worker.postMessage(request)
      }),
    stop: () => stopStatement(flags),
    async close() {
      isClosing = true
      stopStatement(flags)
      worker.postMessage({ kind: 'close' })
      worker.ref()
      const abandoning = new AbortController()
      await Promise.race([
        exited,
        wait(closeTimeoutMs, undefined, abandoning).catch(() => undefined),
      ])
      abandoning.abort()
      worker.unref()
    },
  }

  function fail(cause: unknown): void {
    forgetAtExit(flags)
    const request = settle()
    request?.reject(scanAborted(cause))
    if (!isClosing) onEnd(cause)
    isClosing = true
  }
}
