import { setImmediate } from 'node:timers/promises'
import type { ModelDescription } from '../../model/description.ts'
import type { Condition, QueryPlan, Scalar, Window } from '../../query/query-plan.ts'
import { small } from '../sql/bounded.ts'
import type { StoreReader } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Statement } from './asking.ts'
import type { Connection } from './connection.ts'
import type { ListQuestion, Queries, Question } from './queries.ts'
import { itemColumns, itemOf, type Row } from './rows.ts'
import type { Scans } from './scans.ts'
import { toStoreError } from './sqlite-error.ts'

/** Items read between two turns of the event loop. */
export const batchSize = 256

export interface ReaderOptions {
  readonly connection: Connection
  readonly queries: Queries
  /** Where long work goes; without, as inside a transaction that only its own connection sees, all is done here. */
  readonly elsewhere?: { readonly scans: Scans; isLarge(model: ModelDescription): boolean }
}

/**
 * Answers over one connection. What an index bounds takes microseconds and is done at once; what may look at a whole
 * large table is handed to the scan worker.
 */
export function reader({ connection, queries, elsewhere }: ReaderOptions): StoreReader {
  const all = ({ sql, parameters }: Statement): Row[] => connection.prepared(sql).all(parameters)
  const numberOf = ({ sql, parameters }: Statement): number => connection.prepared(sql).get(parameters)![0] as number

  /** Few rows to look at, whatever the window. */
  const isFew = (question: Question): boolean =>
    question.kind === 'gather' && (question.most <= small || numberOf(question.probe(small)) <= small)

  const scansFor = (model: ModelDescription, question: Question, few: boolean): Scans | undefined =>
    few || question.kind === 'walk' || !elsewhere?.isLarge(model) ? undefined : elsewhere.scans

  /** Goes on after the last id of the batch before. */
  async function* byId(model: ModelDescription, plan: QueryPlan): AsyncGenerator<readonly StoredItem[]> {
    let { window } = plan
    for (let left = window.limit; left > 0; ) {
      const limit = Math.min(left, batchSize)
      const rows = all(queries.list(model, { ...plan, window: { ...window, limit } }).items())
      const items = rows.map(itemOf)
      if (items.length > 0) yield items
      if (items.length < limit) return
      left -= items.length
      window = after(window, items.at(-1)!.id)
      await setImmediate()
    }
  }

  /** Settles the order first: an item whose sort key changes meanwhile would else be met twice, or never. */
  async function* byPlace(question: ListQuestion, window: Window): AsyncGenerator<readonly StoredItem[]> {
    const ids = inOrder(window, all(question.ids())).map(([id]) => id as string)
    for (let start = 0; start < ids.length; start += batchSize) {
      if (start > 0) await setImmediate()
      const rows = all(question.fetch(ids.slice(start, start + batchSize)))
      if (rows.length > 0) yield rows.map(itemOf)
    }
  }

  return {
    find(model, condition) {
      try {
        const { sql, parameters } = queries.find(model, condition)
        const row = connection.prepared(sql).get(parameters)
        return Promise.resolve(row && itemOf(row))
      } catch (error) {
        return Promise.reject(toStoreError(error))
      }
    },

    async *list(model, plan) {
      try {
        const { window } = plan
        const question = queries.list(model, plan)
        const few = isFew(question)
        const scans = scansFor(model, question, few)
        if (few || window.limit <= small) {
          const rows = scans ? await scans.rows(question.items()) : all(question.items())
          if (rows.length > 0) yield inOrder(window, rows).map(itemOf)
        } else if (scans) {
          yield* scans.list(question, window)
        } else if (plan.sort.length === 0 && window.kind !== 'before' && question.kind !== 'gather') {
          yield* byId(model, plan)
        } else {
          yield* byPlace(question, window)
        }
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async page(model, plan) {
      try {
        const question = queries.list(model, plan)
        const scans = scansFor(model, question, isFew(question))
        const rows = scans ? await scans.rows(question.places()) : all(question.places())
        return inOrder(plan.window, rows).map((row) => {
          const item = itemOf(row)
          return { item, position: positionOf(item.id, row, plan) }
        })
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async count(model: ModelDescription, condition: Condition) {
      try {
        const question = queries.count(model, condition)
        const scans = scansFor(model, question, isFew(question))
        return scans ? ((await scans.rows(question.count()))[0]![0] as number) : numberOf(question.count())
      } catch (error) {
        throw toStoreError(error)
      }
    },
  }
}

/** Windows before a position are read backwards from it. */
function inOrder(window: Window, rows: Row[]): Row[] {
  return window.kind === 'before' ? rows.reverse() : rows
}

function after(window: Window, id: string): Window {
  return window.kind === 'between' ? { ...window, after: [id] } : { kind: 'after', position: [id], limit: window.limit }
}

function positionOf(id: string, row: Row, plan: QueryPlan): readonly Scalar[] {
  return [...row.slice(itemColumns.length, itemColumns.length + plan.sort.length).map(scalarOf), id]
}

/** Numbers come as they are; text and booleans as JSON, which gives back each of them exactly. */
function scalarOf(key: unknown): Scalar {
  return typeof key === 'string' ? (JSON.parse(key) as Scalar) : (key as number | null)
}
