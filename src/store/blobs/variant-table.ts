import { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Variant } from '../../model/resource-field.ts'
import { idEquals, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { internalModel } from '../internal-model.ts'
import type { StoreReader } from '../store-reader.ts'
import type { StoreTransaction } from '../store-transaction.ts'

/** A variant of an image whose bytes are in the blob store. */
export interface StoredVariant {
  /** The blob key. */
  readonly key: string
  readonly size: number
  /** SHA-256 in hexadecimal. */
  readonly hash: string
}

/**
 * The internal model of image variants. The id of a variant contains the blob key of its original,
 * so that a variant never belongs to other bytes. No model of a service can have the name, and no
 * policy gets the model.
 */
export const variantModel: ModelDescription = internalModel('variant', 'variants', {
  original: { type: 'string', isIndexed: true },
  key: 'string',
  size: 'integer',
  sha256: 'string',
})

export async function findVariant(
  reader: StoreReader,
  original: string,
  variant: Variant,
): Promise<StoredVariant | undefined> {
  const item = await reader.find(variantModel, idEquals(idOf(original, variant)))
  if (!item) return undefined
  const { key, size, sha256 } = readStoredValues(variantModel, item)
  return { key: key as string, size: size as number, hash: sha256 as string }
}

/** Inserts a variant; `exists` if another request has inserted it first. */
export async function insertVariant(
  transaction: StoreTransaction,
  original: string,
  variant: Variant,
  { key, size, hash }: StoredVariant,
): Promise<'inserted' | 'exists'> {
  const values = { id: idOf(original, variant), original, key, size, sha256: hash }
  const outcome = await transaction.insert(variantModel, createStoredItem(variantModel, values, 1))
  return outcome.kind === 'written' ? 'inserted' : 'exists'
}

export function removeVariant(
  transaction: StoreTransaction,
  original: string,
  variant: Variant,
): Promise<void> {
  return transaction.remove(variantModel, idOf(original, variant))
}

/** How many originals one query asks for. */
const batchSize = 500

/** Removes all variants of these originals, and returns the keys of their blobs. */
export async function removeVariants(
  transaction: StoreTransaction,
  originals: readonly string[],
): Promise<string[]> {
  const slice = new TimeSlice(undefined, { holdsLock: true })
  const keys: string[] = []
  for (let start = 0; start < originals.length; start += batchSize) {
    const values = originals.slice(start, start + batchSize)
    const condition = { kind: 'oneOf', path: toFieldPath('original'), values } as const
    const keysById = new Map<string, string>()
    for await (const batch of transaction.list(variantModel, { ...allItemsPlan, condition }))
      for (const item of batch) keysById.set(item.id, variantBlobKey(item))
    for (const [id, key] of keysById) {
      await transaction.remove(variantModel, id)
      keys.push(key)
      if (slice.isOver) await slice.yieldToEventLoop()
    }
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  return keys
}

/** The blob key in an item of {@link variantModel}. */
export function variantBlobKey(item: StoredItem): string {
  return String(readStoredValues(variantModel, item).key)
}

function idOf(original: string, { format, size }: Variant): string {
  return `${original}:${format}:${size}`
}
