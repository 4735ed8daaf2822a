import { describe } from '../model/describe.ts'
import type { ModelDescription, Variant } from '../model/description.ts'
import { field } from '../model/field.ts'
import { model } from '../model/model.ts'
import { hasId, pathOf } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import type { JsonType } from '../schema/json-schema.ts'
import type { Schema } from '../schema/standard-schema.ts'
import { storedItem, storedValues } from './item-text.ts'
import { Slices } from './slices.ts'
import type { StoreReader, StoreTransaction } from './store.ts'
import type { StoredItem } from './stored-item.ts'

/** A form of an image that was made and kept. */
export interface KeptVariant {
  /** Of its blob. */
  readonly key: string
  readonly size: number
  /** SHA-256 in hexadecimal. */
  readonly hash: string
}

const [described] = describe([
  model('variant', {
    original: field(anyOf('string'), { index: true }),
    key: anyOf('string'),
    size: anyOf('integer'),
    sha256: anyOf('string'),
  }),
])

/**
 * Where stores remember the variants of images: one item for each, known by the key of its original's blob, so that a variant can never be of other bytes. No
 * model of a service can be called so, and no policy knows of it.
 */
export const variants: ModelDescription = Object.freeze({ ...described!, name: '_variant', plural: '_variants' })

export async function findVariant(
  reader: StoreReader,
  original: string,
  variant: Variant,
): Promise<KeptVariant | undefined> {
  const item = await reader.find(variants, hasId(idOf(original, variant)))
  if (!item) return undefined
  const { key, size, sha256 } = storedValues(variants, item)
  return { key: key as string, size: size as number, hash: sha256 as string }
}

/** Remembers a variant, unless another was faster. */
export async function keepVariant(
  transaction: StoreTransaction,
  original: string,
  variant: Variant,
  { key, size, hash }: KeptVariant,
): Promise<'kept' | 'exists'> {
  const values = { id: idOf(original, variant), original, key, size, sha256: hash }
  const outcome = await transaction.insert(variants, storedItem(variants, values, 1))
  return outcome.kind === 'written' ? 'kept' : 'exists'
}

export function forgetVariant(transaction: StoreTransaction, original: string, variant: Variant): Promise<void> {
  return transaction.remove(variants, idOf(original, variant))
}

/** Of how many originals the variants are asked for at once. */
const batchSize = 500

/** Forgets every variant of these originals, however many. @returns the keys of their blobs */
export async function forgetVariants(transaction: StoreTransaction, originals: readonly string[]): Promise<string[]> {
  const slices = new Slices()
  const keys: string[] = []
  for (let start = 0; start < originals.length; start += batchSize) {
    const values = originals.slice(start, start + batchSize)
    const condition = { kind: 'oneOf', path: pathOf('original'), values } as const
    const found = new Map<string, string>()
    for await (const batch of transaction.list(variants, { ...everything, condition }))
      for (const item of batch) found.set(item.id, variantKey(item))
    for (const [id, key] of found) {
      await transaction.remove(variants, id)
      keys.push(key)
      if (slices.isOver()) await slices.giveWay()
    }
    if (slices.isOver()) await slices.giveWay()
  }
  return keys
}

/** The key of the blob that an item of {@link variants} remembers. */
export function variantKey(item: StoredItem): string {
  return String(storedValues(variants, item).key)
}

function idOf(original: string, { format, size }: Variant): string {
  return `${original}:${format}:${size}`
}

/** Takes what the service itself writes. */
function anyOf(type: JsonType): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'resourcery',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type }), output: () => ({ type }) },
    },
  } as Schema
}
