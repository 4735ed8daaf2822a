import type { Position, SlicePlan } from '../../query/query-plan.ts'
import { fairTurn } from '../fair-turn.ts'
import { small } from '../sql/bounded.ts'
import type { RelatedItem, StoreReader } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Connection } from './connection.ts'
import type { Elsewhere } from './elsewhere.ts'
import type { Queries } from './queries.ts'
import type { RelatedQuestion } from './related-question.ts'
import { columnsOf, listedItemOf, type Row, scalarOf } from './rows.ts'
import { countOf, rowsOf } from './run-statement.ts'
import { toStoreError } from './sqlite-error.ts'

/** So many rows at most are taken into memory by one statement, as far as the window tells; a page each for many owners fits. */
const batchRows = 10_000
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
        const looked = elsewhere ?? { rows: rowsOf }
        const rows = await (scans?.rows(question.pages(), caller) ?? looked.rows(connection, question.pages(), caller))
        if (rows.length > 0) yield rows.map((row) => new RelatedRow(row, width))
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

  constructor(row: Row, width: number) {
    this.item = listedItemOf(row, width)
    this.owner = row.at(-1) as string
    this.#row = row
    this.#width = width
  }

  get position(): Position {
    return [...this.#row.slice(this.#width, -1).map(scalarOf), this.item.id]
  }
}
