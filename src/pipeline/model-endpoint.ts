import { memoizeBy } from '../cache/memoize-by.ts'
import type { Context } from '../context/context.ts'
import { type DocumentCache, documentCacheOf } from '../document/document-cache.ts'
import { compileListStrategy } from '../document/list-strategy.ts'
import { rawLineWriter } from '../document/raw-line-writer.ts'
import { type Representer, representer } from '../document/represent.ts'
import type { ResponseEndpoint } from '../document/response-context.ts'
import { sentVersions } from '../document/sent-versions.ts'
import type { Hooks } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { type Approvals, noApprovalNeeded } from '../operation/approvals.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import { OperationStore } from '../operation/unit-of-work/operation-store.ts'
import type { UnitOfWork } from '../operation/unit-of-work/unit-of-work.ts'
import { retryUntilValidated, Validations } from '../operation/validations.ts'
import type { Condition } from '../query/query-plan.ts'
import { operations } from '../rule/operations.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import { queryBoundsOf } from '../rule/parameter/query-bounds.ts'
import { inOtherType } from '../rule/response-shape.ts'
import { type ModelRule, relationTargetOf } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import { ChangeLimit } from '../store/change-limit.ts'
import { allowManyChanges } from '../store/store-for-caller.ts'
import type { BeginObserver } from '../store/write-observer.ts'
import type { PagedPlan } from './apply-page.ts'
import { compileChangesPosition } from './changes-position.ts'
import { compileOperation } from './compile-operation.ts'
import type { Deferral } from './deferral.ts'
import {
  compileItemCondition,
  compileListPlan,
  compileNarrowing,
  type ListCondition,
} from './narrow.ts'
import type { OperationCall, OperationRequest } from './operation-inputs.ts'
import type { RelatedModelHooks } from './related-model-hooks.ts'
import { responseAddress } from './response-address.ts'
import type { RouterServices } from './router-services.ts'
import { type OperationOutcome, type OtherUpdates, withApprovals } from './with-approvals.ts'
import { writeSource } from './write-source.ts'

/** A rule about one model, with everything that is decided at registration. */
export interface ModelEndpoint extends ResponseEndpoint {
  readonly kind: 'model'
  readonly hooks: Hooks
  /** Request hooks of other models that the parameters and the body of a request lead to. */
  readonly relatedHooks: RelatedModelHooks['forRequest']
  /** Request hooks of reading the item, for a request whose path names none. */
  readonly readHooks: RelatedModelHooks['ofReading']
  /** The endpoints for other media types; undefined where there are none. */
  readonly alternatives: readonly ModelEndpoint[] | undefined
  /** Where to follow changes of what the response shows; undefined where clients cannot. */
  readonly changesPosition: ((request: OperationRequest) => Promise<string>) | undefined
  documentCache(selection: Selection): DocumentCache | undefined
  address(context: Context): string
  select(query: string): Selection
  /** Whether a request with this selection yields to others. */
  isLong(selection: Selection): boolean
  narrow(selection: Selection, context: Context): PagedPlan | Promise<PagedPlan>
  /** What the item in the path must satisfy for the operation to find it, besides its id. */
  itemCondition(context: Context): Condition
  /** The endpoint that changes an item which a line has already. */
  readonly updateEndpoint?: ModelEndpoint | undefined
  /** Carries out bodies with lines after their responses; undefined where nothing does. */
  readonly deferral: Deferral | undefined
  /** What runs the operation of a request; undefined where `operate` does. */
  readonly runnerOf: ((context: Context) => OperationRunner | undefined) | undefined
  /**
   * Runs the operation in a transaction of its own, after the hooks of other models.
   * @param recorder keeps the result in the transaction
   */
  operate(request: OperationRequest, recorder?: BeginObserver): Promise<OperationOutcome>
  /** The other models whose items the operation may change. */
  readonly otherUpdates: OtherUpdates
  /** Runs the operation inside a transaction of the caller, whose store the call has. */
  operateInTransaction(call: OperationCall): Promise<OperationResult>
}

/** Runs the operation of one request in place of its endpoint. */
export interface OperationRunner {
  /** Called with the bytes of a body that is read as a whole, before they are parsed. */
  readonly addBody: (bytes: Uint8Array) => void
  /**
   * Refuses a body with several items, which it cannot run.
   * @throws ApiError
   */
  refuseLines(): never
  run(endpoint: ModelEndpoint, request: OperationRequest): Promise<OperationOutcome>
}

/** What features run requests with. */
type RequestRunners = Pick<ModelEndpoint, 'runnerOf' | 'deferral'>

const noRunners: RequestRunners = Object.freeze({ runnerOf: undefined, deferral: undefined })

export function modelEndpoint(
  services: RouterServices,
  rule: ModelRule,
  ownHooks: Hooks,
  modelHooks: RelatedModelHooks,
  otherUpdates: OtherUpdates,
  { runnerOf, deferral }: RequestRunners = noRunners,
): ModelEndpoint {
  const { view } = rule
  const hooks: Hooks = { ...ownHooks, request: [...ownHooks.request, ...modelHooks.always] }
  const representers = representersOf(services)
  const pathNames = relationTargetOf(rule) ? 'owner' : 'item'
  const listPlan = compileListPlan(services, view.model, hooks.query, pathNames)
  const listCondition: ListCondition = (selection, context) =>
    listPlan(selection, context).condition
  const operation = compileOperation(rule, {
    services,
    owner: hooks.owner,
    listCondition,
    sentVersions: (of) => sentVersions(services, of, representers.get(of.model)!),
    listPlan,
  })
  const isList = listContents.has(rule.response.content)
  const { changesItems, changesRelatedItems, isLong } = operations[rule.operation]
  const observers: readonly BeginObserver<UnitOfWork>[] = [
    ...services.writeObservers,
    () => new ChangeLimit(services.limits.maxChangedItems),
  ]
  return {
    kind: 'model',
    rule,
    model: view.model,
    serializer: rule.response.serializer,
    hooks,
    relatedHooks: modelHooks.forRequest,
    readHooks: modelHooks.ofReading,
    representers,
    alternatives: rule.response.alternatives?.map((alternative) =>
      modelEndpoint(
        services,
        Object.freeze({ ...rule, response: inOtherType(rule.response, alternative) }),
        ownHooks,
        modelHooks,
        otherUpdates,
      ),
    ),
    rawLineWriter: rawLineWriter(services, rule.response.serializer),
    listStrategy: compileListStrategy(rule, representers),
    changesPosition: compileChangesPosition(services, rule, listCondition),
    documentCache: documentCacheOf(services.itemDocuments, rule),
    address: responseAddress(services, rule),
    isLong: ({ include }) => isLong || include !== undefined,
    select: createParameterReader(rule.parameters, queryBoundsOf(rule)),
    narrow: compileNarrowing(
      services,
      view.model,
      hooks.query,
      pathNames,
      isList ? 'list' : 'items',
    ),
    itemCondition: compileItemCondition(services, rule, hooks),
    deferral,
    runnerOf,
    operate: (request, recorder) => {
      const { context, payload } = request
      const validations = new Validations(services.validationTimeoutMs, context)
      const store = new OperationStore(
        changesItems ? services.wholeStore : services.store,
        changesRelatedItems ? allowManyChanges(context) : context,
        recorder ? [...observers, recorder] : observers,
        changesItems ? () => writeSource(rule, context, payload, validations) : undefined,
      )
      if (!changesItems && otherUpdates.size === 0)
        return operation(operationCall(request, store, noApprovalNeeded, validations))
      const run = (approvals: Approvals) => {
        const call = operationCall(request, store, approvals, validations)
        return changesItems
          ? retryUntilValidated(validations, () => operation(call))
          : operation(call)
      }
      return otherUpdates.size === 0
        ? run(noApprovalNeeded)
        : withApprovals(otherUpdates, context, run)
    },
    otherUpdates,
    operateInTransaction: operation,
  }
}

const listContents: ReadonlySet<string> = new Set(['list', 'changes', 'groups'])

/** A spread of the request would cost 4 µs. */
function operationCall(
  { context, pagedPlan, selection, payload }: OperationRequest,
  store: OperationStore,
  approvals: Approvals,
  validations: Validations,
): OperationCall {
  return { context, pagedPlan, selection, payload, store, approvals, validations }
}

/** Shared by all rules of a router. */
export const representersOf: (
  services: RouterServices,
) => ReadonlyMap<ModelDescription, Representer> = memoizeBy(
  (services: RouterServices) =>
    new Map(services.views.all.map((view) => [view.model, representer(services, view)])),
)
