import type { DerivedField, ModelDescription } from '../model/model-description.ts'
import type { AccessExpression, AccessOperand, AccessRules, FieldAccess } from './access-rules.ts'
import { isAboutItem } from './parts-of-expression.ts'

/** Who reads the items of a model. */
export type ReadRuleOf = (model: ModelDescription) => AccessExpression

/**
 * The rules of a model with those that its derived fields have because of their sources: who may
 * not read one of these may not read what is derived from it. The rules themselves if there are
 * none to add.
 */
export function withDerivedRules(
  model: ModelDescription,
  rules: AccessRules | undefined,
  readRuleOf: ReadRuleOf,
): AccessRules | undefined {
  const fields: Record<string, FieldAccess> = { ...rules?.fields }
  let isChanged = false
  // Each follows those that it is derived from.
  for (const field of model.derivedFields) {
    if (field.visibility === 'hidden') continue
    const sources = sourceRules(model, field, fields, readRuleOf)
    if (sources.length === 0) continue
    const own = fields[field.name]?.read
    const expressions = own ? [own, ...sources] : sources
    fields[field.name] = { read: { kind: 'and', expressions } }
    isChanged = true
  }
  return isChanged ? { actions: {}, set: {}, ...rules, fields } : rules
}

function sourceRules(
  { fieldsByName }: ModelDescription,
  { computed }: DerivedField,
  fields: Readonly<Record<string, FieldAccess>>,
  readRuleOf: ReadRuleOf,
): readonly AccessExpression[] {
  return computed.from.flatMap((name): AccessExpression[] => {
    const own = fields[name]?.read
    const source = fieldsByName.get(name)!
    const rules = own ? [own] : []
    if (source.kind !== 'toOne') return rules
    const related = readRuleOf(source.relatedModel)
    return related.kind === 'anyone' ? rules : [...rules, ofRelated(name, related)]
  })
}

/** Responses show the id of a related item to those who may read this item. */
function ofRelated(relation: string, expression: AccessExpression): AccessExpression {
  const isNull = (...path: readonly string[]): AccessExpression => ({
    kind: 'isNull',
    left: { kind: 'item', path },
  })
  const seen = through(relation, expression)
  // A rule such as `secret.notEqual(true)` would hold for an item that has been deleted.
  const exists: AccessExpression = { kind: 'not', expression: isNull(relation, 'id') }
  return {
    kind: 'or',
    expressions: [
      isNull(relation),
      isAboutItem(expression) ? { kind: 'and', expressions: [exists, seen] } : seen,
    ],
  }
}

/** The rule of related items, as one of the item that relates to them. */
function through(relation: string, expression: AccessExpression): AccessExpression {
  const inner = (each: AccessExpression) => through(relation, each)
  const operand = <O extends AccessOperand>(value: O): O =>
    value.kind === 'item' ? { ...value, path: [relation, ...value.path] } : value
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { kind: expression.kind, expressions: expression.expressions.map(inner) }
    case 'not':
      return { kind: 'not', expression: inner(expression.expression) }
    // What stands in it is about the items of the relation.
    case 'some':
    case 'isNull':
      return { ...expression, left: operand(expression.left) }
    case 'compare':
    case 'text':
    case 'members':
    case 'oneOf':
      return { ...expression, left: operand(expression.left), right: operand(expression.right) }
    case 'anyone':
    case 'nobody':
    case 'signedIn':
      return expression
  }
}
