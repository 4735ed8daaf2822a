import type { AnyModel } from '../../index.ts'
import type { BlobStore, Store } from '../../store/public.ts'

/** A store to copy from or to. The functions open it, and leave it open. */
export interface MovableStore {
  readonly store: Store
  /** Keeps the bytes of binary resources; required if a model has any. */
  readonly blobs?: BlobStore | undefined
}

export interface MoveOptions {
  /** The models whose items are copied, with all models that they relate to. */
  readonly models: readonly AnyModel[]
  /** Writes over items that the target has with other content. Default: false. */
  readonly overwrite?: boolean
  /** Called after each batch. Default: nothing. */
  readonly onProgress?: (progress: MoveProgress) => void
}

/** How far a copy is. */
export interface MoveProgress {
  /**
   * `write` copies items; `relate` writes relations between items that lead to one another; `check`
   * compares the copies with the originals.
   */
  readonly stage: 'write' | 'relate' | 'check'
  /** Items so far, of all models. */
  readonly itemCount: number
  /** Items that this stage reads; `relate` reads only those of some models. */
  readonly totalCount: number
}

/** An item, by its model and its id. */
export interface ItemName {
  readonly model: string
  readonly id: string
}

/** What was copied. */
export interface MoveReport {
  /** The items of each model in the source, by the names of the models. */
  readonly itemCounts: Readonly<Record<string, number>>
  /** Items that were added or written over; the others were there already. */
  readonly writtenCount: number
  /** Binary resources of all items, and how many bytes were copied now. */
  readonly resourceCount: number
  readonly copiedBytes: number
  /** Items that the target has with other content, and that were left alone. */
  readonly conflicts: ItemList
  /** Items whose copies differ at the end: the conflicts, and items that changed meanwhile. */
  readonly differences: ItemList
  /**
   * Items that the source counts and does not list, such as those that were added meanwhile. They
   * were not copied.
   */
  readonly missedCount: number
  /**
   * SHA-256 of the content of all items of the source. Without differences it is that of the copies
   * too.
   */
  readonly sha256: string
}

/** Some items, and how many there are. */
export interface ItemList {
  readonly count: number
  /** The first of them, at most 20. */
  readonly first: readonly ItemName[]
}
