import type { DerivedField, ModelDescription, RollupField } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { type AccessDecision, decisionOf } from './access-decision.ts'
import type { AccessExpression } from './access-rules.ts'
import { type FieldDecisions, type ModelAccess, modelAccess } from './model-access.ts'

/** A rule of what a rollup is made of, and of what it is a rule. */
interface SourceRule {
  readonly read: AccessDecision
  readonly subject: string
}

/**
 * Who may not read what a rollup is made of may not read the rollup: its rule gets those of its
 * sources, which the caller alone decides. A rollup is made of all items, so no rule of single
 * items can hold for it.
 * @param accesses those of models with rules; changed in place
 * @throws RegistrationError for a rollup of what not every reader of the model may read
 */
export function addRollupRules(
  models: Iterable<ModelDescription>,
  accesses: Map<ModelDescription, ModelAccess>,
): void {
  for (const model of models)
    for (const field of model.rollupFields) {
      if (field.computed.of === 'all') continue
      const expressions = sourceRules(model, field, accesses).flatMap((rule) =>
        callerRule(model, field, rule),
      )
      if (expressions.length === 0) continue
      for (const made of [field, ...derivedFrom(model, field)])
        addRule(model, made, expressions, accesses)
    }
}

function sourceRules(
  model: ModelDescription,
  { computed: { relation, source } }: RollupField,
  accesses: ReadonlyMap<ModelDescription, ModelAccess>,
): readonly SourceRule[] {
  const { relatedModel, inverseOf } = relation
  const related = accesses.get(relatedModel)
  const rules: SourceRule[] = related
    ? [{ read: related.read, subject: `all items of '${relatedModel.name}'` }]
    : []
  const addField = (owner: ModelDescription, name: string) => {
    const rule = accesses.get(owner)?.fields.find((each) => each.field.name === name)
    if (rule) rules.push({ read: rule.read, subject: `'${name}' of '${owner.name}'` })
  }
  addField(model, relation.name)
  addField(relatedModel, inverseOf.name)
  if (source) addField(relatedModel, source.name)
  return rules
}

/** @throws RegistrationError for a rule that the caller alone does not decide */
function callerRule(
  model: ModelDescription,
  field: RollupField,
  { read, subject }: SourceRule,
): readonly AccessExpression[] {
  switch (read.kind) {
    case 'always':
      return []
    case 'caller':
      return [read.expression]
    default:
      throw new RegistrationError(
        `the field '${field.name}' of the model '${model.name}' is a rollup, which shows something of ${subject}, but not every caller may read them. Set { of: 'all' } and say with an access rule who may read '${field.name}', or remove the field.`,
      )
  }
}

/** What is derived from the rollup, and from that. */
function derivedFrom(model: ModelDescription, field: RollupField): readonly DerivedField[] {
  const names = new Set([field.name])
  // Each follows those that it is derived from.
  return model.derivedFields.filter(({ name, visibility, computed }) => {
    if (visibility === 'hidden' || !computed.from.some((source) => names.has(source))) return false
    names.add(name)
    return true
  })
}

function addRule(
  model: ModelDescription,
  field: RollupField | DerivedField,
  expressions: readonly AccessExpression[],
  accesses: Map<ModelDescription, ModelAccess>,
): void {
  const access = accesses.get(model) ?? modelAccess(model, undefined, false)
  const own = access.fields.find((each) => each.field === field)
  const parts = own ? [expressionOf(own.read), ...expressions] : expressions
  const read = decisionOf({ kind: 'and', expressions: parts })
  const decisions: FieldDecisions = { field, read, write: own?.write ?? read }
  accesses.set(
    model,
    Object.freeze({
      ...access,
      fields: [...access.fields.filter((each) => each !== own), decisions],
    }),
  )
}

function expressionOf(decision: AccessDecision): AccessExpression {
  switch (decision.kind) {
    case 'always':
      return { kind: 'anyone' }
    case 'never':
      return { kind: 'nobody' }
    default:
      return decision.expression
  }
}
