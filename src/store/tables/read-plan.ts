import type { QueryPlan } from '../../query/query-plan.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { TableOf } from '../sql/table.ts'
import type { StoreCall } from '../store-call.ts'
import { InvalidPosition } from '../store-failures.ts'
import type { Engine } from './engine.ts'
import type { ItemQueries } from './item-queries.ts'
import type { ItemTable } from './item-table.ts'
import type { StatementResult } from './sql-database.ts'

/** Runs statements that read, in one round trip. */
type RunReads = (
  statements: readonly Statement[],
  call?: StoreCall,
) => Promise<readonly StatementResult[]>

export interface ReaderContext {
  readonly queries: ItemQueries
  readonly tableOf: TableOf<ItemTable>
  readonly isMalformedValue: Engine['isMalformedValue']
  readonly run: RunReads
}

/** Reads rows with one statement. */
export async function readRows(
  { run }: ReaderContext,
  statement: Statement,
  call?: StoreCall,
): Promise<StatementResult['rows']> {
  const [result] = await run([statement], call)
  return result!.rows
}

/**
 * Reads the rows of a plan. A position may hold values that the columns cannot, because it comes
 * from a cursor of another list.
 */
export async function readPlan(
  context: ReaderContext,
  statement: Statement,
  { pageRange }: QueryPlan,
  call: StoreCall | undefined,
): Promise<StatementResult['rows']> {
  try {
    return await readRows(context, statement, call)
  } catch (error) {
    if (pageRange.kind === 'offset' || !context.isMalformedValue(error)) throw error
    throw new InvalidPosition('The position holds values that its columns cannot hold.', {
      cause: error,
    })
  }
}
