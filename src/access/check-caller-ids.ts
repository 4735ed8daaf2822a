import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { relatedModelAt, resolvePath } from '../store/resolve-path.ts'
import {
  type AccessExpression,
  type AccessRules,
  isStoredOperand,
  type StoredOperand,
} from './access-rules.ts'
import { comparisonsIn } from './parts-of-expression.ts'

/** A member of the caller that a rule compares with ids, or sets a relation to. */
interface IdUse {
  /** The member of the caller. */
  readonly member: string
  /** Whose ids they are. */
  readonly model: ModelDescription
  /** Where a rule says so. */
  readonly place: string
}

/**
 * Ids of two models are texts alike, so the compiler takes the id of a person for one of a
 * membership. Here each member of the caller holds ids of one model.
 * @param rules of all models of a router
 * @throws RegistrationError for a member that rules compare with ids of two models
 */
export function checkCallerIds(rules: ReadonlyMap<ModelDescription, AccessRules>): void {
  const uses = new Map<string, IdUse>()
  for (const [model, ofModel] of rules)
    for (const use of [...setIds(model, ofModel), ...comparedIds(model, ofModel)]) {
      const earlier = uses.get(use.member) ?? use
      uses.set(use.member, earlier)
      if (earlier.model !== use.model) refuseTwoModels(earlier, use)
    }
}

function refuseTwoModels(first: IdUse, second: IdUse): never {
  throw new RegistrationError(
    `Access rules take '${first.member}' of the caller for the id of a '${first.model.name}' (${first.place}) and of a '${second.model.name}' (${second.place}). Correct one of them, or give the caller a member for each.`,
  )
}

function setIds(model: ModelDescription, { set }: AccessRules): readonly IdUse[] {
  return Object.entries(set).flatMap(([name, operand]) => {
    const field = model.fieldsByName.get(name)
    const place = `'set.${name}' of '${model.name}'`
    return operand.kind === 'caller' && field?.kind === 'toOne'
      ? [{ member: operand.path.join('.'), model: field.relatedModel, place }]
      : []
  })
}

function comparedIds(model: ModelDescription, rules: AccessRules): readonly IdUse[] {
  return expressionsOf(rules).flatMap((expression) => idsComparedIn(model, expression))
}

function idsComparedIn(model: ModelDescription, expression: AccessExpression): readonly IdUse[] {
  return comparisonsIn(expression).flatMap((comparison): readonly IdUse[] => {
    const { left } = comparison
    if (!isStoredOperand(left)) return []
    if (comparison.kind === 'some')
      return idsComparedIn(relatedModelAt(model, { names: left.path }), comparison.expression)
    // Parts of ids are of no model.
    if (!('right' in comparison) || comparison.kind === 'text') return []
    if (comparison.right.kind !== 'caller') return []
    const ofIds = modelOfIds(model, left)
    const place = `'${left.path.join('.')}' of '${model.name}'`
    return ofIds ? [{ member: comparison.right.path.join('.'), model: ofIds, place }] : []
  })
}

/** The model whose ids a path leads to; undefined if it leads to other values. */
function modelOfIds(
  model: ModelDescription,
  { path: names }: StoredOperand,
): ModelDescription | undefined {
  const { leaf, model: owner } = resolvePath(model, { names })
  if (leaf.kind === 'id') return owner
  return leaf.kind === 'value' ? undefined : leaf.field.relatedModel
}

function expressionsOf({ fields, actions, ...rules }: AccessRules): readonly AccessExpression[] {
  return [
    rules.read,
    rules.create,
    rules.update,
    rules.delete,
    ...Object.values(actions),
    ...Object.values(fields).flatMap(({ read, write }) => [read, write]),
  ].filter((expression) => expression !== undefined)
}
