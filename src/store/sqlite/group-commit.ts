import { AsyncResource } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { FairQueue } from '../../concurrency/fair-queue.ts'
import { groupCommitted, statementsRun } from '../../telemetry/channels.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreOverloaded, StoreUnavailable } from '../store-failures.ts'
import type { Connection } from './connection.ts'
import type { LargeCommits } from './large-commits.ts'
import { isBusy, toStoreError } from './sqlite-error.ts'
import { UndoLog } from './undo-log.ts'

/**
 * Runs transactions one after the other, and commits many of them together. Clients take turns by
 * the time that their transactions take.
 */
export interface GroupCommit {
  /**
   * Settles once the transaction is committed or rolled back. Does not run the work if its caller
   * has left before it begins.
   */
  run<T>(work: () => Promise<T>, call?: StoreCall): Promise<T>
  /** The same with a commit that no other transaction shares. */
  runAlone<T>(work: () => Promise<T>, call?: StoreCall): Promise<T>
  /**
   * The same for one of many batches of a start. The thread that prepares a large commit would cost
   * each of them more than its work.
   */
  runBatch<T>(work: () => Promise<T>): Promise<T>
  /**
   * The same for work that logs how to undo each of its changes. It gets no log where the whole
   * group is rolled back instead.
   */
  runUndoable<T>(work: (log: UndoLog | undefined) => Promise<T>, call?: StoreCall): Promise<T>
  /** Waits until the queue is empty. */
  idle(): Promise<void>
  /** How many transactions wait. */
  waitingCount(): number
}

export interface GroupCommitOptions {
  /** Moves the work of large commits off the event loop. */
  readonly large?: LargeCommits
  /** Called when a group has the lock of the file, before its first transaction. */
  readonly onBegin?: () => void
  /** Called before a group commits, for what its transactions have left to do. */
  readonly beforeCommit?: () => void
}

interface QueuedTransaction {
  readonly call: StoreCall | undefined
  readonly queuedAt: number
  readonly kind: TransactionKind
  work(log?: UndoLog): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** How a transaction is undone within a group, or that it has a group of its own. */
type TransactionKind = 'rolledBack' | 'undoable' | 'alone' | 'batch'

const maxGroupSize = 500
/** Each holds the payload of a request in memory. */
export const maxWaitingWrites = 1_000
/** A group commits after so long, so that reads get a turn. */
const maxGroupMs = 20
/** A group that ran for so long changed much: its commit is prepared outside the main thread. */
const largeGroupMs = 50
const maxBusyWaitMs = 5_000
/**
 * The caller's signal is not read before: few callers leave so soon, and creating the signal costs
 * more than most transactions.
 */
const abortCheckAfterMs = 50

/**
 * All queued transactions share one BEGIN IMMEDIATE and one COMMIT, so a durable commit is paid
 * once for many; one that throws is undone alone, by its log or by a savepoint. The first needs
 * neither: where it throws, the whole transaction is rolled back. SQLite does that at once, while a
 * rollback to a savepoint rewrites every changed page.
 */
export function groupCommit(
  connection: Connection,
  { large, onBegin, beforeCommit }: GroupCommitOptions = {},
): GroupCommit {
  const queue = new FairQueue<QueuedTransaction>()
  let running: Promise<void> | undefined

  const execute = (sql: string): void => void connection.prepare(sql).run([])

  const runAll = async (): Promise<void> => {
    while (queue.length > 0) {
      // Other writes of this turn of the event loop join the group.
      await setImmediate()
      await large?.beforeBegin()
      await runGroup()
    }
    running = undefined
  }

  const runGroup = async (): Promise<void> => {
    const started: QueuedTransaction[] = []
    const settleAll: (() => void)[] = []
    // Has a transaction succeeded that must survive when a later one throws?
    let isShared = false
    try {
      await begin(execute)
      onBegin?.()
      const startedAt = performance.now()
      let chargedAt = startedAt
      while (started.length < maxGroupSize) {
        const queued = queue.peek()
        if (!queued) break
        if (
          started.length > 0 &&
          // It may be made by code that waits for the commit of this group.
          (queued.queuedAt >= startedAt ||
            queued.call?.mayChangeMany ||
            isAlone(queued) ||
            isAlone(started[0]!) ||
            performance.now() - startedAt > maxGroupMs)
        )
          break
        queue.shift()
        started.push(queued)
        if (isAborted(queued)) {
          settleAll.push(() => queued.reject(queued.call!.signal.reason))
          continue
        }
        const charge = (): void => {
          const now = performance.now()
          queue.charge(clientOf(queued), now - chargedAt)
          chargedAt = now
        }
        if (isShared) {
          settleAll.push(await runUndoable(queued, connection, execute))
          charge()
          continue
        }
        const outcome = await runFirst(queued)
        charge()
        settleAll.push(outcome.settle)
        isShared = outcome.hasSucceeded
        if (!isShared) break
        // Outside a transaction, the changes of the next one would be committed one by one.
        refuseLostTransaction(connection, undefined)
      }
      if (isShared) beforeCommit?.()
      const isLarge = started[0]?.kind !== 'batch' && performance.now() - startedAt > largeGroupMs
      if (isShared) {
        if (isLarge) await large?.prepare()
        try {
          execute('commit')
          if (groupCommitted.hasSubscribers)
            groupCommitted.publish({
              transactions: started.length,
              lockMs: performance.now() - startedAt,
            })
        } finally {
          if (isLarge) large?.finish()
        }
      } else {
        rollback(execute)
        if (isLarge) await large?.flush()
      }
      for (const settle of settleAll) settle()
    } catch (error) {
      rollback(execute)
      const failure = toStoreError(error)
      if (started.length === 0) started.push(...waitingWrites())
      for (const queued of started) queued.reject(failure)
    }
  }

  /** Those that wait for the lock of the file. */
  const waitingWrites = (): readonly QueuedTransaction[] =>
    Array.from({ length: Math.min(queue.length, maxGroupSize) }, () => queue.shift()!)

  const enqueue = <T>(
    work: (log?: UndoLog) => Promise<T>,
    kind: TransactionKind,
    call: StoreCall | undefined,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      if (queue.length >= maxWaitingWrites)
        return reject(new StoreOverloaded('Too many writes are queued for the SQLite file.'))
      const queued: QueuedTransaction = {
        // Else its statements would belong to the request that began the group.
        work: statementsRun.hasSubscribers ? AsyncResource.bind(work) : work,
        kind,
        call,
        queuedAt: performance.now(),
        resolve: resolve as (value: unknown) => void,
        reject,
      }
      queue.push(clientOf(queued), queued)
      running ??= runAll()
    })

  return {
    run: (work, call) => enqueue(work, 'rolledBack', call),
    runAlone: (work, call) => enqueue(work, 'alone', call),
    runBatch: (work) => enqueue(work, 'batch', undefined),
    runUndoable: (work, call) => enqueue(work, 'undoable', call),
    async idle() {
      while (running) await running
      await large?.idle()
    },
    waitingCount: () => queue.length,
  }
}

function isAlone({ kind }: QueuedTransaction): boolean {
  return kind === 'alone' || kind === 'batch'
}

/** Work that no request asks for has one place in the turns. */
function clientOf({ call }: QueuedTransaction): string {
  return call?.client ?? ''
}

function isAborted({ call, queuedAt }: QueuedTransaction): boolean {
  return (
    call !== undefined &&
    call.isAborted !== false &&
    performance.now() - queuedAt > abortCheckAfterMs &&
    call.signal.aborted
  )
}

/** Runs the first transaction of a group, without a savepoint. */
async function runFirst(
  queued: QueuedTransaction,
): Promise<{ readonly hasSucceeded: boolean; settle(): void }> {
  try {
    const value = await queued.work()
    return { hasSucceeded: true, settle: () => queued.resolve(value) }
  } catch (error) {
    return { hasSucceeded: false, settle: () => queued.reject(toStoreError(error)) }
  }
}

/**
 * Runs the work so that it can be undone alone, and returns a function that settles its promise
 * after the commit. Throws only when SQLite rolled back the whole transaction, as on a full disk.
 */
async function runUndoable(
  queued: QueuedTransaction,
  connection: Connection,
  execute: (sql: string) => void,
): Promise<() => void> {
  const log = new UndoLog(execute)
  if (queued.kind !== 'undoable') log.setSavepoint()
  try {
    const value = await queued.work(log)
    refuseLostTransaction(connection, undefined)
    log.keep()
    return () => queued.resolve(value)
  } catch (error) {
    // Outside a transaction each step would be committed by itself.
    refuseLostTransaction(connection, error)
    try {
      log.undo()
    } catch (cause) {
      throw new StoreUnavailable('A transaction could not be undone.', { cause })
    }
    return () => queued.reject(toStoreError(error))
  }
}

/** After some errors SQLite rolls back the whole transaction by itself. */
function refuseLostTransaction(connection: Connection, cause: unknown): void {
  if (!connection.isInTransaction)
    throw new StoreUnavailable('SQLite rolled back the whole transaction.', { cause })
}

/** Waits for the lock of another process without blocking the event loop. */
async function begin(execute: (sql: string) => void): Promise<void> {
  const startedAt = performance.now()
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    try {
      return execute('begin immediate')
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - startedAt > maxBusyWaitMs) {
        throw new StoreUnavailable(
          `Another process has locked the SQLite file for more than ${maxBusyWaitMs} ms.`,
          {
            cause: error,
          },
        )
      }
    }
    await setTimeout(pause * (0.5 + Math.random()))
  }
}

function rollback(execute: (sql: string) => void): void {
  try {
    execute('rollback')
  } catch {
    // SQLite has rolled it back by itself.
  }
}
