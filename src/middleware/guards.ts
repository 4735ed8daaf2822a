import { type FieldGuards, noFieldGuards } from '../access/field-guards.ts'
import type { ModelAccess } from '../access/model-access.ts'
import { memoizeBy } from '../cache/memoize-by.ts'
import { type Context, contextForItem } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { always, andAlso } from '../query/conditions.ts'
import { createQuery, type QuerySource } from '../query/query.ts'
import type { Condition } from '../query/query-plan.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import { relationTargetOf } from '../rule/rule.ts'
import { storedOperandSource } from '../stored-item/code-values.ts'
import { outcomeDecision } from './access-decisions.ts'
import type { NamedQueryHook } from './named-hook.ts'
import { runQueryHook } from './run-query-hook.ts'

type HooksByModel = ReadonlyMap<ModelDescription, readonly NamedQueryHook[]>

/** The hooks that guard the items of each model. */
export interface GuardHooks {
  readonly read: HooksByModel
  readonly write: HooksByModel
  /** What a new item must satisfy. */
  readonly created: HooksByModel
  /** What a changed item must satisfy. */
  readonly changed: HooksByModel
  /** Models whose items request hooks guard. */
  readonly checked: ReadonlySet<ModelDescription>
}

/** For code of the service. */
export const noGuardAccess: GuardAccess = Object.freeze({
  accesses: new Map(),
  fields: noFieldGuards,
})

/** For code of the service. */
export const noGuardHooks: GuardHooks = Object.freeze({
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
  { read: hooks, write: writeHooks, created, changed, checked }: GuardHooks,
  access: GuardAccess,
  rules: ReadonlyMap<ModelDescription, ItemRules>,
): Guards {
  const isGuarded = (model: ModelDescription) => (hooks.get(model)?.length ?? 0) > 0
  const readContext = (model: ModelDescription, context: Context, about: 'list' | 'items') =>
    contextForItem(context, rules.get(model)?.[about === 'list' ? 'list' : 'read'] ?? context.rule)
  const writeContext = (model: ModelDescription, context: Context, id: string) =>
    isRequestedItem(context, model, id)
      ? context
      : contextForItem(context, rules.get(model)?.update ?? context.rule, id)
  const readCondition = (model: ModelDescription, context: Context) =>
    isGuarded(model)
      ? runQueryHooks(model, hooks.get(model)!, readContext(model, context, 'items'))
      : always
  return {
    isGuarded,
    fields: access.fields,
    accessOf: (model) => access.accesses.get(model),
    isRestricted: (model) => isGuarded(model) || checked.has(model),
    readContext,
    readCondition,
    itemCondition: (model, context, id) =>
      isGuarded(model)
        ? runQueryHooks(
            model,
            hooks.get(model)!,
            contextForItem(context, rules.get(model)?.read ?? context.rule, id),
          )
        : always,
    narrowPlan: (model, plan, context) => ({
      ...plan,
      condition: andAlso(plan.condition, readCondition(model, context)),
    }),
    writeCondition: (model, context, id) => {
      const conditionHooks = writeHooks.get(model) ?? []
      return conditionHooks.length === 0
        ? always
        : runQueryHooks(model, conditionHooks, writeContext(model, context, id))
    },
    changeDecision: (model, context, id) => {
      const modelAccess = access.accesses.get(model)
      if (modelAccess?.update.kind !== 'change') return undefined
      const decision = outcomeDecision(modelAccess, writeContext(model, context, id))
      return decision.kind === 'change' ? decision : undefined
    },
    outcomeCondition: (model, context, id) => {
      const conditionHooks = (id === undefined ? created : changed).get(model) ?? []
      return conditionHooks.length === 0
        ? always
        : runQueryHooks(
            model,
            conditionHooks,
            id === undefined ? context : writeContext(model, context, id),
          )
    },
  }
}

/** Whether this is the item that the path names, and the rule is about its model. */
function isRequestedItem(
  { rule, id }: Context,
  model: ModelDescription,
  changedId: string,
): boolean {
  return (
    rule.operation !== 'Batch' &&
    !relationTargetOf(rule) &&
    rule.view.model === model &&
    id === changedId
  )
}

/** The conditions that the hooks add to an unrestricted query. */
function runQueryHooks(
  model: ModelDescription,
  hooks: readonly NamedQueryHook[],
  context: Context,
): Condition {
  return hooks.reduce<Condition>(
    (readCondition, hook) =>
      andAlso(
        readCondition,
        runQueryHook(hook, createQuery(neverRun(model)), context, 'items').plan.condition,
      ),
    always,
  )
}

/** Guards build conditions; the queries themselves are never executed. */
const neverRun = memoizeBy(
  (model: ModelDescription): QuerySource => ({
    ...storedOperandSource(model),
    size: () =>
      Promise.reject(
        new Error('A query hook cannot execute its query. Return a narrowed query instead.'),
      ),
    exec: () => {
      throw new Error('A query hook cannot execute its query. Return a narrowed query instead.')
    },
  }),
)
