import type { RouterServices } from '../document/router-services.ts'
import type { ErrorCode } from '../error/catalog.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { operations } from '../rule/operations.ts'
import { type PolicyRule, pathView } from '../rule/rule.ts'
import { writtenInverses } from '../rule/written-inverses.ts'

/** What hooks around writes, checks of whole items and immutable members may refuse with. */
export function writeRefusals(
  rule: PolicyRule,
  { writeHooks }: Pick<RouterServices, 'writeHooks'>,
): readonly ErrorCode[] {
  if (!writeHooks || !operations[rule.operation].changesItems) return []
  const models = [...changedModels(rule)]
  const mayRefuse = models.some(
    (model) => model.check || (writeHooks.steps.get(model)?.before.length ?? 0) > 0,
  )
  const changes = operations[rule.operation].creates !== 'always'
  const mayForbid = changes && models.some(({ immutableFields }) => immutableFields.length > 0)
  return [
    ...(mayRefuse ? ['invalid-member' as const] : []),
    ...(mayForbid ? ['forbidden' as const] : []),
  ]
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
