import type { ModelDescription } from '../model/model-description.ts'
import { isFilterable, type ModelViews } from '../model/model-view.ts'
import { isRelation } from '../model/relation-kinds.ts'
import { andAlso, mapPaths } from '../query/conditions.ts'
import type { Condition, FieldPath, PathCondition, QueryPlan } from '../query/query-plan.ts'
import { mapSortPaths, sortPathsIn } from '../query/sort-keys.ts'
import { relatedModelAt, unknownField } from '../store/resolve-path.ts'
import type { Context } from './context.ts'
import type { Guards } from './guards.ts'

/**
 * Adds the guards of fields and of related models to a path, so that filters and sorts reveal
 * nothing that the caller may not see.
 */
export function guardPath(
  path: FieldPath,
  start: ModelDescription,
  guards: Guards,
  context: Context,
): FieldPath {
  const added: PathCondition[] = []
  let model = start
  for (const [index, name] of path.names.entries()) {
    const field = model.fieldsByName.get(name)
    if (!field) break
    const fieldCondition = guards.fields.readCondition(model, name, context)
    if (fieldCondition.kind !== 'always') added.push({ depth: index, condition: fieldCondition })
    if (!isRelation(field)) break
    model = field.relatedModel
    const linkCondition = guards.fields.linkCondition(field, context)
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
  return {
    ...plan,
    condition: guardCondition(plan.condition, start, guards, context),
    sort: plan.sort.map((key) =>
      mapSortPaths(key, (path) => guardPath(path, start, guards, context)),
    ),
  }
}

/** The related items of `some` are guarded by its path, and what it compares of them by theirs. */
function guardCondition(
  condition: Condition,
  start: ModelDescription,
  guards: Guards,
  context: Context,
): Condition {
  return mapPaths(
    condition,
    (path) => guardPath(path, start, guards, context),
    (related, path) => guardCondition(related, relatedModelAt(start, path), guards, context),
  )
}

/** What decides how code may ask in the name of a caller. */
export interface CallerScope {
  readonly guards: Guards
  readonly views: ModelViews
}

/**
 * A query of code in the name of a caller, narrowed as its requests are: to items that it may see,
 * by values that it may see.
 * @throws TypeError for a name that is hidden from the caller, as for an unknown one
 */
export function planForCaller<Plan extends QueryPlan>(
  plan: Plan,
  model: ModelDescription,
  { guards, views }: CallerScope,
  context: Context,
): Plan {
  refuseHiddenPaths(plan.condition, model, views)
  for (const path of plan.sort.flatMap(sortPathsIn)) refuseHiddenNames(path, model, views)
  const guarded = guardPlan(plan, model, guards, context)
  return {
    ...guarded,
    condition: andAlso(guarded.condition, guards.readCondition(model, context)),
  }
}

function refuseHiddenPaths(
  condition: Condition,
  start: ModelDescription,
  views: ModelViews,
): Condition {
  return mapPaths(
    condition,
    (path) => {
      refuseHiddenNames(path, start, views)
      return path
    },
    (related, path) => refuseHiddenPaths(related, relatedModelAt(start, path), views),
  )
}

/** Suggests no name that is hidden from the caller. */
function refuseHiddenNames(path: FieldPath, start: ModelDescription, views: ModelViews): void {
  let model = start
  for (const name of path.names) {
    const view = views.of(model)
    const field = model.fieldsByName.get(name)
    if (name !== 'id' && !(field && isFilterable(view, field))) {
      const visible = model.fields.filter((each) => isFilterable(view, each))
      throw unknownField(
        start,
        path,
        model,
        name,
        visible.map((each) => each.name),
      )
    }
    if (!field || !isRelation(field)) return
    model = field.relatedModel
  }
}
