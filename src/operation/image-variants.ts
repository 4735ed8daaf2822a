import { createHash } from 'node:crypto'
import { ApiError, refusal } from '../error/api-error.ts'
import type { ModelDescription, Variant } from '../model/description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { hasId } from '../query/conditions.ts'
import { blobKeysOf } from '../store/item-resources.ts'
import { oneChunk } from '../store/one-chunk.ts'
import type { SharedBlobs } from '../store/shared-blobs.ts'
import type { Store } from '../store/store.ts'
import { findVariant, forgetVariant, type KeptVariant, keepVariant } from '../store/variant-table.ts'

/** Makes an image of another. @throws ApiError when it cannot be done with these bytes, however often it is tried */
export type Render = (original: AsyncIterable<Uint8Array>, variant: Variant) => Promise<Uint8Array>

/** An image of an item, and the form it is wanted in. */
export interface WantedVariant {
  readonly model: ModelDescription
  readonly id: string
  readonly original: StoredResource
  readonly variant: Variant
}

export interface ImageVariants {
  /** The variant, made if it is not there yet. Undefined when the original is no longer the item's. */
  get(wanted: WantedVariant): Promise<StoredResource | undefined>
  /** Says that the bytes of a variant turned out to be lost, so that they are made again. */
  forget(wanted: WantedVariant): Promise<void>
}

export interface VariantLimits {
  /** How many are made at a time. */
  readonly parallel: number
  /** How many requests may wait for one to be made. */
  readonly waiting: number
}

const defaultLimits: VariantLimits = { parallel: 2, waiting: 200 }
/** How many that cannot be made are remembered, so that they are not tried at every request. */
const mostFailures = 1_000

/** Makes each variant once, whoever asks for it first, and keeps it as long as its original. */
export function imageVariants(
  store: Store,
  blobs: SharedBlobs,
  render: Render,
  limits: VariantLimits = defaultLimits,
): ImageVariants {
  const making = new Map<string, Promise<StoredResource | undefined>>()
  const failures = new Map<string, unknown>()
  const turns = inTurns(limits)

  const make = async (wanted: WantedVariant): Promise<StoredResource | undefined> => {
    const { original, variant } = wanted
    const source = StoredResource.keyOf(original)
    const bytes = await turns(async () => {
      const chunks = await blobs.read(source)
      return chunks && (await render(chunks, variant))
    })
    if (!bytes) return undefined
    const key = await blobs.write(oneChunk(bytes))
    const made = { key, size: bytes.length, hash: createHash('sha256').update(bytes).digest('hex') }
    const outcome = await store.write(async (transaction) => {
      const item = await transaction.find(wanted.model, hasId(wanted.id))
      if (!item || !Object.values(blobKeysOf(item)).includes(source)) return undefined
      const known = await findVariant(transaction, source, variant)
      if (!known) await keepVariant(transaction, source, variant, made)
      return known ?? made
    })
    if (outcome !== made) await blobs.drop([key])
    return outcome && resourceOf(wanted, outcome)
  }

  return {
    async get(wanted) {
      const { original, variant } = wanted
      const source = StoredResource.keyOf(original)
      const known = await findVariant(store, source, variant)
      if (known) return resourceOf(wanted, known)
      const name = `${source}/${variant.format}/${variant.size}`
      if (failures.has(name)) throw failures.get(name)
      const begun =
        making.get(name) ??
        make(wanted)
          .catch((error: unknown) => {
            if (isLasting(error)) remember(failures, name, error)
            throw error
          })
          .finally(() => making.delete(name))
      making.set(name, begun)
      return begun
    },
    async forget({ original, variant }) {
      await store.write((transaction) => forgetVariant(transaction, StoredResource.keyOf(original), variant))
    },
  }
}

function resourceOf({ original, variant }: WantedVariant, { key, size, hash }: KeptVariant): StoredResource {
  const stem = original.fileName?.replace(/\.[^.]*$/, '')
  const fileName = stem ? `${stem}-${variant.size}.${variant.format}` : null
  return new StoredResource({ contentType: `image/${variant.format}`, size, hash, fileName }, key)
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Runs so many works at a time, in the order in which they came. */
function inTurns({ parallel, waiting }: VariantLimits): Turns {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < parallel) running++
    else if (queue.length < waiting) await new Promise<void>((resolve) => queue.push(resolve))
    else throw tooBusy()
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}

function tooBusy(): ApiError {
  return refusal('overloaded', 'Too many images wait to be made; try again in a moment.', undefined, {
    headers: { 'retry-after': '1' },
  })
}

/** Will it fail again? Not so where the service was only busy, or a store away. */
function isLasting(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

function remember(failures: Map<string, unknown>, name: string, error: unknown): void {
  const [oldest] = failures.keys()
  if (failures.size >= mostFailures && oldest !== undefined) failures.delete(oldest)
  failures.set(name, error)
}
