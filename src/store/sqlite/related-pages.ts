import type { ModelDescription } from '../../model/description.ts'
import { everything, type Position, type SlicePlan } from '../../query/query-plan.ts'
import { fairTurn } from '../fair-turn.ts'
import { small } from '../sql/bounded.ts'
import type { Caller, RelatedItem, StoreReader } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Statement } from './asking.ts'
import { ChunkSize, maxChunkBytes, whereFew } from './chunk-size.ts'
import type { Connection } from './connection.ts'
import type { Elsewhere } from './elsewhere.ts'
import type { Queries } from './queries.ts'
import type { RelatedQuestion } from './related-question.ts'
import { columnsOf, listedItemOf, type Row, scalarOf } from './rows.ts'
import { countOf, rowsOf } from './run-statement.ts'
import { toStoreError } from './sqlite-error.ts'

/** So many rows at most are taken into memory by one statement, as far as the window tells; a page each for many owners fits. */
const batchRows = 10_000
/** Items read at a time where they are large. */
const batchItems = 256
/** Owners of one statement where the window has no end. */
const batchOwners = 500

/** Pages of many owners, by one statement for all of them unless they are huge. What is long work goes to the scan worker. */
export function relatedPages(
  connection: Connection,
  queries: Queries,
  elsewhere: Elsewhere | undefined,
): StoreReader['relatedPages'] {
  const isFew = (owners: number, plan: SlicePlan, question: RelatedQuestion): boolean =>
    (question.isWalk && owners * (plan.window.limit + plan.window.skip) <= small) ||
    countOf(connection, question.probe(small + 1)) <= small

  const read = (statement: Statement, caller: Caller | undefined, maxBytes: number): Row[] | Promise<Row[]> =>
    elsewhere?.rows(connection, statement, caller, maxBytes) ??
    connection.upTo(maxBytes, () => rowsOf(connection, statement))

  /** Reads items of which the places are known, a few at a time. */
  async function* byPlace(
    target: ModelDescription,
    places: readonly Row[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly RelatedItem[]> {
    const question = queries.list(target, everything)
    const size = new ChunkSize(batchItems)
    for (let start = 0, end = 0; start < places.length; start = end) {
      if (start > 0) await fairTurn(caller)
      const rows = await size.next((most, maxBytes) => {
        end = Math.min(start + most, places.length)
        const ids = new Set(places.slice(start, end).map(([id]) => id as string))
        return read(question.fetch([...ids]), caller, maxBytes)
      })
      const items = new Map(rows.map((row) => listedItemOf(row)).map((item) => [item.id, item]))
      const related = places.slice(start, end).flatMap((row) => {
        // One that is gone meanwhile is on no page.
        const item = items.get(row[0] as string)
        return item ? [new RelatedRow(row, item, 1)] : []
      })
      if (related.length > 0) yield related
    }
  }

  return async function* (model, relation, owners, plan, caller) {
    const { target } = relation
    const width = columnsOf(target).length
    const count = ownersOfOne(plan)
    try {
      for (let start = 0; start < owners.length; start += count) {
        if (start > 0) await fairTurn(caller)
        const asked = owners.slice(start, start + count)
        const question = queries.related(model, relation, asked, plan)
        const scans = elsewhere?.isLarge(target) && !isFew(asked.length, plan, question) ? elsewhere.scans : undefined
        const looked = async (statement: Statement, maxBytes: number): Promise<Row[]> =>
          scans?.rows(statement, caller, maxBytes) ?? read(statement, caller, maxBytes)
        const rows = await whereFew(() => looked(question.pages(), maxChunkBytes))
        if (!rows) yield* byPlace(target, await looked(question.places(), Number.POSITIVE_INFINITY), caller)
        else if (rows.length > 0) yield rows.map((row) => new RelatedRow(row, listedItemOf(row, width), width))
      }
    } catch (error) {
      throw toStoreError(error)
    }
  }
}

function ownersOfOne({ window: { limit } }: SlicePlan): number {
  return limit === Number.POSITIVE_INFINITY ? batchOwners : Math.max(1, Math.floor(batchRows / Math.max(1, limit)))
}

/** Of a page only the last item is asked for its place. */
class RelatedRow implements RelatedItem {
  readonly item: StoredItem
  readonly owner: string
  readonly #row: Row
  readonly #width: number

  /** @param width how many columns stand before the values of the sort keys */
  constructor(row: Row, item: StoredItem, width: number) {
    this.item = item
    this.owner = row.at(-1) as string
    this.#row = row
    this.#width = width
  }

  get position(): Position {
    return [...this.#row.slice(this.#width, -1).map(scalarOf), this.item.id]
  }
}
