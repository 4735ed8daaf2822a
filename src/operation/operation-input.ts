import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ErrorCode } from '../error/catalog.ts'
import type { Precondition } from '../http/headers/precondition.ts'
import type {
  ActionDescription,
  ModelDescription,
  OwnedRelation,
} from '../model/model-description.ts'
import type { ModelView, ModelViews } from '../model/model-view.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { RelationTarget, ResourceTarget } from '../rule/rule.ts'
import type { Page } from '../rule/selection.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import type { Serializer } from '../serializer/serializer.ts'
import type { ByteRange } from '../store/blob-store.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import type { Caller, PageEntry, RawJsonPage, StoreAccess } from '../store/store.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { Approvals } from './approvals.ts'
import type { ImageVariants } from './resource/image-variants.ts'
import type { Validations } from './validations.ts'
import type { VisibleRange } from './visible-range.ts'

/**
 * What an operation works with: the pipeline has narrowed the query before, so nothing here can
 * reach an unguarded item.
 */
export interface OperationInput {
  readonly store: StoreAccess
  readonly view: ModelView
  readonly context: Context
  readonly guards: Guards
  /** The items the operation may touch; with the path's id, for operations on one item. */
  readonly plan: QueryPlan
}

/** The items of a page as they stand in a document, with commas between. */
export interface SerializedPage extends Omit<RawJsonPage, 'lines'> {
  readonly bytes: Uint8Array
}

/**
 * Reads pages whose items nothing changes on their way, together with what these relations of
 * theirs hold; undefined where there is no fast way to.
 */
export type SerializedPageReader = (
  model: ModelDescription,
  plan: QueryPlan,
  linked: readonly OwnedRelation[],
  caller: Caller,
) => Promise<SerializedPage | undefined>

/** Documents of single items as they were sent before, by the versions of the items. */
export interface CachedDocuments {
  /**
   * Was the one that was asked for before there? Else to read the version first is likely to be one
   * question more.
   */
  readonly isHitLikely: boolean
  get(version: string): Uint8Array | undefined
}

/** How items go out: as they are written once for all, or one by one. */
export type ListStrategy =
  | {
      readonly kind: 'texts'
      readonly readPage: SerializedPageReader
      readonly includedRelations: readonly OwnedRelation[]
      /** Whether whole lists go out as the texts they are stored as. */
      readonly isRawJson: boolean
    }
  | { readonly kind: 'items' }

export interface GetItemInput extends OperationInput {
  /** Does the item go out as it is stored, so that its hash alone is the tag of what is sent? */
  readonly isSentAsStored: boolean
  /** Undefined where its document is made anew each time. */
  readonly documentCache: CachedDocuments | undefined
}

export interface ListOperationInput extends OperationInput {
  /** What there is of the list for this caller. */
  readonly visibleRange: VisibleRange
  /** Does the page reach the end of that? */
  readonly isLastPage: boolean
  readonly page: Page
  readonly strategy: ListStrategy
  readonly withCount: boolean
}

export interface WriteOperationInput extends OperationInput {
  readonly precondition: Precondition
  /** Whether writes to an existing item need `If-Match`. */
  readonly requireMatch: boolean
}

export interface PayloadOperationInput extends WriteOperationInput {
  readonly views: ModelViews
  readonly payload: ItemPayload
  /** What is said where the body relates to an item that is not there. */
  readonly missingRelatedError: ErrorCode
  readonly validations: Validations
  /** Values that the fields of an item may have together. */
  readonly maxItemValues: number
  /** Asked before items of other models are changed. */
  readonly approvals: Approvals
}

export interface ActionOperationInput extends WriteOperationInput {
  readonly action: ActionDescription
  readonly actionPayload: ActionPayload
  /** What is said where the action relates the item to one that is not there. */
  readonly missingRelatedError: ErrorCode
  readonly validations: Validations
  readonly views: ModelViews
  /** Writes what the action gave. */
  readonly serializer: Serializer
  /**
   * How long an action may take, and may be waited for while others change the same item, in
   * milliseconds.
   */
  readonly actionTimeoutMs: number
}

/** For operations on what an item relates to: `view` and `plan` are of the related items. */
export interface RelationOperationInput {
  readonly relationTarget: RelationTarget
  /** The item in the path. */
  readonly ownerPlan: QueryPlan
}

/** For operations on a binary resource of the item in the path. */
export interface ResourceOperationInput {
  readonly resourceTarget: ResourceTarget
  readonly blobs: SharedBlobs
  readonly variants: ImageVariants
}

/** What an operation came to. Operations know no status codes: the rule and the encoder do. */
export type OperationResult =
  | { readonly kind: 'item'; readonly item: StoredItem }
  /** The client has this version of the item already. */
  | { readonly kind: 'unchanged'; readonly version: string }
  /** What was sent of this version of the item before. */
  | { readonly kind: 'document'; readonly version: string; readonly document: Uint8Array }
  | { readonly kind: 'created'; readonly item: StoredItem }
  /** What an action gave, as the document that is sent, and the tag of the item as it left it. */
  | { readonly kind: 'output'; readonly text: string; readonly etag: string | undefined }
  | { readonly kind: 'removed' }
  | {
      readonly kind: 'resource'
      readonly resource: BinaryResource
      /** Undefined when the bytes are no longer there. */
      read(span?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
      /** What is there now, when they are not. */
      retry(): Promise<OperationResult>
      /**
       * To be called when the bytes are being read, or nobody is going to: they stay until then.
       */
      release(): void
    }
  /** A relation to one holds nothing, or nothing that the caller may see. */
  | { readonly kind: 'nothing'; readonly owner: StoredItem }
  /**
   * What a relation of the owner holds, by its identifiers: all of it, just as it is, where it is
   * `whole`.
   */
  | {
      readonly kind: 'linkage'
      readonly owner: StoredItem
      readonly ids: readonly string[]
      readonly isToMany: boolean
      readonly total: number | undefined
      readonly isComplete: boolean
    }
  /** A relation was changed, and with it maybe the tag of the item that holds it. */
  | { readonly kind: 'related'; readonly etag: string | undefined }
  /** The whole list, read while it is sent. */
  | {
      readonly kind: 'stream'
      readonly batches: AsyncIterable<readonly StoredItem[]>
      readonly total: number | undefined
    }
  | {
      readonly kind: 'texts'
      readonly batches: AsyncIterable<Uint8Array>
      readonly total: number | undefined
    }
  | {
      readonly kind: 'page'
      readonly entries: readonly PageEntry[]
      /** The items at the places, but for those that are gone meanwhile. */
      readonly batches: AsyncIterable<readonly StoredItem[]>
      readonly hasMore: boolean
      readonly total: number | undefined
    }
  | { readonly kind: 'textPage'; readonly page: SerializedPage; readonly total: number | undefined }
