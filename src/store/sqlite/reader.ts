import type { ModelDescription } from '../../model/description.ts'
import type { Condition, Position, QueryPlan, Window } from '../../query/query-plan.ts'
import { fairTurn } from '../fair-turn.ts'
import { small } from '../sql/bounded.ts'
import type { Caller, Place, StoredPage, StoreReader } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Statement } from './asking.ts'
import { ChunkSize, maxChunkBytes, whereFew } from './chunk-size.ts'
import type { Connection } from './connection.ts'
import type { Elsewhere } from './elsewhere.ts'
import type { ListQuestion, RowForm } from './list-question.ts'
import type { HeldTarget, Queries } from './queries.ts'
import type { Question } from './question.ts'
import { relatedPages } from './related-pages.ts'
import { columnsOf, itemOf, listedItemOf, listedItemsOf, type Row, scalarOf } from './rows.ts'
import { firstRowOf, rowsOf } from './run-statement.ts'
import type { Scans } from './scans.ts'
import { toStoreError } from './sqlite-error.ts'
import { isWhole, stretchesOf } from './stretches.ts'
import { type WindowStatements, windowReader } from './window-reader.ts'

/** Items read between two turns of the event loop. */
export const batchSize = 256

export interface ReaderOptions {
  readonly connection: Connection
  readonly queries: Queries
  /** Where long work goes; without, as inside a transaction that only its own connection sees, all is done here. */
  readonly elsewhere?: Elsewhere
}

/**
 * Answers over one connection. What an index bounds takes microseconds and is done at once; what may look at a whole
 * large table is handed to the scan worker.
 */
export function reader({ connection, queries, elsewhere }: ReaderOptions): StoreReader {
  const windows = windowReader(connection, elsewhere)
  const stretches = stretchesOf(connection, queries)
  const all = (statement: Statement): Row[] => rowsOf(connection, statement)

  const statementsOf = (question: ListQuestion, form: RowForm): WindowStatements => ({
    whole: () => question.rows(form),
    strolled: () => question.rows(form, true),
    count: (rows) => rows.length,
  })

  /** For statements that may look at many rows. */
  const looked = (statement: Statement, caller: Caller | undefined, maxBytes?: number): Row[] | Promise<Row[]> =>
    elsewhere ? elsewhere.rows(connection, statement, caller, maxBytes) : all(statement)

  const scansFor = (model: ModelDescription, question: Question, few: boolean): Scans | undefined =>
    few || question.kind === 'walk' || !elsewhere?.isLarge(model) ? undefined : elsewhere.scans

  /** Goes on after the last id of the batch before. */
  async function* byId(
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    let { window } = plan
    const size = new ChunkSize(batchSize)
    for (let left = window.limit; left > 0; ) {
      let limit = 0
      const rows = await size.next((most, maxBytes) => {
        limit = Math.min(left, most)
        const question = queries.list(model, { ...plan, window: { ...window, limit } })
        const statement = question.rows('items')
        if (question.kind === 'walk') return connection.upTo(maxBytes, () => all(statement))
        return looked(statement, caller, maxBytes)
      })
      const { length } = rows
      const items = listedItemsOf(rows)
      const last = items.at(-1)?.id
      if (length > 0) yield items
      if (last === undefined || length < limit) return
      left -= length
      window = after(window, last)
      await fairTurn(caller)
    }
  }

  /** Walks the index of a relation by its targets, which has the holders in the order of ids. */
  async function* byTarget(
    model: ModelDescription,
    held: HeldTarget,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    const size = new ChunkSize(batchSize)
    for (let from: string | undefined; ; ) {
      let asked = 0
      const rows = await size.next((count, maxBytes) => {
        asked = count
        return connection.upTo(maxBytes, () => all(queries.holders(model, held, from, count)))
      })
      const { length } = rows
      const items = listedItemsOf(rows)
      from = items.at(-1)?.id
      if (length > 0) yield items
      if (length < asked) return
      await fairTurn(caller)
    }
  }

  /** Looks at so many ids at a time, whether items satisfy the condition there or not: no turn of the event loop takes long. */
  async function* byStretch(
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    for (const part of stretches.of(model, plan)) {
      yield* byId(model, part, caller)
      await fairTurn(caller)
    }
  }

  /** Settles the order first: an item whose sort key changes meanwhile would else be met twice, or never. */
  async function* byPlace(
    question: ListQuestion,
    window: Window,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    yield* byIds(question, idsOf(inOrder(window, await looked(question.ids(), caller))), caller)
  }

  /** Those of them that still satisfy the condition of the question. */
  async function* byIds(
    question: ListQuestion,
    ids: readonly string[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    const size = new ChunkSize(batchSize)
    for (let start = 0, end = 0; start < ids.length; start = end) {
      if (start > 0) await fairTurn(caller)
      const rows = await size.next((most, maxBytes) => {
        end = Math.min(start + most, ids.length)
        return looked(question.fetch(ids.slice(start, end)), caller, maxBytes)
      })
      if (rows.length > 0) yield listedItemsOf(rows)
    }
  }

  async function* itemsAt(
    question: ListQuestion,
    ids: readonly string[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    try {
      yield* byIds(question, ids, caller)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  /** The ids of a window, in its order, each with the values of the sort keys. */
  const placesOf = async (
    model: ModelDescription,
    question: ListQuestion,
    window: Window,
    caller: Caller | undefined,
  ): Promise<Row[]> =>
    inOrder(window, await windows.rows(model, question, window, statementsOf(question, 'places'), caller))

  return {
    find(model, condition) {
      try {
        const row = firstRowOf(connection, queries.find(model, condition))
        return Promise.resolve(row && itemOf(row))
      } catch (error) {
        return Promise.reject(toStoreError(error))
      }
    },

    async *list(model, plan, caller) {
      try {
        const held = soleTargetOf(model, plan)
        if (held) {
          yield* byTarget(model, held, caller)
          return
        }
        const { window } = plan
        const question = queries.list(model, plan)
        if (window.limit <= small) {
          const items = statementsOf(question, 'items')
          const rows = await whereFew(() => windows.rows(model, question, window, items, caller, maxChunkBytes))
          if (!rows) yield* byIds(question, idsOf(await placesOf(model, question, window, caller)), caller)
          else if (rows.length > 0) yield listedItemsOf(inOrder(window, rows))
          return
        }
        if (question.kind === 'scan' && isWhole(plan) && elsewhere?.isLarge(model)) {
          yield* byStretch(model, plan, caller)
          return
        }
        const few = windows.isFew(question)
        const scans = scansFor(model, question, few)
        if (few) {
          const rows = await whereFew(() => looked(question.rows('items'), caller, maxChunkBytes))
          if (!rows) yield* byPlace(question, window, caller)
          else if (rows.length > 0) yield listedItemsOf(inOrder(window, rows))
        } else if (scans) {
          yield* scans.list(question, window, caller)
        } else if (plan.sort.length === 0 && window.kind !== 'before' && question.kind !== 'gather') {
          yield* byId(model, plan, caller)
        } else {
          yield* byPlace(question, window, caller)
        }
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async page(model, plan, caller) {
      try {
        const question = queries.list(model, plan)
        const items = statementsOf(question, 'placedItems')
        const rows = await whereFew(() => windows.rows(model, question, plan.window, items, caller, maxChunkBytes))
        const keys = plan.sort.length
        if (rows) return pageAtHand(inOrder(plan.window, rows), columnsOf(model).length, keys)
        const places = await placesOf(model, question, plan.window, caller)
        return {
          places: places.map((row) => new PlaceRow(row, 1, keys)),
          items: (wanted) =>
            itemsAt(
              question,
              wanted.map(({ id }) => id),
              caller,
            ),
        }
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async count(model: ModelDescription, condition: Condition, caller?: Caller) {
      try {
        const question = queries.count(model, condition)
        const scans = scansFor(model, question, windows.isFew(question))
        const rows = scans ? await scans.rows(question.count(), caller) : await looked(question.count(), caller)
        return rows[0]![0] as number
      } catch (error) {
        throw toStoreError(error)
      }
    },

    relatedPages: relatedPages(connection, queries, elsewhere),
  }
}

/** What the items hold that are asked for, where that is all that is asked of them. */
function soleTargetOf(model: ModelDescription, { condition, sort, window }: QueryPlan): HeldTarget | undefined {
  if (condition.kind !== 'members' || condition.quantity !== 'any' || condition.values.length !== 1) return undefined
  if (sort.length > 0 || window.kind !== 'slice' || window.skip > 0 || Number.isFinite(window.limit)) return undefined
  const { names, guards } = condition.path
  const [target] = condition.values
  const relation = model.owned.find(({ name, kind }) => kind === 'toMany' && name === names[0])
  if (names.length > 1 || guards || !relation || typeof target !== 'string') return undefined
  return { relation: relation.name, target }
}

/** Windows before a position are read backwards from it. */
function inOrder(window: Window, rows: Row[]): Row[] {
  return window.kind === 'before' ? rows.reverse() : rows
}

function after(window: Window, id: string): Window {
  return window.kind === 'between' ? { ...window, after: [id] } : { kind: 'after', position: [id], limit: window.limit }
}

function idsOf(rows: readonly Row[]): readonly string[] {
  return rows.map(([id]) => id as string)
}

function pageAtHand(rows: readonly Row[], width: number, keys: number): StoredPage {
  const places = rows.map((row) => new ItemRow(row, width, keys))
  return {
    places,
    // They are the page's own places.
    items: (wanted) => atHand((wanted as readonly ItemRow[]).map(({ item }) => item)),
  }
}

async function* atHand(items: readonly StoredItem[]): AsyncGenerator<readonly StoredItem[]> {
  if (items.length > 0) yield items
}

/** Of a page only the ends are asked for their positions. */
class PlaceRow implements Place {
  readonly #row: Row
  readonly #width: number
  readonly #keys: number

  /** @param width how many columns stand before the values of the sort keys */
  constructor(row: Row, width: number, keys: number) {
    this.#row = row
    this.#width = width
    this.#keys = keys
  }

  get id(): string {
    return this.#row[0] as string
  }

  get position(): Position {
    return [...this.#row.slice(this.#width, this.#width + this.#keys).map(scalarOf), this.id]
  }
}

class ItemRow extends PlaceRow {
  readonly item: StoredItem

  constructor(row: Row, width: number, keys: number) {
    super(row, width, keys)
    this.item = listedItemOf(row, width)
  }

  override get id(): string {
    return this.item.id
  }
}
