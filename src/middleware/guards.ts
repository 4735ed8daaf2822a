import { type FieldGuards, noFieldGuards } from '../access/field-guards.ts'
import type { ModelAccess } from '../access/model-access.ts'
import { type Context, contextForItem } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { always, andAlso } from '../query/conditions.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import { isModelRule, relationTargetOf } from '../rule/rule.ts'
import { outcomeDecision } from './access-decisions.ts'
import { type Narrowing, narrowedCondition, narrowsNothing, noNarrowing } from './narrowing.ts'

type NarrowingByModel = ReadonlyMap<ModelDescription, Narrowing>

/** What guards the items of each model: access rules and hooks. */
export interface GuardNarrowing {
  readonly read: NarrowingByModel
  readonly write: NarrowingByModel
  /** What a new item must satisfy. */
  readonly created: NarrowingByModel
  /** What a changed item must satisfy. */
  readonly changed: NarrowingByModel
  /** Models whose items request hooks guard. */
  readonly checked: ReadonlySet<ModelDescription>
}

/** For code of the service. */
export const noGuardAccess: GuardAccess = Object.freeze({
  accesses: new Map(),
  fields: noFieldGuards,
})

/** For code of the service. */
export const noGuardNarrowing: GuardNarrowing = Object.freeze({
  read: new Map(),
  write: new Map(),
  created: new Map(),
  changed: new Map(),
  checked: new Set<ModelDescription>(),
})

/** The access rules of a router. */
export interface GuardAccess {
  readonly accesses: ReadonlyMap<ModelDescription, ModelAccess>
  readonly fields: FieldGuards
}

/** @param rules the rules of each model; filled before the first request */
export function createGuards(
  { read, write, created, changed, checked }: GuardNarrowing,
  access: GuardAccess,
  rules: ReadonlyMap<ModelDescription, ItemRules>,
): Guards {
  const isGuarded = (model: ModelDescription) => !narrowsNothing(read.get(model) ?? noNarrowing)
  const readContext = (model: ModelDescription, context: Context, about: 'list' | 'items') =>
    contextForItem(context, rules.get(model)?.[about === 'list' ? 'list' : 'read'] ?? context.rule)
  const writeContext = (model: ModelDescription, context: Context, id: string) =>
    isRequestedItem(context, model, id)
      ? context
      : contextForItem(context, rules.get(model)?.update ?? context.rule, id)
  const conditionOf = (
    byModel: NarrowingByModel,
    model: ModelDescription,
    contextOf: () => Context,
  ) => {
    const narrowing = byModel.get(model) ?? noNarrowing
    return narrowsNothing(narrowing) ? always : narrowedCondition(narrowing, model, contextOf())
  }
  const readCondition = (model: ModelDescription, context: Context) =>
    conditionOf(read, model, () => readContext(model, context, 'items'))
  return {
    isGuarded,
    fields: access.fields,
    accessOf: (model) => access.accesses.get(model),
    isRestricted: (model) => isGuarded(model) || checked.has(model),
    readContext,
    readCondition,
    itemCondition: (model, context, id) =>
      conditionOf(read, model, () =>
        contextForItem(context, rules.get(model)?.read ?? context.rule, id),
      ),
    narrowPlan: (model, plan, context) => ({
      ...plan,
      condition: andAlso(plan.condition, readCondition(model, context)),
    }),
    writeCondition: (model, context, id) =>
      conditionOf(write, model, () => writeContext(model, context, id)),
    changeDecision: (model, context, id) => {
      const modelAccess = access.accesses.get(model)
      if (!modelAccess) return undefined
      if (modelAccess.update.kind !== 'change' && modelAccess.restoreVersion.kind !== 'change')
        return undefined
      const decision = outcomeDecision(modelAccess, writeContext(model, context, id))
      return decision.kind === 'change' ? decision : undefined
    },
    outcomeCondition: (model, context, id) =>
      id === undefined
        ? conditionOf(created, model, () => context)
        : conditionOf(changed, model, () => writeContext(model, context, id)),
  }
}

/** Whether this is the item that the path names, and the rule is about its model. */
function isRequestedItem(
  { rule, id }: Context,
  model: ModelDescription,
  changedId: string,
): boolean {
  return (
    isModelRule(rule) && !relationTargetOf(rule) && rule.view.model === model && id === changedId
  )
}
