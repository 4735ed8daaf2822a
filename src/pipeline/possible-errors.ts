import type { ErrorCode } from '../error/catalog.ts'
import { canBeRestricted } from '../model/delete-restrictions.ts'
import { hasKeyFields } from '../model/key-fields.ts'
import { isWritable, type ModelView, type ModelViews } from '../model/model-view.ts'
import { narrowsItems } from '../model/narrows-items.ts'
import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import { operations } from '../rule/operations.ts'
import { type PolicyRule, pathView, relationTargetOf } from '../rule/rule.ts'
import { writtenInverses } from '../rule/written-inverses.ts'
import type { Store } from '../store/store.ts'
import type { RouterServices } from './router-services.ts'

type Condition = (rule: PolicyRule, views: ModelViews, store: Pick<Store, 'facts'>) => boolean

/**
 * An operation declares what it can refuse with for any model. These errors are possible only with
 * some models, or at some addresses; all others always are.
 */
const conditions: { readonly [code in ErrorCode]?: Condition } = {
  // An item that the caller can see but not replace is not created either.
  'not-found': (rule, views) =>
    !canUpsert(rule) || rule.view.hasWriteGuards || changesGuardedInverses(rule, views),
  'already-exists': (rule) =>
    rule.target.kind === 'trashed' ||
    (createsItems(rule) && (rule.view.model.ids !== 'server' || hasKeyFields(rule.view.model))),
  'invalid-id': (rule) => createsItems(rule) || reads(rule, 'invalid-id'),
  'id-not-allowed': (rule) => createsItems(rule) && rule.view.model.ids === 'server',
  'invalid-member': (rule, _, { facts }) =>
    facts?.hasUnknownRules === true || !relationTargetOf(rule) || canClearRequiredRelation(rule),
  'invalid-resource': ({ view }) => view.model.resourcePaths.length > 0,
  'value-taken': canTakeValues,
  'still-referenced': ({ view }, _, { facts }) =>
    facts?.canRefuseRemovals === true || canBeRestricted(view.model),
  'invalid-relation': hasRelations,
  'related-not-found': (rule) =>
    hasRelations(rule) && (names(rule, 'related-not-found') || isRestored(rule)),
  'related-missing': (rule) => hasRelations(rule) && names(rule, 'related-missing'),
  conflict: (rule) =>
    rule.target.kind === 'action' ||
    (operations[rule.operation].creates !== 'always' && canRemoveRequiredRelation(rule)),
  forbidden: canBeForbidden,
  'precondition-required': (rule, views) =>
    (operations[rule.operation].creates !== 'always' && pathView(rule).requiresIfMatch) ||
    writtenInverses(rule).some(({ relatedModel }) => views.of(relatedModel).requiresIfMatch),
  unprocessable: readsImages,
  'image-too-large': readsImages,
  // A service that closes stops the variants that it makes.
  'shutting-down': readsImages,
}

/** Whether a rule can respond with an error that its operation declares. */
export function isErrorPossible(
  code: ErrorCode,
  rule: PolicyRule,
  { views, store }: Pick<RouterServices, 'views' | 'store'>,
): boolean {
  return conditions[code]?.(rule, views, store) ?? true
}

/** Is a version, or an item in the trash, what a body is elsewhere? */
function isRestored({ target }: PolicyRule): boolean {
  return target.kind === 'version' || target.kind === 'trashed'
}

function canUpsert({ operation, view }: PolicyRule): boolean {
  return operations[operation].creates === 'withUpsert' && view.model.allowsUpsert
}

function createsItems(rule: PolicyRule): boolean {
  return operations[rule.operation].creates === 'always' || canUpsert(rule)
}

function hasRelations(rule: PolicyRule): boolean {
  return (
    relationTargetOf(rule) !== undefined ||
    rule.target.kind === 'action' ||
    rule.view.model.relations.length > 0
  )
}

/** Can the request write a unique value, or a part of a unique set, here or at related items? */
function canTakeValues(rule: PolicyRule): boolean {
  const { valueFields, uniqueSets, uniqueRanges } = rule.view.model
  const sets = [...uniqueSets, ...uniqueRanges]
  const relation = relationTargetOf(rule)?.relation
  const isTaken = relation
    ? sets.some(({ fields }) => fields.some((field) => field === relation))
    : valueFields.some((field) => field.isUnique) || sets.length > 0
  return (
    isTaken ||
    writtenInverses(rule).some(({ relatedModel, inverseOf }) =>
      [...relatedModel.uniqueSets, ...relatedModel.uniqueRanges].some(({ fields }) =>
        fields.some((field) => field === inverseOf),
      ),
    )
  )
}

/** Whether the reader of the policy refuses with it. */
function reads({ request }: PolicyRule, code: ErrorCode): boolean {
  return 'errors' in request && request.errors.includes(code)
}

/** Whether this is the code that the policy chose for a missing related item. */
function names({ request }: PolicyRule, code: ErrorCode): boolean {
  return 'missingRelatedError' in request && request.missingRelatedError === code
}

/** Only null in a required to-one relation violates the model. */
function canClearRequiredRelation(rule: PolicyRule): boolean {
  const relation = relationTargetOf(rule)?.relation
  return (
    operations[rule.operation].relationChange === 'replace' &&
    relation?.kind === 'toOne' &&
    !relation.isOptional
  )
}

/** Items can only be removed from an inverse relation if they do not require it. */
function canRemoveRequiredRelation(rule: PolicyRule): boolean {
  return writtenInverses(rule).some(
    ({ inverseOf }) => inverseOf.kind === 'toOne' && !inverseOf.isOptional,
  )
}

/** Can the request change items of other models whose access rules or query hooks may refuse it? */
function changesGuardedInverses(rule: PolicyRule, views: ModelViews): boolean {
  return writtenInverses(rule).some(({ relatedModel }) => views.of(relatedModel).hasWriteGuards)
}

/**
 * Query hooks may refuse what is written, and changes of the item and of others. Only the service
 * can set some members, and some relations cannot be replaced.
 */
function canBeForbidden(rule: PolicyRule, views: ModelViews): boolean {
  if (pathView(rule).guardedChanges.has(rule.operation)) return true
  if (!operations[rule.operation].changesItems) return false
  return (
    pathView(rule).hasOutcomeGuards ||
    (rule.target.kind === 'action' && narrowsItems(rule.target.action)) ||
    changesGuardedInverses(rule, views) ||
    hasUnreplaceableRelations(rule) ||
    canSetServiceFields(rule) ||
    (createsItems(rule) && needsServerValues(rule.view))
  )
}

/** Can the operation try to replace a relation with `replace: false`? */
function hasUnreplaceableRelations({ operation, view }: PolicyRule): boolean {
  return (
    operations[operation].relationChange === 'members' &&
    view.model.relations.some((relation) => relation.kind !== 'toOne' && !relation.isReplaceable)
  )
}

/** Can the body have fields that clients may only send back? */
function canSetServiceFields(rule: PolicyRule): boolean {
  const relation = relationTargetOf(rule)?.relation
  if (relation) return isReadOnlyRelation(relation)
  return (
    (createsItems(rule) || operations[rule.operation].relationChange === 'members') &&
    rule.view.model.serviceFields.length > 0
  )
}

/** Does the model have a required field that clients cannot set? */
function needsServerValues(view: ModelView): boolean {
  return view.model.valueFields.some(
    (field) =>
      field.isRequiredInRequest && (field.visibility === 'readOnly' || !isWritable(view, field)),
  )
}

/** A variant is made from its original when it is requested; an upload may have a limit. */
function readsImages({ response, target }: PolicyRule): boolean {
  if (target.kind !== 'resource') return false
  return response.content === 'resource'
    ? target.variant !== undefined
    : target.path.field.maxPixels !== undefined
}
