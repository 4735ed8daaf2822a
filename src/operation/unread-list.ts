import type { OwnedRelation } from '../model/model-description.ts'
import type { PageEntry, RawJsonPage } from '../store/store-reader.ts'
import type { RawLineFormat } from '../stored-item/raw-lines.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** A list that is read while its response is sent. */
export interface UnreadList {
  readItems(): AsyncIterable<readonly StoredItem[]>
  /** The items as raw JSON, with commas between them; undefined where the store cannot do so. */
  readRawJson(): AsyncIterable<Uint8Array> | undefined
}

/** A page that is read when its response is written. */
export interface UnreadPage {
  readItems(): Promise<PageOfItems>
  /**
   * The page as raw JSON, with the ids of these relations; undefined where the store cannot do so.
   */
  readRawJson(
    relations: readonly OwnedRelation[],
    format: RawLineFormat,
  ): Promise<RawJsonPage | undefined> | undefined
}

/** A page whose entries are known; its items are read while it is written. */
export interface PageOfItems {
  readonly entries: readonly PageEntry[]
  readonly batches: AsyncIterable<readonly StoredItem[]>
  readonly hasMore: boolean
}
