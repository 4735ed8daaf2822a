import type { Guards } from '../context/guards.ts'
import type { ErrorCode } from '../error/catalog.ts'
import { isAction, isDeletion } from '../middleware/access-decisions.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { isReadable, isWritable } from '../model/model-view.ts'
import type { WriteHookServices } from '../operation/write-hooks/hook-observer.ts'
import { operations } from '../rule/operations.ts'
import { type PolicyRule, pathView } from '../rule/rule.ts'
import { writtenInverses } from '../rule/written-inverses.ts'
import type { RouterServices } from './router-services.ts'

/**
 * What hooks around writes, checks of whole items, immutable members and items, and access rules of
 * fields may refuse with.
 */
export function writeRefusals(
  rule: PolicyRule,
  { writeHooks, guards }: Pick<RouterServices, 'writeHooks' | 'guards'>,
): readonly ErrorCode[] {
  if (!operations[rule.operation].changesItems) return []
  return [
    ...(writeHooks ? itemRefusals(rule, writeHooks) : []),
    ...(setsGuardedFields(rule, guards) ? ['forbidden' as const] : []),
  ]
}

function itemRefusals(rule: PolicyRule, { steps }: WriteHookServices): readonly ErrorCode[] {
  const models = [...changedModels(rule)]
  const mayRefuse = models.some(
    (model) => model.check || (steps.get(model)?.before.length ?? 0) > 0,
  )
  const changes = operations[rule.operation].creates !== 'always'
  const changedItems = changes ? models : models.slice(1)
  const mayConflict = changedItems.some(({ immutability }) => immutability !== undefined)
  const mayForbid = changes && models.some(({ immutableFields }) => immutableFields.length > 0)
  return [
    ...(mayRefuse ? ['invalid-member' as const] : []),
    ...(mayForbid ? ['forbidden' as const] : []),
    ...(mayConflict ? ['conflict' as const] : []),
  ]
}

/** May a request set fields that rules keep from some callers, and that exist for this one? */
function setsGuardedFields(rule: PolicyRule, guards: Guards): boolean {
  if (isDeletion(rule.operation) || isAction(rule.operation)) return false
  const view = pathView(rule)
  const fields = guards.accessOf(view.model)?.fields ?? []
  return (
    fields.some(
      ({ field, write }) =>
        write.kind !== 'always' && (isReadable(view, field) || isWritable(view, field)),
    ) ||
    writtenInverses(rule).some(({ relatedModel, inverseOf }) =>
      guards
        .accessOf(relatedModel)
        ?.fields.some(({ field, write }) => field === inverseOf && write.kind !== 'always'),
    )
  )
}

/** The models whose items the rule may change, also those that refer to a deleted item. */
function changedModels(rule: PolicyRule): ReadonlySet<ModelDescription> {
  const models = new Set([pathView(rule).model])
  for (const { relatedModel } of writtenInverses(rule)) models.add(relatedModel)
  if (rule.method !== 'DELETE' || rule.target.kind !== 'item') return models
  // The set grows while it is read: deletions reach further ones.
  for (const model of models) for (const { owner } of model.inboundRelations) models.add(owner)
  return models
}
