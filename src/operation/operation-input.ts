import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ErrorSource } from '../error/problem.ts'
import type { Precondition } from '../http/headers/precondition.ts'
import type { ActionDescription } from '../model/action-description.ts'
import type { ItemsOf } from '../model/items/items.ts'
import type { OwnedRelation } from '../model/model-description.ts'
import type { ModelView, ModelViews } from '../model/model-view.ts'
import type { Condition, FieldPath, OffsetPlan, QueryPlan } from '../query/query-plan.ts'
import type { MissingRelatedError } from '../rule/request-shape.ts'
import type {
  GroupsSelection,
  Page,
  RequestedAggregate,
  RequestedFacet,
  RequestedSearch,
} from '../rule/selection.ts'
import type { RelationTarget, ResourceTarget } from '../rule/target.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import type { Serializer } from '../serializer/serializer.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { Approvals } from './approvals.ts'
import type { ChangeFeed } from './changes/change-feed.ts'
import type { ImageVariants } from './resource/image-variants.ts'
import type { SentVersions } from './sent-versions.ts'
import type { StoreAccess } from './unit-of-work/operation-store.ts'
import type { UnitOfWork } from './unit-of-work/unit-of-work.ts'
import type { Validations } from './validations.ts'
import type { VisibleRange } from './visible-range.ts'
import type { RunInAction, RunningTransaction } from './write-hooks/code-runner.ts'

/**
 * What every operation gets. The pipeline has narrowed the plan, so an operation cannot reach an
 * item that hooks hide.
 */
export interface OperationInput {
  readonly store: StoreAccess
  readonly view: ModelView
  readonly context: Context
  readonly guards: Guards
  /**
   * The items that the operation may touch; with the id of the path, for operations on one item.
   */
  readonly plan: QueryPlan
}

/** For what the caller may do. */
export interface CapabilitiesInput extends OperationInput {
  readonly serializer: Serializer
}

/** For what changed in a list. */
export interface ChangesInput extends OperationInput, FeedInput {}

/** For what changed in one list, or in several. */
export interface FeedInput {
  readonly context: Context
  readonly feed: ChangeFeed
  /** A sealed position, or `start`; undefined for now. */
  readonly since: string | undefined
  /** Where it stands in the request. */
  readonly sinceSource: ErrorSource
  readonly lists: readonly ListToFollow[]
  /** The part of the request that says which lists these are. */
  readonly listSource: ErrorSource
  /** Reads whole items. */
  readonly reader: StoreReader
}

/** A list of which a client asks for the changes. */
export interface ListToFollow extends Pick<OperationInput, 'view' | 'context' | 'guards' | 'plan'> {
  /** The filter of the client, without what guards it. */
  readonly clientCondition: Condition
  /** What an item in the list satisfies for such a request. */
  conditionFor(context: Context): Condition
  /** The relations whose items decide what is sent of an item. */
  readonly resolved: readonly OwnedRelation[]
  /** Does code of the service make what is sent of an item and its related items? */
  readonly isMapped: boolean
}

export interface ListOperationInput extends OperationInput {
  /** The part of the list that hooks let the caller see. */
  readonly visibleRange: VisibleRange
  /** Whether the page reaches the end of the visible range. */
  readonly isLastPage: boolean
  readonly page: Page
  readonly withCount: boolean
  readonly aggregates: readonly RequestedAggregate[]
  readonly facets: readonly RequestedFacet[]
  /** The search whose words are highlighted; undefined for none. */
  readonly highlighted: RequestedSearch | undefined
  /** The list without the conditions of the client that are about this path only. */
  listWithout(path: FieldPath): OffsetPlan
}

export interface GroupsInput extends ListOperationInput {
  readonly groups: GroupsSelection
}

export interface WriteOperationInput extends OperationInput {
  readonly precondition: Precondition
  /** Whether changes of an existing item require `If-Match`. */
  readonly requireMatch: boolean
}

interface ItemWriteInput extends WriteOperationInput {
  readonly views: ModelViews
  /** The error code for a related item that does not exist. */
  readonly missingRelatedError: MissingRelatedError
  readonly validations: Validations
}

interface LinkageWriteInput extends ItemWriteInput {
  /** Values that the fields of an item may have together. */
  readonly maxItemValues: number
  /** Checked before items of other models are changed. */
  readonly approvals: Approvals
}

export interface PayloadOperationInput extends LinkageWriteInput {
  readonly payload: ItemPayload
}

/** For restoring what the service keeps. */
export interface RestoreInput extends Omit<PayloadOperationInput, 'payload'> {
  /** Of a body, which has to be empty. */
  readonly actionPayload: ActionPayload
}

/** For versions, which are compared as clients get them. */
export interface VersionInput extends OperationInput {
  readonly sent: SentVersions
}

export interface RestoreVersionInput extends RestoreInput, VersionInput {}

/** For an item in the trash. */
export interface TrashedItemInput extends OperationInput {
  /** Names one of several that had the same id; undefined for the last deleted one. */
  readonly deletedMs: number | undefined
}

export interface ActionOperationInput extends ItemWriteInput {
  readonly action: ActionDescription
  /** Items in code that take part in a transaction of the action. */
  withItems<T>(
    transaction: UnitOfWork,
    work: (items: ItemsOf, running: RunningTransaction) => Promise<T>,
  ): Promise<T>
  readonly runInAction: RunInAction
  readonly actionPayload: ActionPayload
  /** Writes the output of the action. */
  readonly serializer: Serializer
  /**
   * How long an action may take, and how long it may wait for others on the same item, in
   * milliseconds.
   */
  readonly actionTimeoutMs: number
}

/** For operations through a relation: `view` and `plan` are those of the related items. */
export interface RelationOperationInput extends OperationInput {
  readonly relationTarget: RelationTarget
  /** Finds the item in the path. */
  readonly ownerPlan: QueryPlan
}

/** For reads of related items, or of their ids. */
export interface RelatedListInput extends ListOperationInput, RelationOperationInput {}

/** For a change of a relation that the relation allows. */
export interface AllowedLinkageChangeInput extends PayloadOperationInput, RelationOperationInput {
  readonly kind: 'allowed'
}

/** For a rule that refuses every change, and so reads no body. */
export interface RefusedLinkageChangeInput extends RelationOperationInput {
  readonly kind: 'refused'
  /** @throws ApiError the reason */
  refuse(): never
}

export type LinkageChangeInput = AllowedLinkageChangeInput | RefusedLinkageChangeInput

/** For operations on a binary resource of the item in the path. */
export interface ResourceOperationInput extends OperationInput {
  readonly resourceTarget: ResourceTarget
  readonly blobs: SharedBlobs
  /** Undefined where no model has image variants. */
  readonly variants: ImageVariants | undefined
}

export interface ResourceWriteInput extends WriteOperationInput, ResourceOperationInput {}

/** What each operation gets. */
export interface InputByOperation {
  GetList: ListOperationInput
  GetCapabilities: CapabilitiesInput
  GetChanges: ChangesInput
  GetGroups: GroupsInput
  GetItem: OperationInput
  CreateItem: PayloadOperationInput
  UpdateItem: PayloadOperationInput
  ReplaceItem: PayloadOperationInput
  DeleteItem: WriteOperationInput
  ItemMethodApiOperation: ActionOperationInput
  ItemApiOperation: ActionOperationInput
  GetResource: ResourceOperationInput
  SetResource: ResourceWriteInput
  DeleteResource: ResourceWriteInput
  RelatedGet: RelatedListInput
  RelationshipGet: RelatedListInput
  RelationshipPost: LinkageChangeInput
  RelationshipPatch: LinkageChangeInput
  RelationshipDelete: LinkageChangeInput
  GetVersions: VersionInput
  GetVersion: VersionInput
  RestoreVersion: RestoreVersionInput
  GetTrash: OperationInput
  GetTrashedItem: TrashedItemInput
  RestoreItem: RestoreInput & TrashedItemInput
  PurgeItem: TrashedItemInput
}
