import type { ModelDescription } from '../../model/model-description.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import type { ItemChange, WriteObserver } from '../write-observer.ts'
import type { SharedBlobs } from './shared-blobs.ts'
import { removeVariants } from './variant-table.ts'

/** What is known at registration about the blobs of a router. */
export interface BlobDeletionSettings {
  readonly blobs: SharedBlobs
  /** The models with binary resources. */
  readonly models: ReadonlySet<ModelDescription>
  readonly hasVariants: boolean
}

/**
 * Deletes blobs that no item refers to any more, and their variants, after the transaction is
 * committed.
 */
export class BlobDeletion implements WriteObserver {
  readonly watched: ReadonlySet<ModelDescription>
  readonly #settings: BlobDeletionSettings
  #unreferenced: readonly string[] = noKeys

  constructor(settings: BlobDeletionSettings) {
    this.watched = settings.models
    this.#settings = settings
  }

  written(_: StoreTransaction, change: ItemChange): void {
    if (!isKept(change)) this.discarded(keysThatLeave(change))
  }

  discarded(keys: readonly string[]): void {
    if (keys.length > 0) this.#unreferenced = this.#unreferenced.concat(keys)
  }

  /** The variants of blobs that leave an item are removed in the same transaction. */
  isFollowed(change: ItemChange): boolean {
    return this.#settings.hasVariants && !isKept(change) && keysThatLeave(change).length > 0
  }

  beforeCommit(transaction: StoreTransaction): Promise<void> | undefined {
    const hasVariants = this.#unreferenced.length > 0 && this.#settings.hasVariants
    return hasVariants ? this.#removeVariants(transaction) : undefined
  }

  committed(): Promise<void> | undefined {
    return this.#unreferenced.length > 0
      ? this.#settings.blobs.deleteUnreferenced(this.#unreferenced)
      : undefined
  }

  async #removeVariants(transaction: StoreTransaction): Promise<void> {
    const keys = await removeVariants(transaction, this.#unreferenced)
    this.#unreferenced = this.#unreferenced.concat(keys)
  }
}

/** Does a version, or an item in the trash, still have the blobs? */
function isKept({ kind, model }: ItemChange): boolean {
  return model.history !== undefined || (kind === 'delete' && model.trash !== undefined)
}

const noKeys: readonly string[] = Object.freeze([])

/**
 * None where nobody watches the model. The store keeps blobs of resources that the model does not
 * declare any more.
 */
function keysThatLeave({ before, after }: ItemChange): readonly string[] {
  // Keys stand in hidden text.
  if (!before || before.hiddenText === (after?.hiddenText ?? null)) return noKeys
  const stillUsed = new Set(after && Object.values(blobKeysOf(after)))
  return Object.values(blobKeysOf(before)).filter((key) => !stillUsed.has(key))
}
