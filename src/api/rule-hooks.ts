import { type Hooks, hooksOf, hooksThroughRelation, updateHooks } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { OtherUpdate, OtherUpdates } from '../pipeline/with-approvals.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import { type ModelRule, type PolicyRule, relationTargetOf } from '../rule/rule.ts'
import type { RelationTarget } from '../rule/target.ts'
import { writtenInverses } from '../rule/written-inverses.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'

/** The hooks that run for a rule. */
export function hooksForRule(rule: PolicyRule, middleware: MiddlewareByModel): Hooks {
  const { operation, view } = rule
  const own = ownMiddleware(rule, middleware)
  const relationTarget = relationTargetOf(rule)
  if (!relationTarget) return hooksOf(operation, own, view.model)
  return hooksThroughRelation(
    operation,
    middleware.of(relationTarget.owner.model),
    own,
    relationQuantity(relationTarget),
  )
}

/** That of the model, and then that of the action. */
export function ownMiddleware(
  { target, view }: Pick<PolicyRule, 'target' | 'view'>,
  middleware: MiddlewareByModel,
): readonly Middleware[] {
  const ofModel = middleware.of(view.model)
  return target.kind === 'action' ? [...ofModel, ...middleware.ofAction(target.action)] : ofModel
}

export function relationQuantity({ relation }: RelationTarget): 'one' | 'many' {
  return relation.kind === 'toOne' ? 'one' : 'many'
}

/** The update hooks of other models that run because the rule writes inverse relations. */
export function collectOtherUpdates(
  rule: ModelRule,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
  middleware: MiddlewareByModel,
): OtherUpdates {
  const updates = new Map<ModelDescription, OtherUpdate>()
  for (const { relatedModel } of writtenInverses(rule)) {
    const hooks = updateHooks(middleware.relatedOf(relatedModel))
    if (hooks.length > 0)
      updates.set(relatedModel, { rule: itemRules.get(relatedModel)?.update, hooks })
  }
  return updates
}
