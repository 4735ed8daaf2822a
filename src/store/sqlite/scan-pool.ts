import type { PageRange } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { type Caller, StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store.ts'
import { ChunkSize } from './chunk-size.ts'
import type { ListQuery } from './list-query.ts'
import { listedItemsOf, type Row } from './rows.ts'
import { defaultScanLimits, type ScanLimits } from './scan-limits.ts'
import { type ScanRequest, type ScanThread, StatementStopped, scanThread } from './scan-thread.ts'
import type { Statement } from './statement-cache.ts'

/**
 * Reads in threads of their own, so that what takes long holds up nobody. What its caller leaves is
 * given up.
 */
export interface ScanPool {
  /**
   * @throws StoreOverloaded, StoreTimeout, and TooManyBytes where the texts that the statement
   * gives come to more than `maxBytes`
   */
  rows(statement: Statement, caller: Caller | undefined, maxBytes?: number): Promise<Row[]>
  /** The whole window, however long, batch by batch as they are asked for. */
  list(
    question: ListQuery,
    window: PageRange,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]>
  close(): Promise<void>
}

interface Task {
  readonly request: ScanRequest
  readonly timer: NodeJS.Timeout | undefined
  readonly onStart: TaskOptions['onStart']
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** A thread, and what only it can answer, because it holds the list. */
interface PoolThread {
  readonly thread: ScanThread
  readonly ownQueue: Task[]
  runningTask: Task | undefined
}

/** Larger than on the main thread: a message costs more than a turn of the event loop. */
const batchSize = 512
/** Lists whose order is written down in a thread at a time. */
const maxOpenLists = 64

/**
 * Threads start when they are needed, and keep the process alive only while somebody waits for
 * them.
 */
export function scanPool(
  file: string,
  driver: string,
  limits: ScanLimits = defaultScanLimits,
): ScanPool {
  const slots = new Set<PoolThread>()
  const waiting: Task[] = []
  let isClosed = false
  let openLists = 0
  let lastList = 0

  const start = (): PoolThread => {
    const slot: PoolThread = {
      ownQueue: [],
      runningTask: undefined,
      thread: scanThread(file, driver, (cause) => {
        slots.delete(slot)
        for (const task of slot.ownQueue.splice(0)) task.reject(scanAborted(cause))
        next()
      }),
    }
    slots.add(slot)
    return slot
  }

  const next = (): void => {
    for (const slot of slots) {
      if (slot.runningTask) continue
      const task = slot.ownQueue.shift() ?? waiting.shift()
      if (task) run(slot, task)
    }
    while (waiting.length > 0 && slots.size < limits.maxThreads && !isClosed)
      run(start(), waiting.shift()!)
  }

  const run = (slot: PoolThread, task: Task): void => {
    slot.runningTask = task
    task.timer?.refresh()
    task.onStart?.(slot)
    slot.thread
      .run(task.request)
      .then(task.resolve, (error: unknown) =>
        task.reject(error instanceof StatementStopped ? scanAborted(error) : error),
      )
      .finally(() => {
        slot.runningTask = undefined
        next()
      })
  }

  const isRunning = (task: Task): boolean =>
    Array.from(slots).some(({ runningTask }) => runningTask === task)

  /** Takes it out of the queue it waits in, or breaks it off where it runs. */
  const drop = (task: Task): void => {
    for (const queue of [waiting, ...Array.from(slots, (slot) => slot.ownQueue)]) {
      const index = queue.indexOf(task)
      if (index >= 0) queue.splice(index, 1)
    }
    for (const slot of slots) if (slot.runningTask === task) slot.thread.stop()
  }

  const ask = (
    request: ScanRequest,
    { caller, poolThread, onStart }: TaskOptions,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isClosed || (poolThread && !slots.has(poolThread))) return reject(scanAborted())
      const signal = caller?.signal
      if (signal?.aborted) return reject(signal.reason)
      if (!poolThread && waiting.length >= limits.maxWaiting) return reject(overloaded())
      const settling =
        <V>(settle: (value: V) => void) =>
        (value: V): void => {
          clearTimeout(task.timer)
          signal?.removeEventListener('abort', leave)
          settle(value)
        }
      const leave = (): void => {
        task.reject(signal?.reason)
        drop(task)
      }
      const late = (): void => {
        task.reject(isRunning(task) ? new StoreTimeout(limits.timeoutMs) : overloaded())
        drop(task)
      }
      const task: Task = {
        request,
        onStart,
        // What clears up after a list has nobody who waits, and all the time there is.
        timer: request.kind === 'end' ? undefined : setTimeout(late, limits.timeoutMs).unref(),
        resolve: settling(resolve),
        reject: settling(reject),
      }
      signal?.addEventListener('abort', leave, { once: true })
      const queue = poolThread?.ownQueue ?? waiting
      queue.push(task)
      next()
    })

  const rows = async (statement: Statement, maxBytes: number, asked: TaskOptions): Promise<Row[]> =>
    (await ask({ kind: 'rows', statement, maxBytes }, asked)) as Row[]

  return {
    rows: (statement, caller, maxBytes = Number.POSITIVE_INFINITY) =>
      rows(statement, maxBytes, { caller }),

    async *list(question, window, caller) {
      if (openLists >= maxOpenLists) throw overloaded()
      const list = ++lastList
      const name = `temp."list ${list}"`
      let slot: PoolThread | undefined
      const begun = (by: PoolThread): void => {
        slot = by
      }
      openLists++
      try {
        const count = (await ask(
          { kind: 'begin', list, ids: question.ids() },
          { caller, onStart: begun },
        )) as number
        const size = new ChunkSize(batchSize)
        for (let start = 0, end = 0; start < count; start = end) {
          // The places of a window before a position were given backwards from it.
          const isReverse = window.kind === 'before'
          const found = await size.next((most, maxBytes) => {
            end = Math.min(start + most, count)
            const statement = isReverse
              ? question.byListRange(name, count - end, count - start)
              : question.byListRange(name, start, end)
            return rows(statement, maxBytes, { caller, poolThread: slot })
          })
          if (found.length > 0) yield listedItemsOf(isReverse ? found.reverse() : found)
        }
      } finally {
        openLists--
        if (slot)
          void ask({ kind: 'end', list }, { caller: undefined, poolThread: slot }).catch(
            () => undefined,
          )
      }
    },

    async close() {
      isClosed = true
      for (const task of waiting.splice(0)) task.reject(scanAborted())
      const last = [...slots]
      slots.clear()
      for (const { ownQueue, runningTask } of last)
        for (const task of [...ownQueue.splice(0), runningTask]) task?.reject(scanAborted())
      await Promise.all(last.map(({ thread }) => thread.close()))
    },
  }
}

/** How a thread is asked. */
interface TaskOptions {
  readonly caller: Caller | undefined
  /** Whose thread has to answer: any, unless given. */
  readonly poolThread?: PoolThread | undefined
  /** Told whose thread does. */
  onStart?(slot: PoolThread): void
}

function scanAborted(cause?: unknown): Error {
  return new StoreUnavailable('The scan of the SQLite file was broken off.', { cause })
}

function overloaded(): Error {
  return new StoreOverloaded('Too many scans of the SQLite file wait already.')
}
