import { performance } from 'node:perf_hooks'
import { FairQueue } from '../../concurrency/fair-queue.ts'
import { Semaphore } from '../../concurrency/semaphore.ts'
import type { PageRange } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { statementsRun } from '../../telemetry/channels.ts'
import { observeRun } from '../../telemetry/observe-run.ts'
import { ChunkSize } from '../reader/chunk-size.ts'
import { inPlanOrder, listedItemsOf } from '../reader/item-rows.ts'
import type { ListQuery } from '../sql/list-query.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreOverloaded, StoreTimeout } from '../store-failures.ts'
import type { AccessPath } from './access-path.ts'
import { mainThreadScans } from './main-thread-scans.ts'
import type { ConnectionFactory } from './open-database-file.ts'
import { defaultScanLimits, maxOpenLists, type ScanLimits } from './scan-limits.ts'
import {
  isScanWorkerMissing,
  type ScanRequest,
  type ScanThread,
  StatementStopped,
  scanAborted,
  scanThread,
} from './scan-thread.ts'

/**
 * Runs long reads in worker threads. Clients take turns by the time that their reads take, so that
 * a short one does not wait for all long ones of another client. A read is aborted when its caller
 * leaves.
 */
export interface ScanPool {
  /**
   * @throws StoreOverloaded, StoreTimeout, and TooManyBytes where the statement returns more than
   * `maxBytes` of text
   */
  rows(statement: Statement, call: StoreCall | undefined, maxBytes?: number): Promise<Row[]>
  /** All items of the page range, in batches that are read only when asked for. */
  list(
    query: ListQuery<AccessPath>,
    pageRange: PageRange,
    call: StoreCall | undefined,
  ): AsyncGenerator<readonly StoredItem[]>
  /** How many reads wait for a thread. */
  waitingCount(): number
  close(): Promise<void>
}

interface Task {
  readonly client: string
  readonly request: ScanRequest
  readonly timer: NodeJS.Timeout | undefined
  readonly onStart: TaskOptions['onStart']
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** A thread with the tasks that only it can run, because it has the temporary table. */
interface PoolThread {
  readonly thread: ScanThread
  readonly ownQueue: Task[]
  runningTask: Task | undefined
}

/** Larger than on the main thread: a message costs more than a turn of the event loop. */
const batchSize = 512

/**
 * Starts threads when they are needed. They keep the process alive only while a caller waits.
 * @param openReader for scans on the main thread, where a bundler has left out the worker
 */
export function scanPool(
  file: string,
  { driverSpecifier, openReader }: Pick<ConnectionFactory, 'driverSpecifier' | 'openReader'>,
  limits: ScanLimits = defaultScanLimits,
): ScanPool {
  const poolThreads = new Set<PoolThread>()
  const waiting = new FairQueue<Task>()
  const openLists = new Semaphore(maxOpenLists)
  let isClosed = false
  let lastListNumber = 0

  const start = (): PoolThread => {
    const poolThread: PoolThread = {
      ownQueue: [],
      runningTask: undefined,
      thread: isScanWorkerMissing()
        ? mainThreadScans(openReader, limits.timeoutMs)
        : scanThread(file, driverSpecifier, (cause) => {
            poolThreads.delete(poolThread)
            for (const task of poolThread.ownQueue.splice(0)) task.reject(scanAborted(cause))
            next()
          }),
    }
    poolThreads.add(poolThread)
    return poolThread
  }

  const next = (): void => {
    for (const poolThread of poolThreads) {
      if (poolThread.runningTask) continue
      const task = poolThread.ownQueue.shift() ?? waiting.shift()
      if (task) run(poolThread, task)
    }
    while (waiting.length > 0 && poolThreads.size < limits.maxThreads && !isClosed)
      run(start(), waiting.shift()!)
  }

  const run = (poolThread: PoolThread, task: Task): void => {
    poolThread.runningTask = task
    const startedAt = performance.now()
    task.timer?.refresh()
    task.onStart?.(poolThread)
    poolThread.thread
      .run(task.request)
      .then(task.resolve, (error: unknown) =>
        task.reject(error instanceof StatementStopped ? scanAborted(error) : error),
      )
      .finally(() => {
        poolThread.runningTask = undefined
        waiting.charge(task.client, performance.now() - startedAt)
        next()
      })
  }

  const isRunning = (task: Task): boolean =>
    Array.from(poolThreads).some(({ runningTask }) => runningTask === task)

  /** Removes a queued task, or aborts a running one. */
  const drop = (task: Task): void => {
    waiting.delete(task.client, task)
    for (const { ownQueue, runningTask, thread } of poolThreads) {
      const index = ownQueue.indexOf(task)
      if (index >= 0) ownQueue.splice(index, 1)
      if (runningTask === task) thread.stop()
    }
  }

  const enqueue = (
    request: ScanRequest,
    { call, poolThread, onStart }: TaskOptions,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isClosed || (poolThread && !poolThreads.has(poolThread))) return reject(scanAborted())
      const signal = call?.signal
      if (signal?.aborted) return reject(signal.reason)
      if (!poolThread && waiting.length >= limits.maxWaiting) return reject(overloaded())
      const settling =
        <V>(settle: (value: V) => void) =>
        (value: V): void => {
          clearTimeout(task.timer)
          signal?.removeEventListener('abort', onAbort)
          settle(value)
        }
      const onAbort = (): void => {
        task.reject(signal?.reason)
        drop(task)
      }
      const onTimeout = (): void => {
        task.reject(isRunning(task) ? new StoreTimeout(limits.timeoutMs) : overloaded())
        drop(task)
      }
      const task: Task = {
        // Reads without a request queue as one client.
        client: call?.client ?? '',
        request,
        onStart,
        // Dropping a temporary table has no caller, so it needs no timeout.
        timer: request.kind === 'end' ? undefined : setTimeout(onTimeout, limits.timeoutMs).unref(),
        resolve: settling(resolve),
        reject: settling(reject),
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      if (poolThread) poolThread.ownQueue.push(task)
      else waiting.push(task.client, task)
      next()
    })

  const rows = (statement: Statement, maxBytes: number, options: TaskOptions): Promise<Row[]> => {
    const run = () => enqueue({ kind: 'rows', statement, maxBytes }, options) as Promise<Row[]>
    return statementsRun.hasSubscribers ? observeRun('sqlite', [statement.sql], run) : run()
  }

  return {
    rows: (statement, call, maxBytes = Number.POSITIVE_INFINITY) =>
      rows(statement, maxBytes, { call }),

    async *list(query, pageRange, call) {
      if (openLists.queueLength >= limits.maxWaiting) throw overloaded()
      const release = await openLists.acquire({
        waiter: call,
        timeoutMs: limits.timeoutMs,
        timeoutError: overloaded,
      })
      const list = ++lastListNumber
      const name = `temp."list ${list}"`
      let listThread: PoolThread | undefined
      const onStart = (poolThread: PoolThread): void => {
        listThread = poolThread
      }
      try {
        const ids = query.ids()
        const begin = () =>
          enqueue({ kind: 'begin', list, ids }, { call, onStart }) as Promise<number>
        const count = await (statementsRun.hasSubscribers
          ? observeRun('sqlite', [ids.sql], begin)
          : begin())
        const size = new ChunkSize(batchSize)
        for (let start = 0, end = 0; start < count; start = end) {
          // The ids before a position are listed backwards from it.
          const isReverse = pageRange.kind === 'before'
          const batch = await size.next((maxCount, maxBytes) => {
            end = Math.min(start + maxCount, count)
            const statement = isReverse
              ? query.byListRange(name, count - end, count - start)
              : query.byListRange(name, start, end)
            return rows(statement, maxBytes, { call, poolThread: listThread })
          })
          if (batch.length > 0) yield listedItemsOf(query.table, inPlanOrder(pageRange, batch))
        }
      } finally {
        release()
        if (listThread)
          void enqueue({ kind: 'end', list }, { call: undefined, poolThread: listThread }).catch(
            () => undefined,
          )
      }
    },

    waitingCount: () => waiting.length,

    async close() {
      isClosed = true
      for (let task = waiting.shift(); task; task = waiting.shift()) task.reject(scanAborted())
      const closing = [...poolThreads]
      poolThreads.clear()
      for (const { ownQueue, runningTask } of closing)
        for (const task of [...ownQueue.splice(0), runningTask]) task?.reject(scanAborted())
      await Promise.all(closing.map(({ thread }) => thread.close()))
    },
  }
}

interface TaskOptions {
  readonly call: StoreCall | undefined
  /** The thread that must run the task; any thread by default. */
  readonly poolThread?: PoolThread | undefined
  /** Called with the thread that runs the task. */
  onStart?(poolThread: PoolThread): void
}

function overloaded(): Error {
  return new StoreOverloaded('Too many scans of the SQLite file are queued.')
}
