import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ErrorCode } from '../error/catalog.ts'
import type { Precondition } from '../http/precondition.ts'
import type { ActionDescription, ModelDescription, OwnedRelation } from '../model/description.ts'
import type { ModelView, Views } from '../model/model-view.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { ResourceAim, Through } from '../rule/rule.ts'
import type { Page } from '../rule/selection.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import type { Serializer } from '../serializer/serializer.ts'
import type { ByteSpan } from '../store/blob-store.ts'
import type { SharedBlobs } from '../store/shared-blobs.ts'
import type { Caller, Place, StoreAccess, TextPage } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import type { ImageVariants } from './image-variants.ts'
import type { Permits } from './side-changes.ts'
import type { Validations } from './validations.ts'
import type { Bound } from './within-bound.ts'

/** What an operation works with: the pipeline has narrowed the query before, so nothing here can reach an unguarded item. */
export interface Job {
  readonly store: StoreAccess
  readonly view: ModelView
  readonly context: Context
  readonly guards: Guards
  /** The items the operation may touch; with the path's id, for operations on one item. */
  readonly plan: QueryPlan
}

/** The items of a page as they stand in a document, with commas between. */
export interface WrittenPage extends Omit<TextPage, 'lines'> {
  readonly texts: Uint8Array
}

/** Reads pages whose items nothing changes on their way, together with what these relations of theirs hold; undefined where there is no fast way to. */
export type WrittenPages = (
  model: ModelDescription,
  plan: QueryPlan,
  linked: readonly OwnedRelation[],
  caller: Caller,
) => Promise<WrittenPage | undefined>

/** Documents of single items as they were sent before, by the versions of the items. */
export interface WrittenDocuments {
  /** Was the one that was asked for before there? Else to read the version first is likely to be one question more. */
  readonly isLikely: boolean
  find(version: string): Uint8Array | undefined
}

/** How items go out: as they are written once for all, or one by one. */
export type ListForm =
  | {
      readonly kind: 'texts'
      readonly page: WrittenPages
      readonly linked: readonly OwnedRelation[]
      /** Whether whole lists go out as the texts they are stored as. */
      readonly isStored: boolean
    }
  | { readonly kind: 'items' }

export interface ItemJob extends Job {
  /** Does the item go out as it is stored, so that its hash alone is the tag of what is sent? */
  readonly isPlain: boolean
  /** Undefined where its document is made anew each time. */
  readonly documents: WrittenDocuments | undefined
}

export interface ListJob extends Job {
  /** What there is of the list for this caller. */
  readonly bound: Bound
  /** Does the page reach the end of that? */
  readonly isLast: boolean
  readonly page: Page
  readonly form: ListForm
  readonly withCount: boolean
}

export interface WriteJob extends Job {
  readonly precondition: Precondition
  /** Whether writes to an existing item need `If-Match`. */
  readonly requireMatch: boolean
}

export interface BodyJob extends WriteJob {
  readonly views: Views
  readonly sent: SentItem
  /** What is said where the body relates to an item that is not there. */
  readonly missingRelated: ErrorCode
  readonly validations: Validations
  /** Values that the fields of an item may have together. */
  readonly maxItemValues: number
  /** Asked before items of other models are changed. */
  readonly permits: Permits
}

export interface ActionJob extends WriteJob {
  readonly action: ActionDescription
  readonly input: SentInput
  /** What is said where the action relates the item to one that is not there. */
  readonly missingRelated: ErrorCode
  readonly validations: Validations
  readonly views: Views
  /** Writes what the action gave. */
  readonly serializer: Serializer
  /** How long an action may take, and may be waited for while others change the same item, in milliseconds. */
  readonly patience: number
}

/** For operations on what an item relates to: `view` and `plan` are of the related items. */
export interface ThroughJob {
  readonly through: Through
  /** The item in the path. */
  readonly owner: QueryPlan
}

/** For operations on a binary resource of the item in the path. */
export interface ResourceJob {
  readonly resource: ResourceAim
  readonly blobs: SharedBlobs
  readonly variants: ImageVariants
}

/** What an operation came to. Operations know no status codes: the rule and the encoder do. */
export type Result =
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
      read(span?: ByteSpan): Promise<AsyncIterable<Uint8Array> | undefined>
      /** What is there now, when they are not. */
      again(): Promise<Result>
      /** To be called when the bytes are being read, or nobody is going to: they stay until then. */
      release(): void
    }
  /** A relation to one holds nothing, or nothing that the caller may see. */
  | { readonly kind: 'nothing'; readonly owner: StoredItem }
  /** What a relation of the owner holds, by its identifiers: all of it, just as it is, where it is `whole`. */
  | {
      readonly kind: 'linkage'
      readonly owner: StoredItem
      readonly ids: readonly string[]
      readonly many: boolean
      readonly total: number | undefined
      readonly whole: boolean
    }
  /** A relation was changed, and with it maybe the tag of the item that holds it. */
  | { readonly kind: 'related'; readonly etag: string | undefined }
  /** The whole list, read while it is sent. */
  | {
      readonly kind: 'stream'
      readonly batches: AsyncIterable<readonly StoredItem[]>
      readonly total: number | undefined
    }
  | { readonly kind: 'texts'; readonly batches: AsyncIterable<Uint8Array>; readonly total: number | undefined }
  | {
      readonly kind: 'page'
      readonly places: readonly Place[]
      /** The items at the places, but for those that are gone meanwhile. */
      readonly batches: AsyncIterable<readonly StoredItem[]>
      readonly more: boolean
      readonly total: number | undefined
    }
  | { readonly kind: 'textPage'; readonly page: WrittenPage; readonly total: number | undefined }
