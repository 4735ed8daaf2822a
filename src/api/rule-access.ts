import type { AccessContext } from '../access/access-context.ts'
import type { AccessDecision } from '../access/access-decision.ts'
import { conditionOf } from '../access/field-guards.ts'
import type { ModelAccess } from '../access/model-access.ts'
import type { Guards } from '../context/guards.ts'
import { decisionsOf, isAction } from '../middleware/access-decisions.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { operations } from '../rule/operations.ts'
import { type PolicyRule, pathView } from '../rule/rule.ts'
import { isRequiredFromClient } from './hidden-members.ts'

/** Access rules that all have to hold for an operation on some item of the model. */
export interface ModelDecisions {
  readonly model: ModelDescription
  readonly decisions: readonly AccessDecision[]
}

/** The access rules that an operation needs: of its model, of its field, and of related items. */
export function ruleDecisions(
  { guards }: { readonly guards: Guards },
  rule: PolicyRule,
): readonly ModelDecisions[] {
  const { model } = pathView(rule)
  const { target, view } = rule
  const access = guards.accessOf(model)
  const ofModel = access ? modelDecisions(access, rule) : []
  const field = changedField(rule)
  const ofField = field === undefined ? undefined : guards.fields.writeDecision(model, field)
  const ofRelated = target.kind === 'related' ? guards.accessOf(view.model)?.read : undefined
  return [
    { model, decisions: [...ofModel, ...(ofField ? [ofField] : [])] },
    { model: view.model, decisions: ofRelated ? [ofRelated] : [] },
  ]
}

/** The access rules of its model that an operation needs. */
export function modelDecisions(
  access: ModelAccess,
  { operation, target }: PolicyRule,
): readonly AccessDecision[] {
  return isAction(operation) && target.kind === 'action'
    ? [access.read, access.action(target.action.name)]
    : decisionsOf(access, operation)
}

/** The field that a request always changes. A relation may be replaced with what it holds. */
function changedField({ operation, target }: PolicyRule): string | undefined {
  const { changesItems, relationChange } = operations[operation]
  if (!changesItems) return undefined
  if (target.kind === 'linkage')
    return relationChange === 'replace' ? undefined : target.relation.name
  return target.kind === 'resource' ? target.path.itemField.name : undefined
}

/**
 * The access rules of the fields that every new item requires: a caller who may set one of them in
 * no item can create none.
 */
export function requiredFieldDecisions(
  { guards }: { readonly guards: Guards },
  { operation, view: { model } }: PolicyRule,
): ModelDecisions {
  if (operations[operation].creates !== 'always') return { model, decisions: [] }
  const decisions = model.fields
    .filter(isRequiredFromClient)
    .map(({ name }) => guards.fields.writeDecision(model, name))
  return { model, decisions: decisions.filter((decision) => decision !== undefined) }
}

export function isClosedToAll(all: readonly ModelDecisions[]): boolean {
  return all.some(({ decisions }) => decisions.some(({ kind }) => kind === 'never'))
}

/**
 * Is there no item with which an anonymous caller may do it? An item that is only related to
 * another one may be hidden without a refusal, so it does not count.
 */
export function isClosedToAnonymous([own]: readonly ModelDecisions[]): boolean {
  // No rule compares the caller with the time.
  return own !== undefined && isClosedTo({ caller: undefined, now: new Date(0) }, [own])
}

/** Is there no item with which the caller may do it? */
export function isClosedTo(context: AccessContext, all: readonly ModelDecisions[]): boolean {
  return all.some(({ model, decisions }) =>
    decisions.some((decision) => conditionOf(decision, model, context).kind === 'never'),
  )
}
