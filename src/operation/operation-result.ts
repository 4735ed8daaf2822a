import type { BinaryResource } from '../model/stored-resource.ts'
import type { Scalar } from '../query/query-plan.ts'
import type { OutgoingGroup } from '../serializer/outgoing-groups.ts'
import type { ByteRange } from '../store/blob-store.ts'
import type { ItemVersion } from '../store/history/version-table.ts'
import type { TrashedItem } from '../store/trash/trash-table.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { UnreadChanges } from './changes/unread-changes.ts'
import type { UnreadItem } from './unread-item.ts'
import type { UnreadList, UnreadPage } from './unread-list.ts'

/** The result of an operation. Status codes are up to the rule and the encoder. */
export type OperationResult =
  | { readonly kind: 'item'; readonly item: StoredItem }
  | { readonly kind: 'unreadItem'; readonly item: UnreadItem }
  | { readonly kind: 'created'; readonly item: StoredItem }
  /** The output of an action as a document, and the tag of the changed item. */
  | { readonly kind: 'output'; readonly text: string; readonly etag: string | undefined }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'version'; readonly version: ItemVersion }
  | { readonly kind: 'versions'; readonly page: KeptPage<ItemVersion> }
  | { readonly kind: 'trash'; readonly page: KeptPage<TrashedItem> }
  | { readonly kind: 'trashed'; readonly trashed: TrashedItem }
  | {
      readonly kind: 'resource'
      readonly resource: BinaryResource
      /** Undefined if the bytes are missing. */
      read(byteRange?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
      /** Looks the resource up again, if its bytes are missing. */
      retry(): Promise<OperationResult>
      /** Lets the store delete the bytes. Call it once they are being read, or not needed. */
      release(): void
    }
  /** A relation to one is empty, or its item is hidden from the caller. */
  | { readonly kind: 'emptyRelation'; readonly owner: StoredItem }
  /** The ids of a relation; `isComplete` if these are all that it holds. */
  | {
      readonly kind: 'linkage'
      readonly owner: StoredItem
      readonly idBatches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>
      readonly isToMany: boolean
      readonly withCount: boolean
      readonly isComplete: boolean
    }
  /** A relation was changed; `etag` is the new tag of the item that holds it, if it changed. */
  | { readonly kind: 'relationChanged'; readonly etag: string | undefined }
  | { readonly kind: 'changes'; readonly changes: UnreadChanges }
  | { readonly kind: 'groups'; readonly page: PageOfGroups }
  | ({ readonly kind: 'list'; readonly list: UnreadList } & KnownOfList)
  | ({ readonly kind: 'page'; readonly page: UnreadPage } & KnownOfList)

/** A group of items, by the names of the request. */
export interface GroupValues extends OutgoingGroup {
  readonly by: Readonly<Record<string, Scalar>>
  readonly aggregates: Readonly<Record<string, Scalar>>
}

export interface PageOfGroups {
  readonly groups: readonly GroupValues[]
  readonly hasMore: boolean
  readonly total: number | undefined
}

/** What is known about all pages of a list. */
interface KnownOfList {
  readonly total: number | undefined
  /** JSON members, such as `"aggregates":{"count":3}`; empty without any. */
  readonly summary: string
}

/** A page of versions, or of deleted items, as the caller sees them. */
export interface KeptPage<Kept> {
  readonly entries: readonly Kept[]
  /** From where the next page reads on; undefined on the last one. */
  readonly next: string | undefined
  readonly size: number
}
