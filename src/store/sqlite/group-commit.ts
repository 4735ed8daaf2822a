import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { type Caller, StoreOverloaded, StoreUnavailable } from '../store.ts'
import type { Connection } from './connection.ts'
import type { LargeCommits } from './large-commits.ts'
import { isBusy, toStoreError } from './sqlite-error.ts'

/** Runs works in transactions, one after the other, many to a commit. */
export interface GroupCommit {
  /**
   * Settles once the work's transaction has been committed, or undone. Where its caller has left by
   * the time it would begin, it is not run.
   */
  run<T>(work: () => Promise<T>, caller?: Caller): Promise<T>
  /** Waits until nothing is left to do. */
  idle(): Promise<void>
}

interface QueuedTransaction {
  readonly caller: Caller | undefined
  readonly queuedAt: number
  work(): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

const maxGroupSize = 500
/** Each holds what a client sent. */
export const mostWaitingWrites = 1_000
/** A group that has run for so long is committed, so that reads get their turn. */
const maxGroupMs = 20
/** One that has run for so long has changed much: its commit is prepared off the main thread. */
const largeGroupMs = 50
const maxBusyWaitMs = 5_000
/**
 * Before that a caller is not asked whether it is still there: few leave so soon, and asking costs
 * more than most works.
 */
const abortCheckAfterMs = 50

/**
 * All works that wait when a group begins share one BEGIN IMMEDIATE and one COMMIT, and one that
 * throws is undone alone. The price of a durable commit is so paid once for many. The first needs
 * no savepoint: where it throws, the whole transaction is undone. SQLite does that at once, however
 * much was changed, while it writes everything that was there before anew to go back to a
 * savepoint.
 * @param large what is done about commits of much, where they are not to hold up the event loop
 */
export function groupCommit(connection: Connection, large?: LargeCommits): GroupCommit {
  const queue: QueuedTransaction[] = []
  let running: Promise<void> | undefined

  const execute = (sql: string): void => void connection.prepare(sql).run([])

  const runAll = async (): Promise<void> => {
    while (queue.length > 0) {
      // Whoever else writes in this turn of the event loop comes along.
      await setImmediate()
      await runGroup(queue.splice(0, maxGroupSize))
    }
    running = undefined
  }

  const runGroup = async (group: readonly QueuedTransaction[]): Promise<void> => {
    const started: QueuedTransaction[] = []
    const settle: (() => void)[] = []
    // Has a work been done that has to be kept if a later one throws?
    let isShared = false
    try {
      await begin(execute)
      const since = performance.now()
      for (const [index, job] of group.entries()) {
        if (index > 0 && (job.caller?.mayChangeMany || performance.now() - since > maxGroupMs))
          break
        started.push(job)
        if (isAborted(job)) {
          settle.push(() => job.reject(job.caller!.signal.reason))
          continue
        }
        if (isShared) {
          settle.push(await runInSavepoint(job, execute))
          continue
        }
        const outcome = await runFirst(job)
        settle.push(outcome.settle)
        isShared = outcome.hasSucceeded
        if (!isShared) break
      }
      const isLarge = performance.now() - since > largeGroupMs
      if (isShared) {
        if (isLarge) await large?.prepare()
        try {
          execute('commit')
        } finally {
          if (isLarge) large?.finish()
        }
      } else {
        rollback(execute)
        if (isLarge) await large?.flush()
      }
      for (const one of settle) one()
    } catch (error) {
      rollback(execute)
      const failure = toStoreError(error)
      for (const job of started.length > 0 ? started : group) job.reject(failure)
      if (started.length === 0) return
    }
    queue.unshift(...group.slice(started.length))
  }

  return {
    run: (work, caller) =>
      new Promise((resolve, reject) => {
        if (queue.length >= mostWaitingWrites)
          return reject(new StoreOverloaded('Too many writes wait for the SQLite file already.'))
        queue.push({
          work,
          caller,
          queuedAt: performance.now(),
          resolve: resolve as (value: unknown) => void,
          reject,
        })
        running ??= runAll()
      }),
    async idle() {
      while (running) await running
      await large?.idle()
    },
  }
}

function isAborted({ caller, queuedAt }: QueuedTransaction): boolean {
  return (
    caller !== undefined &&
    performance.now() - queuedAt > abortCheckAfterMs &&
    caller.signal.aborted
  )
}

/** Runs the work that the transaction was begun for. */
async function runFirst(
  job: QueuedTransaction,
): Promise<{ readonly hasSucceeded: boolean; settle(): void }> {
  try {
    const value = await job.work()
    return { hasSucceeded: true, settle: () => job.resolve(value) }
  } catch (error) {
    return { hasSucceeded: false, settle: () => job.reject(toStoreError(error)) }
  }
}

/**
 * Runs the work inside a savepoint and returns how to tell its caller after the commit. Throws only
 * when the whole transaction is lost, as on a full disk.
 */
async function runInSavepoint(
  job: QueuedTransaction,
  execute: (sql: string) => void,
): Promise<() => void> {
  execute('savepoint work')
  try {
    const value = await job.work()
    execute('release work')
    return () => job.resolve(value)
  } catch (error) {
    rollbackToSavepoint(execute, error)
    return () => job.reject(toStoreError(error))
  }
}

function rollbackToSavepoint(execute: (sql: string) => void, cause: unknown): void {
  try {
    execute('rollback to work')
    execute('release work')
  } catch {
    // After some errors SQLite has undone the whole transaction by itself.
    throw new StoreUnavailable('The transaction was broken off, with all works in it.', { cause })
  }
}

/** Waits for other processes without holding up this one. */
async function begin(execute: (sql: string) => void): Promise<void> {
  const since = performance.now()
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    try {
      return execute('begin immediate')
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - since > maxBusyWaitMs) {
        throw new StoreUnavailable('Another process is writing to the SQLite file for too long.', {
          cause: error,
        })
      }
    }
    await setTimeout(pause * (0.5 + Math.random()))
  }
}

function rollback(execute: (sql: string) => void): void {
  try {
    execute('rollback')
  } catch {
    // SQLite has undone it by itself.
  }
}
