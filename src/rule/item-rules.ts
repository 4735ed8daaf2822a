import type { ModelDescription } from '../model/model-description.ts'
import type { ModelOperation } from './operations.ts'
import { type ModelRule, relationTargetOf } from './rule.ts'

/**
 * How items of one model are asked for by themselves: hooks that run for items which a request
 * comes upon get these rules.
 */
export interface ItemRules {
  readonly read: ModelRule | undefined
  readonly list: ModelRule | undefined
  readonly update: ModelRule | undefined
}

/**
 * Where the policy has no such address, the next rule that is about the model; undefined only where
 * there is none at all.
 */
export function itemRulesOf(rules: readonly ModelRule[], model: ModelDescription): ItemRules {
  const about = rules.filter((rule) => rule.view.model === model && !relationTargetOf(rule))
  const of = (operation: ModelOperation) => about.find((rule) => rule.operation === operation)
  const read = of('GetItem') ?? of('GetList') ?? about[0]
  return { read, list: of('GetList') ?? read, update: of('UpdateItem') ?? read }
}
