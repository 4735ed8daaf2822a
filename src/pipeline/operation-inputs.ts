import type { Context } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import { parseWritePrecondition } from '../http/headers/precondition.ts'
import type { NamedQueryHook } from '../middleware/hooks.ts'
import type { Approvals } from '../operation/approvals.ts'
import { linkageChangeRefusal } from '../operation/linkage/refuse-linkage-change.ts'
import type {
  ActionOperationInput,
  InputByOperation,
  LinkageChangeInput,
  ListOperationInput,
  OperationInput,
  PayloadOperationInput,
  RelatedListInput,
  RelationOperationInput,
  ResourceOperationInput,
  ResourceWriteInput,
  WriteOperationInput,
} from '../operation/operation-input.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { Validations } from '../operation/validations.ts'
import type { ModelOperation } from '../rule/operations.ts'
import { type OperationRule, pathView, type RuleOf } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import type { StoreAccess } from '../store/store.ts'
import type { PagedPlan } from './apply-page.ts'
import { implementations } from './implementations.ts'
import { compileOwnerNarrowing } from './narrow.ts'

/** What registration decides about the inputs of a rule's operation. */
export interface InputSettings {
  readonly services: RouterServices
  /** Hooks that decide which item the path may name. */
  readonly ownerHooks: readonly NamedQueryHook[]
}

/** A request for an operation, once it is decoded and its query is narrowed. */
export interface OperationRequest {
  readonly context: Context
  readonly pagedPlan: PagedPlan
  readonly selection: Selection
  readonly payload: ItemPayload | ActionPayload | undefined
}

/** One call of an operation, with the store or the transaction in which it runs. */
export interface OperationCall extends OperationRequest {
  readonly store: StoreAccess
  readonly approvals: Approvals
  readonly validations: Validations
}

/** Compiles the operation of a rule, with the input that this operation gets. */
export function compileOperation<Name extends ModelOperation>(
  rule: OperationRule<Name>,
  settings: InputSettings,
): (call: OperationCall) => Promise<OperationResult> {
  const createInput = inputFactories[rule.operation](rule, settings)
  const { operate } = implementations[rule.operation]
  return (call) => operate(createInput(call))
}

type InputFactories = {
  readonly [Name in ModelOperation]: (
    rule: OperationRule<Name>,
    settings: InputSettings,
  ) => (call: OperationCall) => InputByOperation[Name]
}

const inputFactories: InputFactories = {
  GetList: listInput,
  GetItem: baseInput,
  CreateItem: payloadInput,
  UpdateItem: payloadInput,
  ReplaceItem: payloadInput,
  DeleteItem: writeInput,
  ItemMethodApiOperation: actionInput,
  ItemApiOperation: actionInput,
  GetResource: resourceInput,
  SetResource: resourceWriteInput,
  DeleteResource: resourceWriteInput,
  RelatedGet: relatedListInput,
  RelationshipGet: relatedListInput,
  RelationshipPost: linkageChangeInput,
  RelationshipPatch: linkageChangeInput,
  RelationshipDelete: linkageChangeInput,
}

function baseInput(
  { view }: RuleOf<ModelOperation>,
  { services: { guards } }: InputSettings,
): (call: OperationCall) => OperationInput {
  return ({ store, context, pagedPlan }) => ({ store, view, context, guards, plan: pagedPlan.plan })
}

function listInput(
  rule: RuleOf<'GetList' | 'RelatedGet' | 'RelationshipGet'>,
  settings: InputSettings,
): (call: OperationCall) => ListOperationInput {
  const base = baseInput(rule, settings)
  return (call) => ({
    ...base(call),
    visibleRange: call.pagedPlan.visibleRange,
    isLastPage: call.pagedPlan.isLastPage,
    page: call.selection.page,
    withCount: call.selection.withCount,
  })
}

type RelationOperation =
  | 'RelatedGet'
  | 'RelationshipGet'
  | 'RelationshipPost'
  | 'RelationshipPatch'
  | 'RelationshipDelete'

function relationInput(
  rule: RuleOf<RelationOperation>,
  { services, ownerHooks }: InputSettings,
): (call: OperationCall) => Omit<RelationOperationInput, keyof OperationInput> {
  const relationTarget = rule.target
  const ownerPlan = compileOwnerNarrowing(services, rule, relationTarget, ownerHooks)
  return ({ context }) => ({ relationTarget, ownerPlan: ownerPlan(context) })
}

function relatedListInput(
  rule: RuleOf<'RelatedGet' | 'RelationshipGet'>,
  settings: InputSettings,
): (call: OperationCall) => RelatedListInput {
  const list = listInput(rule, settings)
  const relation = relationInput(rule, settings)
  return (call) => ({ ...list(call), ...relation(call) })
}

function writeInput(
  rule: RuleOf<ModelOperation>,
  settings: InputSettings,
): (call: OperationCall) => WriteOperationInput {
  const { requiresIfMatch } = pathView(rule)
  const base = baseInput(rule, settings)
  return (call) => ({
    ...base(call),
    precondition: parseWritePrecondition(call.context.request.headers),
    requireMatch: requiresIfMatch,
  })
}

function payloadInput(
  rule: RuleOf<'CreateItem' | 'UpdateItem' | 'ReplaceItem'>,
  settings: InputSettings,
): (call: OperationCall) => PayloadOperationInput {
  const { services } = settings
  const { missingRelatedError } = rule.request
  const write = writeInput(rule, settings)
  return (call) => ({
    ...write(call),
    views: services.views,
    missingRelatedError,
    validations: call.validations,
    maxItemValues: services.limits.maxItemValues,
    approvals: call.approvals,
    payload: requireItemPayload(call),
  })
}

function linkageChangeInput(
  rule: RuleOf<keyof typeof linkageChanges>,
  settings: InputSettings,
): (call: OperationCall) => LinkageChangeInput {
  const { services } = settings
  const { request } = rule
  if (request.kind === 'none') return refusedChangeInput(rule, settings)
  const { missingRelatedError } = request
  const relation = relationInput(rule, settings)
  const write = writeInput(rule, settings)
  return (call) => ({
    kind: 'allowed',
    ...write(call),
    ...relation(call),
    views: services.views,
    missingRelatedError,
    validations: call.validations,
    maxItemValues: services.limits.maxItemValues,
    approvals: call.approvals,
    payload: requireItemPayload(call),
  })
}

const linkageChanges = {
  RelationshipPost: 'add',
  RelationshipPatch: 'replace',
  RelationshipDelete: 'remove',
} as const

function refusedChangeInput(
  rule: RuleOf<keyof typeof linkageChanges>,
  settings: InputSettings,
): (call: OperationCall) => LinkageChangeInput {
  const refuse = linkageChangeRefusal(rule.target.relation, linkageChanges[rule.operation])
  if (!refuse)
    throw new Error(`'${rule.method} ${rule.path}' changes a relation, so it needs a body.`)
  const base = baseInput(rule, settings)
  const relation = relationInput(rule, settings)
  return (call) => ({ kind: 'refused', ...base(call), ...relation(call), refuse })
}

function actionInput(
  rule: RuleOf<'ItemMethodApiOperation' | 'ItemApiOperation'>,
  settings: InputSettings,
): (call: OperationCall) => ActionOperationInput {
  const { services } = settings
  const { target, request, response } = rule
  const write = writeInput(rule, settings)
  return (call) => ({
    ...write(call),
    views: services.views,
    missingRelatedError: request.missingRelatedError,
    validations: call.validations,
    action: target.action,
    actionPayload: requireActionPayload(call),
    serializer: response.serializer,
    actionTimeoutMs: services.actionTimeoutMs,
  })
}

type ResourceOperation = 'GetResource' | 'SetResource' | 'DeleteResource'

function resourceInput(
  rule: RuleOf<ResourceOperation>,
  settings: InputSettings,
): (call: OperationCall) => ResourceOperationInput {
  const { blobs, variants } = settings.services
  if (!blobs)
    throw new Error(
      `The path '${rule.path}' serves a binary resource; expected the option 'blobs' of createRouter().`,
    )
  const base = baseInput(rule, settings)
  return (call) => ({
    ...base(call),
    resourceTarget: rule.target,
    blobs,
    variants,
  })
}

function resourceWriteInput(
  rule: RuleOf<'SetResource' | 'DeleteResource'>,
  settings: InputSettings,
): (call: OperationCall) => ResourceWriteInput {
  const resource = resourceInput(rule, settings)
  const write = writeInput(rule, settings)
  return (call) => ({ ...resource(call), ...write(call) })
}

/** Rules that read an item or a linkage decode one. */
function requireItemPayload({ payload }: OperationCall): ItemPayload {
  if (payload && 'values' in payload) return payload
  throw new Error('The operation needs the payload of an item.')
}

/** Rules of actions decode an input, even an absent one. */
function requireActionPayload({ payload }: OperationCall): ActionPayload {
  if (payload && 'kind' in payload) return payload
  throw new Error('The operation needs the payload of an action.')
}
