import { TimeSlice } from '../../concurrency/time-slice.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription, Variant } from '../../model/model-description.ts'
import { idEquals, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import type { JsonType } from '../../schema/json-schema.ts'
import type { Schema } from '../../schema/standard-schema.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { StoreReader, StoreTransaction } from '../store.ts'

/** A form of an image that was made and kept. */
export interface StoredVariant {
  /** Of its blob. */
  readonly key: string
  readonly size: number
  /** SHA-256 in hexadecimal. */
  readonly hash: string
}

const [described] = describeModels([
  model('variant', {
    original: field(uncheckedSchema('string'), { index: true }),
    key: uncheckedSchema('string'),
    size: uncheckedSchema('integer'),
    sha256: uncheckedSchema('string'),
  }),
])

/**
 * Where stores remember the variants of images: one item for each, known by the key of its
 * original's blob, so that a variant can never be of other bytes. No model of a service can be
 * called so, and no policy knows of it.
 */
export const variantModel: ModelDescription = Object.freeze({
  ...described!,
  name: '_variant',
  plural: '_variants',
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

/** Remembers a variant, unless another was faster. */
export async function insertVariant(
  transaction: StoreTransaction,
  original: string,
  variant: Variant,
  { key, size, hash }: StoredVariant,
): Promise<'kept' | 'exists'> {
  const values = { id: idOf(original, variant), original, key, size, sha256: hash }
  const outcome = await transaction.insert(variantModel, createStoredItem(variantModel, values, 1))
  return outcome.kind === 'written' ? 'kept' : 'exists'
}

export function removeVariant(
  transaction: StoreTransaction,
  original: string,
  variant: Variant,
): Promise<void> {
  return transaction.remove(variantModel, idOf(original, variant))
}

/** Of how many originals the variants are asked for at once. */
const batchSize = 500

/** Forgets every variant of these originals, however many. @returns the keys of their blobs */
export async function removeVariants(
  transaction: StoreTransaction,
  originals: readonly string[],
): Promise<string[]> {
  const slices = new TimeSlice()
  const keys: string[] = []
  for (let start = 0; start < originals.length; start += batchSize) {
    const values = originals.slice(start, start + batchSize)
    const condition = { kind: 'oneOf', path: toFieldPath('original'), values } as const
    const found = new Map<string, string>()
    for await (const batch of transaction.list(variantModel, { ...allItemsPlan, condition }))
      for (const item of batch) found.set(item.id, variantBlobKey(item))
    for (const [id, key] of found) {
      await transaction.remove(variantModel, id)
      keys.push(key)
      if (slices.isOver()) await slices.yieldToEventLoop()
    }
    if (slices.isOver()) await slices.yieldToEventLoop()
  }
  return keys
}

/** The key of the blob that an item of {@link variantModel} remembers. */
export function variantBlobKey(item: StoredItem): string {
  return String(readStoredValues(variantModel, item).key)
}

function idOf(original: string, { format, size }: Variant): string {
  return `${original}:${format}:${size}`
}

/** Takes what the service itself writes. */
function uncheckedSchema(type: JsonType): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'resourcery',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type }), output: () => ({ type }) },
    },
  } as Schema
}
