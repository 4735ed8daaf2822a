import type { ModelDescription } from '../model/model-description.ts'
import type { ModelOperation } from './operations.ts'
import { type ModelRule, relationTargetOf } from './rule.ts'

/** The rules for single items of a model, for hooks of models that a request reaches. */
export interface ItemRules {
  readonly read: ModelRule | undefined
  readonly list: ModelRule | undefined
  readonly update: ModelRule | undefined
}

/** If the policy has no such rule, another rule of the model; undefined if the model has none. */
export function itemRulesOf(rules: readonly ModelRule[], model: ModelDescription): ItemRules {
  const modelRules = rules.filter((rule) => rule.view.model === model && !relationTargetOf(rule))
  const find = (operation: ModelOperation) =>
    modelRules.find((rule) => rule.operation === operation)
  const read = find('GetItem') ?? find('GetList') ?? modelRules[0]
  return { read, list: find('GetList') ?? read, update: find('UpdateItem') ?? read }
}
