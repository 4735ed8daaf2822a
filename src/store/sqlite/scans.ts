import { Worker } from 'node:worker_threads'
import type { Window } from '../../query/query-plan.ts'
import { StoreUnavailable } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Statement } from './asking.ts'
import type { ListQuestion } from './list-question.ts'
import { listedItemOf, type Row } from './rows.ts'

/** Reads in a thread of its own, so that what takes long holds up nobody. */
export interface Scans {
  rows(statement: Statement): Promise<Row[]>
  /** The whole window, however long, batch by batch as they are asked for. */
  list(question: ListQuestion, window: Window): AsyncGenerator<readonly StoredItem[]>
  close(): Promise<void>
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly errcode?: number }
}

/** Larger than on the main thread: a message costs more than a turn of the event loop. */
const batchSize = 512

/** The thread starts with the first scan, and keeps the process alive only while somebody waits for it. */
export function scans(file: string, driver: string): Scans {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let isClosed = false
  let lastRequest = 0
  let lastList = 0

  const failAll = (cause: unknown): void => {
    worker = undefined
    const error = new StoreUnavailable('The scan of the SQLite file was broken off.', { cause })
    for (const one of waiting.values()) one.reject(error)
    waiting.clear()
  }

  const receive = ({ id, result, error }: Answer): void => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker?.unref()
    if (error) one?.reject(Object.assign(new Error(error.message), { errcode: error.errcode }))
    else one?.resolve(result)
  }

  const start = (): Worker => {
    const execArgv = driver === 'node:sqlite' ? ['--disable-warning=ExperimentalWarning'] : []
    const started = new Worker(new URL('./scan-worker.js', import.meta.url), { workerData: { file, driver }, execArgv })
    started.on('message', receive)
    started.on('error', failAll)
    started.on('exit', (code) => {
      if (worker === started) failAll(new Error(`The scan worker ended with the code ${code}.`))
    })
    return started
  }

  const ask = (request: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new StoreUnavailable('The store is closed.'))
      worker ??= start()
      if (waiting.size === 0) worker.ref()
      waiting.set(++lastRequest, { resolve, reject })
      worker.postMessage({ id: lastRequest, ...request })
    })

  const rows = async (statement: Statement): Promise<Row[]> => (await ask({ kind: 'rows', statement })) as Row[]

  return {
    rows,
    async *list(question, window) {
      const list = ++lastList
      const name = `temp."list ${list}"`
      try {
        const count = (await ask({ kind: 'begin', list, ids: question.ids() })) as number
        for (let start = 0; start < count; start += batchSize) {
          const end = Math.min(start + batchSize, count)
          // The places of a window before a position were given backwards from it.
          const isReverse = window.kind === 'before'
          const found = await rows(
            isReverse ? question.fetchPlaced(name, count - end, count - start) : question.fetchPlaced(name, start, end),
          )
          if (found.length > 0) yield (isReverse ? found.reverse() : found).map((row) => listedItemOf(row))
        }
      } finally {
        if (!isClosed) void ask({ kind: 'end', list }).catch(() => undefined)
      }
    },
    async close() {
      isClosed = true
      const running = worker
      failAll(new StoreUnavailable('The store is closed.'))
      await running?.terminate()
    },
  }
}
