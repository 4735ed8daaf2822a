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
import { endIdleImageProcesses } from './image-processes.ts'
import { limitImages } from './sharp.ts'
import { withinTime } from './within-time.ts'

/**
 * Makes an image of another that has no more than so many pixels.
 * @throws ApiError when it cannot be done with these bytes, however often it is tried; the reason of the signal
 */
export type Render = (
  original: AsyncIterable<Uint8Array>,
  variant: Variant,
  maxPixels: number,
  signal: AbortSignal,
) => Promise<Uint8Array>

/** An image of an item, and the form it is wanted in. */
export interface WantedVariant {
  readonly model: ModelDescription
  readonly id: string
  readonly original: StoredResource
  readonly variant: Variant
  readonly maxPixels: number
}

export interface ImageVariants {
  /**
   * The variant, made if it is not there yet, of the original as it was found, whatever the item holds meanwhile: whoever asks holds the
   * original. Undefined when the bytes of the original are not there. It is not begun, or broken off, once all who asked for it are gone.
   */
  get(wanted: WantedVariant, signal: AbortSignal): Promise<HeldResource | undefined>
  /** Says that the bytes of a variant turned out to be lost, so that they are made again. */
  forget(wanted: WantedVariant): Promise<void>
  /** Breaks off what is being made. */
  close(): Promise<void>
}

/** A resource whose bytes stay until they are let go of, even where its item no longer holds it. */
export interface HeldResource {
  readonly resource: StoredResource
  release(): void
}

/** A variant that is being made, and how many requests wait for it. The last of them lets go of it. */
interface Making {
  readonly made: Promise<HeldResource | undefined>
  waiting: number
  readonly work: Work
}

/** What takes long of making a variant, which can be given up. */
interface Work {
  readonly abandon: AbortController
  /** Is the image made? It is then kept, whoever leaves. */
  isOver: boolean
}

/** How many that cannot be made are remembered, so that they are not tried at every request. */
const mostFailures = 1_000

/** Makes each variant once, whoever asks for it first, and keeps it as long as its original. */
export function imageVariants(store: Store, blobs: SharedBlobs, render: Render): ImageVariants {
  const making = new Map<string, Making>()
  const failures = new Map<string, unknown>()

  const held = (resource: StoredResource): HeldResource => ({
    resource,
    release: blobs.hold(StoredResource.keyOf(resource)),
  })

  const make = async (wanted: WantedVariant, work: Work): Promise<HeldResource | undefined> => {
    const { original, variant, maxPixels } = wanted
    const source = StoredResource.keyOf(original)
    // To read or write AVIF takes many times the memory that other formats do.
    const isHeavy = variant.format === 'avif' || original.contentType === 'image/avif'
    const { signal } = work.abandon
    const bytes = await limitImages(isHeavy ? 'single' : 'usual', signal, async () => {
      const chunks = await blobs.read(source)
      return chunks && (await render(chunks, variant, maxPixels, signal))
    })
    if (!bytes) return undefined
    work.isOver = true
    const key = await blobs.write(oneChunk(bytes))
    const made = { key, size: bytes.length, hash: createHash('sha256').update(bytes).digest('hex') }
    const outcome = await store.write(async (transaction) => {
      const item = await transaction.find(wanted.model, hasId(wanted.id))
      if (!item || !Object.values(blobKeysOf(item)).includes(source)) return 'replaced'
      if (await findVariant(transaction, source, variant)) return 'exists'
      return keepVariant(transaction, source, variant, made)
    })
    const result = held(resourceOf(wanted, made))
    // What was made of a replaced original is the answer to those who asked for it before, and is kept no longer than they read it.
    if (outcome !== 'kept') await blobs.drop([key])
    return result
  }

  const begin = (wanted: WantedVariant, name: string): Making => {
    const work: Work = { abandon: new AbortController(), isOver: false }
    const made = make(wanted, work)
      .catch((error: unknown) => {
        if (isLasting(error)) remember(failures, name, error)
        throw error
      })
      .finally(() => {
        if (making.get(name) === begun) making.delete(name)
      })
    const begun: Making = { made, work, waiting: 0 }
    making.set(name, begun)
    return begun
  }

  return {
    async get(wanted, signal) {
      const { original, variant } = wanted
      const source = StoredResource.keyOf(original)
      const known = await findVariant(store, source, variant)
      if (known) return held(resourceOf(wanted, known))
      const name = `${source}/${variant.format}/${variant.size}`
      if (failures.has(name)) throw failures.get(name)
      const one = making.get(name) ?? begin(wanted, name)
      one.waiting++
      try {
        const made = await withinTime(one.made, { signal })
        return made && held(made.resource)
      } finally {
        one.waiting--
        if (one.waiting === 0 && !one.work.isOver) {
          // Nobody may join what is given up.
          making.delete(name)
          one.work.abandon.abort()
        }
        one.made.then(
          (made) => one.waiting === 0 && made?.release(),
          () => {},
        )
      }
    },
    async forget({ original, variant }) {
      await store.write((transaction) => forgetVariant(transaction, StoredResource.keyOf(original), variant))
    },
    async close() {
      const all = [...making.values()]
      for (const { work } of all) work.abandon.abort(refusal('shutting-down', 'The service ends.'))
      await Promise.allSettled(all.map(({ made }) => made))
      await endIdleImageProcesses()
    },
  }
}

function resourceOf({ original, variant }: WantedVariant, { key, size, hash }: KeptVariant): StoredResource {
  const stem = original.fileName?.replace(/\.[^.]*$/, '')
  const fileName = stem ? `${stem}-${variant.size}.${variant.format}` : null
  return new StoredResource({ contentType: `image/${variant.format}`, size, hash, fileName }, key)
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
