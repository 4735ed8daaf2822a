import type { ModelDescription } from '../model/model-description.ts'
import type { AccessRules } from './access-rules.ts'
import { type ReadRuleOf, withDerivedRules } from './derived-rules.ts'
import { type RulesOf, withRollupRules } from './rollup-rules.ts'

/**
 * The rules of a model with those that its computed fields have because of their sources. The rules
 * themselves if there are none to add.
 * @throws RegistrationError for a rollup of what not every reader of the model may read
 */
export function withComputedRules(
  model: ModelDescription,
  rulesOf: RulesOf,
  readRuleOf: ReadRuleOf,
): AccessRules | undefined {
  // Fields may be derived from rollups of their model, but rollups are made of no field of it.
  return withDerivedRules(model, withRollupRules(model, rulesOf, readRuleOf), readRuleOf)
}
