import type { MaybePromise } from '../../concurrency/maybe-promise.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import type { GroupQuery, OpenGroup } from '../sql/group-query.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import type { ReadContext } from './read-context.ts'

/** Runs a statement that reads groups. */
type Scan = (statement: Statement) => MaybePromise<readonly Row[]>

/**
 * Reads groups: with the sums of the engine where they are exact, or else exactly, and in a second
 * statement the numbers that SQL cannot sum.
 */
export async function readGroups<S extends ReadStrategy>(
  { queries, runner }: ReadContext<S>,
  model: ModelDescription,
  plan: GroupPlan,
  call: StoreCall | undefined,
): Promise<readonly ItemGroup[]> {
  const query = queries.groups(model, plan)
  const scan: Scan = (statement) => runner.scanRows(model, query, statement, call)
  const groups =
    (await quickGroups(query, scan)) ?? query.openGroups(await scan(query.read()), 'exact')!
  // Beside sums that are quick there may be others.
  for (const [functionIndex, statement] of query.leftOut())
    query.addLeftOut(groups, functionIndex, await scan(statement))
  return query.groupsOf(groups)
}

async function quickGroups<S extends ReadStrategy>(
  query: GroupQuery<S>,
  scan: Scan,
): Promise<readonly OpenGroup[] | undefined> {
  const statement = query.readQuickly()
  if (!statement) return undefined
  try {
    return query.openGroups(await scan(statement), 'quick')
  } catch (error) {
    if (query.isOverflow(error)) return undefined
    throw error
  }
}
