import type { Window } from '../../query/query-plan.ts'
import { type Caller, StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Statement } from './asking.ts'
import { ChunkSize } from './chunk-size.ts'
import type { ListQuestion } from './list-question.ts'
import { listedItemsOf, type Row } from './rows.ts'
import { defaultScanLimits, type ScanLimits } from './scan-limits.ts'
import { type ScanThread, StatementStopped, scanThread, type ThreadRequest } from './scan-thread.ts'

/** Reads in threads of their own, so that what takes long holds up nobody. What its caller leaves is given up. */
export interface Scans {
  /** @throws StoreOverloaded, StoreTimeout, and TooManyBytes where the texts that the statement gives come to more than `maxBytes` */
  rows(statement: Statement, caller: Caller | undefined, maxBytes?: number): Promise<Row[]>
  /** The whole window, however long, batch by batch as they are asked for. */
  list(question: ListQuestion, window: Window, caller: Caller | undefined): AsyncGenerator<readonly StoredItem[]>
  close(): Promise<void>
}

interface Task {
  readonly request: ThreadRequest
  readonly timer: NodeJS.Timeout | undefined
  readonly begun: Asked['begun']
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** A thread, and what only it can answer, because it holds the list. */
interface Slot {
  readonly thread: ScanThread
  readonly own: Task[]
  running: Task | undefined
}

/** Larger than on the main thread: a message costs more than a turn of the event loop. */
const batchSize = 512
/** Lists whose order is written down in a thread at a time. */
const maxLists = 64

/** Threads start when they are needed, and keep the process alive only while somebody waits for them. */
export function scans(file: string, driver: string, limits: ScanLimits = defaultScanLimits): Scans {
  const slots = new Set<Slot>()
  const waiting: Task[] = []
  let isClosed = false
  let openLists = 0
  let lastList = 0

  const start = (): Slot => {
    const slot: Slot = {
      own: [],
      running: undefined,
      thread: scanThread(file, driver, (cause) => {
        slots.delete(slot)
        for (const task of slot.own.splice(0)) task.reject(brokenOff(cause))
        next()
      }),
    }
    slots.add(slot)
    return slot
  }

  const next = (): void => {
    for (const slot of slots) {
      if (slot.running) continue
      const task = slot.own.shift() ?? waiting.shift()
      if (task) run(slot, task)
    }
    while (waiting.length > 0 && slots.size < limits.maxThreads && !isClosed) run(start(), waiting.shift()!)
  }

  const run = (slot: Slot, task: Task): void => {
    slot.running = task
    task.timer?.refresh()
    task.begun?.(slot)
    slot.thread
      .ask(task.request)
      .then(task.resolve, (error: unknown) => task.reject(error instanceof StatementStopped ? brokenOff(error) : error))
      .finally(() => {
        slot.running = undefined
        next()
      })
  }

  const isRunning = (task: Task): boolean => Array.from(slots).some(({ running }) => running === task)

  /** Takes it out of the queue it waits in, or breaks it off where it runs. */
  const drop = (task: Task): void => {
    for (const queue of [waiting, ...Array.from(slots, (slot) => slot.own)]) {
      const index = queue.indexOf(task)
      if (index >= 0) queue.splice(index, 1)
    }
    for (const slot of slots) if (slot.running === task) slot.thread.stop()
  }

  const ask = (request: ThreadRequest, { caller, slot, begun }: Asked): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isClosed || (slot && !slots.has(slot))) return reject(brokenOff())
      const signal = caller?.signal
      if (signal?.aborted) return reject(signal.reason)
      if (!slot && waiting.length >= limits.maxWaiting) return reject(overloaded())
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
        begun,
        // What clears up after a list has nobody who waits, and all the time there is.
        timer: request.kind === 'end' ? undefined : setTimeout(late, limits.timeoutMs).unref(),
        resolve: settling(resolve),
        reject: settling(reject),
      }
      signal?.addEventListener('abort', leave, { once: true })
      const queue = slot?.own ?? waiting
      queue.push(task)
      next()
    })

  const rows = async (statement: Statement, maxBytes: number, asked: Asked): Promise<Row[]> =>
    (await ask({ kind: 'rows', statement, maxBytes }, asked)) as Row[]

  return {
    rows: (statement, caller, maxBytes = Number.POSITIVE_INFINITY) => rows(statement, maxBytes, { caller }),

    async *list(question, window, caller) {
      if (openLists >= maxLists) throw overloaded()
      const list = ++lastList
      const name = `temp."list ${list}"`
      let slot: Slot | undefined
      const begun = (by: Slot): void => {
        slot = by
      }
      openLists++
      try {
        const count = (await ask({ kind: 'begin', list, ids: question.ids() }, { caller, begun })) as number
        const size = new ChunkSize(batchSize)
        for (let start = 0, end = 0; start < count; start = end) {
          // The places of a window before a position were given backwards from it.
          const isReverse = window.kind === 'before'
          const found = await size.next((most, maxBytes) => {
            end = Math.min(start + most, count)
            const statement = isReverse
              ? question.fetchPlaced(name, count - end, count - start)
              : question.fetchPlaced(name, start, end)
            return rows(statement, maxBytes, { caller, slot })
          })
          if (found.length > 0) yield listedItemsOf(isReverse ? found.reverse() : found)
        }
      } finally {
        openLists--
        if (slot) void ask({ kind: 'end', list }, { caller: undefined, slot }).catch(() => undefined)
      }
    },

    async close() {
      isClosed = true
      for (const task of waiting.splice(0)) task.reject(brokenOff())
      const last = [...slots]
      slots.clear()
      for (const { own, running } of last) for (const task of [...own.splice(0), running]) task?.reject(brokenOff())
      await Promise.all(last.map(({ thread }) => thread.close()))
    },
  }
}

/** How a thread is asked. */
interface Asked {
  readonly caller: Caller | undefined
  /** Whose thread has to answer: any, unless given. */
  readonly slot?: Slot | undefined
  /** Told whose thread does. */
  begun?(slot: Slot): void
}

function brokenOff(cause?: unknown): Error {
  return new StoreUnavailable('The scan of the SQLite file was broken off.', { cause })
}

function overloaded(): Error {
  return new StoreOverloaded('Too many scans of the SQLite file wait already.')
}
