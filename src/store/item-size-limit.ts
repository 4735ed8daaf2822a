import { refusalsOf } from '../error/refusals.ts'
import { truncate } from '../error/truncate.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import { linkageOf } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { StoreTransaction } from './store-transaction.ts'
import type { ItemChange, WriteObserver } from './write-observer.ts'

export const itemSizeErrors = ['item-too-large'] as const

const { createApiError } = refusalsOf(itemSizeErrors)

/**
 * Refuses items of more than `maxBytes`, because lists limit their memory by the number of items.
 * An item that is already larger may change as long as it does not grow, so that relations to other
 * items can always be removed from it.
 */
export class ItemSizeLimit implements WriteObserver {
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws ApiError `item-too-large` */
  beforeWrite(
    transaction: StoreTransaction,
    { kind, model, before, after }: ItemChange,
  ): Promise<undefined> | undefined {
    if (!after) return undefined
    const bytes = bytesOf(after, this.#maxBytes)
    if (bytes <= this.#maxBytes) return undefined
    if (kind === 'create') throw itemTooLarge(model, after, bytes, this.#maxBytes)
    return this.#refuseGrowth(transaction, model, before, after, bytes)
  }

  async #refuseGrowth(
    transaction: StoreTransaction,
    model: ModelDescription,
    known: StoredItem | undefined,
    after: StoredItem,
    bytes: number,
  ): Promise<undefined> {
    const before = known ?? (await transaction.find(model, idEquals(after.id)))
    const growth = before ? bytes - bytesOf(before, this.#maxBytes) : bytes
    if (!before || growth > countCleared(model, before, after))
      throw itemTooLarge(model, after, bytes, this.#maxBytes)
  }
}

/** How many to-one relations a change clears: null is a byte longer than an id of one letter. */
function countCleared(model: ModelDescription, before: StoredItem, after: StoredItem): number {
  const [linkageBefore, linkageAfter] = [linkageOf(before), linkageOf(after)]
  return model.ownedRelations.filter(
    ({ wireName }) => linkageAfter[wireName] === null && linkageBefore[wireName] !== null,
  ).length
}

/** An upper bound if that is within the limit, else the exact number of bytes. */
function bytesOf({ text, hiddenText }: StoredItem, maxBytes: number): number {
  const upperBound = (text.length + (hiddenText?.length ?? 0)) * 3
  return upperBound <= maxBytes
    ? upperBound
    : Buffer.byteLength(text) + Buffer.byteLength(hiddenText ?? '')
}

function itemTooLarge(
  { name }: ModelDescription,
  { id }: StoredItem,
  bytes: number,
  limit: number,
): Error {
  const detail = `The ${name} '${truncate(id, 128)}' would have ${bytes} bytes; expected at most ${limit}.`
  return createApiError('item-too-large', detail, undefined, { meta: { limit } })
}
