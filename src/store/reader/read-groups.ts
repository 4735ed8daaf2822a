import type { ModelDescription } from '../../model/model-description.ts'
import type { GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { StoreCall } from '../store-call.ts'
import type { ReadContext } from './read-context.ts'

/** Reads groups: in a second statement, the numbers that SQL cannot sum exactly. */
export async function readGroups<S extends ReadStrategy>(
  { queries, runner }: ReadContext<S>,
  model: ModelDescription,
  plan: GroupPlan,
  call: StoreCall | undefined,
): Promise<readonly ItemGroup[]> {
  const query = queries.groups(model, plan)
  const groups = query.openGroups(await runner.scanRows(model, query, query.read(), call))
  for (const [functionIndex, statement] of query.leftOut())
    query.addLeftOut(groups, functionIndex, await runner.scanRows(model, query, statement, call))
  return query.groupsOf(groups)
}
