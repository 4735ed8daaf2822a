import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import { isRelation, type ModelDescription } from '../model/model-description.ts'
import { mapPaths } from '../query/conditions.ts'
import type { FieldPath, Guard, QueryPlan } from '../query/query-plan.ts'

/**
 * Adds the guards of fields and of related models to a path, so that filters and sorts reveal
 * nothing that the caller may not see.
 */
function guardPath(
  path: FieldPath,
  start: ModelDescription,
  guards: Guards,
  context: Context,
): FieldPath {
  const added: Guard[] = []
  let model = start
  for (const [index, name] of path.names.entries()) {
    const field = model.fieldsByName.get(name)
    if (!field) break
    const fieldCondition = guards.fields.readCondition(model, name, context.caller)
    if (fieldCondition.kind !== 'always') added.push({ depth: index, condition: fieldCondition })
    if (!isRelation(field)) break
    model = field.relatedModel
    const linkCondition = guards.fields.linkCondition(field, context.caller)
    if (linkCondition.kind !== 'always') added.push({ depth: index + 1, condition: linkCondition })
    if (guards.isGuarded(model))
      added.push({ depth: index + 1, condition: guards.readCondition(model, context) })
  }
  return added.length > 0 ? { ...path, guards: [...(path.guards ?? []), ...added] } : path
}

/** Guards all paths of a plan. */
export function guardPlan<Plan extends QueryPlan>(
  plan: Plan,
  start: ModelDescription,
  guards: Guards,
  context: Context,
): Plan {
  const guard = (path: FieldPath) => guardPath(path, start, guards, context)
  return {
    ...plan,
    condition: mapPaths(plan.condition, guard),
    sort: plan.sort.map((key) => ({ ...key, path: guard(key.path) })),
  }
}
