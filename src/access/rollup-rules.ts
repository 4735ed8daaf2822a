import { isMadeOfRollup } from '../model/made-of-rollup.ts'
import type { ModelDescription, RollupField } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { decisionOf } from './access-decision.ts'
import type { AccessExpression, AccessRules, FieldAccess } from './access-rules.ts'
import { type ReadRuleOf, withDerivedRules } from './derived-rules.ts'

/** The declared rules of a model. */
export type RulesOf = (model: ModelDescription) => AccessRules | undefined

/** A rule of what a rollup is made of, and of what it is a rule. */
interface SourceRule {
  readonly read: AccessExpression
  readonly subject: string
}

/**
 * The rules of a model with those that its rollups have because of their sources: who may not read
 * one of these may not read the rollup. A rollup is made of all items, so no rule of single items
 * can hold for it. The rules themselves if there are none to add.
 * @throws RegistrationError for a rollup of what not every reader of the model may read
 */
export function withRollupRules(
  model: ModelDescription,
  rulesOf: RulesOf,
  readRuleOf: ReadRuleOf,
): AccessRules | undefined {
  const rules = rulesOf(model)
  const fields: Record<string, FieldAccess> = { ...rules?.fields }
  let isChanged = false
  for (const field of model.rollupFields) {
    if (field.computed.countsHidden) continue
    const sources = sourceRules(model, field, rulesOf, readRuleOf).flatMap((rule) =>
      callerRule(model, field, rule),
    )
    if (sources.length === 0) continue
    const own = fields[field.name]
    const expressions = own?.read ? [own.read, ...sources] : sources
    fields[field.name] = { ...own, read: { kind: 'and', expressions } }
    isChanged = true
  }
  return isChanged ? { actions: {}, set: {}, ...rules, fields } : rules
}

function sourceRules(
  model: ModelDescription,
  { computed: { relation, source } }: RollupField,
  rulesOf: RulesOf,
  readRuleOf: ReadRuleOf,
): readonly SourceRule[] {
  const { relatedModel, inverseOf } = relation
  const rules: SourceRule[] = [
    { read: readRuleOf(relatedModel), subject: `all items of '${relatedModel.name}'` },
  ]
  const addField = (owner: ModelDescription, ownerRules: AccessRules | undefined, name: string) => {
    const read = ownerRules?.fields[name]?.read
    if (read) rules.push({ read, subject: `'${name}' of '${owner.name}'` })
  }
  // What it is made of may be derived, or a rollup itself. Registration has refused circles.
  const declaredRules =
    source && isMadeOfRollup(relatedModel, source)
      ? withRollupRules(relatedModel, rulesOf, readRuleOf)
      : rulesOf(relatedModel)
  const relatedRules = withDerivedRules(relatedModel, declaredRules, readRuleOf)
  addField(model, rulesOf(model), relation.name)
  addField(relatedModel, relatedRules, inverseOf.name)
  if (source) addField(relatedModel, relatedRules, source.name)
  return rules
}

/** @throws RegistrationError for a rule that the caller alone does not decide */
function callerRule(
  model: ModelDescription,
  field: RollupField,
  { read, subject }: SourceRule,
): readonly AccessExpression[] {
  const decision = decisionOf(read)
  switch (decision.kind) {
    case 'always':
      return []
    case 'caller':
      return [decision.expression]
    default:
      throw new RegistrationError(
        `the field '${field.name}' of the model '${model.name}' is a rollup, which shows something of ${subject}, but not every caller may read them. Set { countsHidden: true } and say with an access rule who may read the field, or remove it.`,
      )
  }
}
