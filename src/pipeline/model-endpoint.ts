import { memoizeBy } from '../cache/memoize-by.ts'
import type { Context } from '../context/context.ts'
import { type DocumentCache, documentCacheOf } from '../document/document-cache.ts'
import { listStrategy } from '../document/list-strategy.ts'
import { isItemSentAsStored, type Representer, representer } from '../document/represent.ts'
import type { RouterServices } from '../document/router-services.ts'
import { serializedPageReader } from '../document/serialized-pages.ts'
import { type Precondition, parseWritePrecondition } from '../http/headers/precondition.ts'
import type { Hooks } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { type Approvals, noApprovalNeeded } from '../operation/approvals.ts'
import type { OperationResult, SerializedPageReader } from '../operation/operation-input.ts'
import { retryUntilValidated, Validations } from '../operation/validations.ts'
import type { ModelOperation } from '../rule/operations.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import type { ModelRule, ResponseShape } from '../rule/rule.ts'
import { defaultSelection, type Selection } from '../rule/selection.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import type { StoreAccess } from '../store/store.ts'
import { allowManyChanges, storeForCaller } from '../store/store-for-caller.ts'
import type { PagedPlan } from './apply-page.ts'
import { type AnyOperationInput, implementations } from './implementations.ts'
import { compileNarrowing, compileOwnerNarrowing } from './narrow.ts'
import type { RelatedModelHooks } from './related-model-hooks.ts'
import { responseAddress } from './response-address.ts'
import { type OperationOutcome, type OtherUpdates, withApprovals } from './with-approvals.ts'

const noPrecondition: Precondition = Object.freeze({ kind: 'none' })

/** A rule about one model, with all that is decided about it at registration. */
export interface ModelEndpoint {
  readonly kind: 'model'
  readonly rule: ModelRule
  readonly hooks: Hooks
  /**
   * Request hooks of other models, beside those that run in any case, by what parameters and body
   * lead to.
   */
  readonly relatedHooks: RelatedModelHooks['forRequest']
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  /**
   * The same for clients that would rather have another media type; undefined where there is one
   * alone.
   */
  readonly alternative: ModelEndpoint | undefined
  readonly readPage: SerializedPageReader
  documentCache(selection: Selection): DocumentCache | undefined
  address(context: Context): string
  select(query: string): Selection
  narrow(selection: Selection, context: Context): PagedPlan | Promise<PagedPlan>
  operate(
    context: Context,
    placed: PagedPlan,
    selection: Selection,
    sent: ItemPayload | ActionPayload | undefined,
  ): Promise<OperationOutcome>
  /** The models whose items it may come to change beside its own. */
  readonly otherUpdates: OtherUpdates
  /** The same in a transaction that is under way, for who asks others about it himself. */
  operateInTransaction(
    store: StoreAccess,
    permits: Approvals,
    validations: Validations,
    context: Context,
    placed: PagedPlan,
    sent: ItemPayload | undefined,
  ): Promise<OperationResult>
}

export function modelEndpoint(
  parts: RouterServices,
  rule: ModelRule,
  ownHooks: Hooks,
  reached: RelatedModelHooks,
  others: OtherUpdates,
): ModelEndpoint {
  const { guards, views, actionTimeoutMs, validationTimeoutMs } = parts
  const { view, relationTarget, action, request } = rule
  const { requiresIfMatch } = (relationTarget ?? rule).view
  const hooks: Hooks = { ...ownHooks, request: [...ownHooks.request, ...reached.always] }
  const operation = implementations[rule.operation]
  const representers = representersOf(parts)
  const own = representers.get(view.model)!
  const pages = serializedPageReader(parts, rule.response.serializer)
  const documents = documentCacheOf(parts.serializedDocuments, rule)
  const form = listStrategy(pages, rule, representers)
  const isRead = rule.method === 'GET'
  const isList = rule.response.content === 'list'
  const changesMany = operationsWithRelatedChanges.has(rule.operation)
  const missingRelated =
    'missingRelatedError' in request ? request.missingRelatedError : 'related-not-found'
  const owner = relationTarget && compileOwnerNarrowing(parts, rule, relationTarget, hooks.owner)
  const jobOf = (
    store: StoreAccess,
    context: Context,
    { plan, visibleRange, isLastPage }: PagedPlan,
    selection: Selection,
    sent: ItemPayload | ActionPayload | undefined,
    permits: Approvals,
    validations: Validations,
  ): AnyOperationInput => ({
    store,
    view,
    context,
    guards,
    plan,
    visibleRange,
    isLastPage,
    page: selection.page,
    strategy: form(selection),
    isSentAsStored: isItemSentAsStored(own, selection),
    documentCache: documents(selection),
    withCount: selection.withCount,
    precondition: isRead ? noPrecondition : parseWritePrecondition(context.request.headers),
    requireMatch: requiresIfMatch,
    missingRelatedError: missingRelated,
    approvals: permits,
    validations,
    maxItemValues: parts.limits.maxItemValues,
    views,
    actionTimeoutMs,
    // Operations that read a body stand behind rules that decode one; those on relations and
    // actions, behind rules that name one; so do those on binary resources, which only routers with
    // blobs have.
    payload: sent as AnyOperationInput['payload'],
    actionPayload: sent as AnyOperationInput['actionPayload'],
    action: action as AnyOperationInput['action'],
    serializer: rule.response.serializer,
    relationTarget: relationTarget as AnyOperationInput['relationTarget'],
    resourceTarget: rule.resourceTarget as AnyOperationInput['resourceTarget'],
    blobs: parts.blobs as AnyOperationInput['blobs'],
    variants: parts.variants as AnyOperationInput['variants'],
    ownerPlan: owner?.(context) as AnyOperationInput['ownerPlan'],
  })
  return {
    kind: 'model',
    rule,
    hooks,
    relatedHooks: reached.forRequest,
    representers,
    alternative:
      rule.response.alternative &&
      modelEndpoint(
        parts,
        alternativeRule(rule, rule.response.alternative),
        ownHooks,
        reached,
        others,
      ),
    readPage: pages,
    documentCache: documents,
    address: responseAddress(parts, rule),
    select: createParameterReader(rule.parameters),
    narrow: compileNarrowing(
      parts,
      view.model,
      hooks.query,
      relationTarget ? 'owner' : 'item',
      isList ? 'list' : 'items',
    ),
    operate: (context, placed, selection, sent) => {
      const validations = new Validations(validationTimeoutMs, context)
      const perform = (permits: Approvals) => {
        const job = () =>
          jobOf(
            storeForCaller(
              parts.store,
              changesMany ? allowManyChanges(context) : context,
              parts.limits.maxChangedItems,
            ),
            context,
            placed,
            selection,
            sent,
            permits,
            validations,
          )
        return isRead ? operation(job()) : retryUntilValidated(validations, () => operation(job()))
      }
      return others.size === 0 ? perform(noApprovalNeeded) : withApprovals(others, context, perform)
    },
    otherUpdates: others,
    operateInTransaction: (store, permits, validations, context, placed, sent) =>
      operation(jobOf(store, context, placed, defaultSelection, sent, permits, validations)),
  }
}

/**
 * Deletions reach what refers to the item, and relationships may be stored at the items that they
 * name.
 */
const operationsWithRelatedChanges: ReadonlySet<ModelOperation> = new Set([
  'DeleteItem',
  'RelationshipPost',
  'RelationshipPatch',
  'RelationshipDelete',
])

function alternativeRule(
  rule: ModelRule,
  { serializer }: Pick<ResponseShape, 'serializer'>,
): ModelRule {
  const { alternative: _, ...response } = rule.response
  return Object.freeze({ ...rule, response: { ...response, serializer } })
}

/** The same for all rules of a router. */
const representersOf = memoizeBy(
  (parts: RouterServices): ReadonlyMap<ModelDescription, Representer> =>
    new Map(parts.views.all.map((one) => [one.model, representer(parts, one)])),
)
