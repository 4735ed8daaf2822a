import type { Context } from '../context/context.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** What clients get of versions, by which they are compared. */
export interface SentVersions {
  /**
   * The members that are sent of items as the caller sees them, without their versions; undefined
   * for an item that code of the service cannot handle.
   */
  membersOf(
    reader: StoreReader,
    items: readonly StoredItem[],
    context: Context,
  ): Promise<readonly (object | undefined)[]>
  /** The names of the fields that are sent as they are stored, by the names that clients know. */
  readonly sentAsStored: ReadonlyMap<string, string>
}
