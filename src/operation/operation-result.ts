import type { BinaryResource } from '../model/stored-resource.ts'
import type { ByteRange } from '../store/blob-store.ts'
import type { PageEntry, RawJsonPage } from '../store/store.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** The items of a page as they stand in a document, joined by separators. */
export interface SerializedPage extends Omit<RawJsonPage, 'lines'> {
  readonly bytes: Uint8Array
}

/** The result of an operation. Status codes are up to the rule and the encoder. */
export type OperationResult =
  | { readonly kind: 'item'; readonly item: StoredItem }
  /** The client has this version of the item. */
  | { readonly kind: 'notModified'; readonly version: string }
  /** The cached document of this version. */
  | { readonly kind: 'document'; readonly version: string; readonly document: Uint8Array }
  | { readonly kind: 'created'; readonly item: StoredItem }
  /** The output of an action as a document, and the tag of the changed item. */
  | { readonly kind: 'output'; readonly text: string; readonly etag: string | undefined }
  | { readonly kind: 'deleted' }
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
  /** The whole list, read while it is sent. */
  | {
      readonly kind: 'stream'
      readonly batches: AsyncIterable<readonly StoredItem[]>
      readonly total: number | undefined
    }
  | {
      readonly kind: 'rawStream'
      readonly batches: AsyncIterable<Uint8Array>
      readonly total: number | undefined
    }
  | {
      readonly kind: 'page'
      readonly entries: readonly PageEntry[]
      readonly batches: AsyncIterable<readonly StoredItem[]>
      readonly hasMore: boolean
      readonly total: number | undefined
    }
  | {
      readonly kind: 'serializedPage'
      readonly page: SerializedPage
      readonly total: number | undefined
    }
