import { createHash } from 'node:crypto'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import { ApiError, createApiError } from '../../error/api-error.ts'
import type { ModelDescription, Variant } from '../../model/model-description.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { idEquals } from '../../query/conditions.ts'
import type { SharedBlobs } from '../../store/blobs/shared-blobs.ts'
import { singleChunk } from '../../store/blobs/single-chunk.ts'
import {
  findVariant,
  insertVariant,
  removeVariant,
  type StoredVariant,
} from '../../store/blobs/variant-table.ts'
import type { Store } from '../../store/store.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import { endIdleImageProcesses } from './image-process-pool.ts'
import { limitImages } from './sharp.ts'

/**
 * Makes an image of another that has no more than so many pixels.
 * @throws ApiError when it cannot be done with these bytes, however often it is tried; the reason
 * of the signal
 */
export type VariantRenderer = (
  original: AsyncIterable<Uint8Array>,
  variant: Variant,
  maxPixels: number,
  signal: AbortSignal,
) => Promise<Uint8Array>

/** An image of an item, and the form it is wanted in. */
export interface VariantRequest {
  readonly model: ModelDescription
  readonly id: string
  readonly original: StoredResource
  readonly variant: Variant
  readonly maxPixels: number
}

export interface ImageVariants {
  /**
   * The variant, made if it is not there yet, of the original as it was found, whatever the item
   * holds meanwhile: whoever asks holds the original. Undefined when the bytes of the original are
   * not there. It is not begun, or broken off, once all who asked for it are gone.
   */
  get(wanted: VariantRequest, signal: AbortSignal): Promise<ResourceHandle | undefined>
  /** Says that the bytes of a variant turned out to be lost, so that they are made again. */
  forget(wanted: VariantRequest): Promise<void>
  /** Breaks off what is being made. */
  close(): Promise<void>
}

/** A resource whose bytes stay until they are let go of, even where its item no longer holds it. */
export interface ResourceHandle {
  readonly resource: StoredResource
  release(): void
}

/**
 * A variant that is being made, and how many requests wait for it. The last of them lets go of it.
 */
interface RunningRender {
  readonly result: Promise<ResourceHandle | undefined>
  waiters: number
  readonly task: RenderTask
}

/** What takes long of making a variant, which can be given up. */
interface RenderTask {
  readonly controller: AbortController
  /** Is the image made? It is then kept, whoever leaves. */
  isFinished: boolean
}

/** How many that cannot be made are remembered, so that they are not tried at every request. */
const maxFailures = 1_000

/** Makes each variant once, whoever asks for it first, and keeps it as long as its original. */
export function imageVariants(
  store: Store,
  blobs: SharedBlobs,
  render: VariantRenderer,
): ImageVariants {
  const making = new Map<string, RunningRender>()
  const failures = new Map<string, unknown>()

  const held = (resource: StoredResource): ResourceHandle => ({
    resource,
    release: blobs.retain(StoredResource.blobKeyOf(resource)),
  })

  const make = async (
    wanted: VariantRequest,
    work: RenderTask,
  ): Promise<ResourceHandle | undefined> => {
    const { original, variant, maxPixels } = wanted
    const source = StoredResource.blobKeyOf(original)
    // To read or write AVIF takes many times the memory that other formats do.
    const isHeavy = variant.format === 'avif' || original.contentType === 'image/avif'
    const { signal } = work.controller
    const bytes = await limitImages(isHeavy ? 'single' : 'usual', signal, async () => {
      const chunks = await blobs.read(source)
      return chunks && (await render(chunks, variant, maxPixels, signal))
    })
    if (!bytes) return undefined
    work.isFinished = true
    const key = await blobs.write(singleChunk(bytes))
    const made = { key, size: bytes.length, hash: createHash('sha256').update(bytes).digest('hex') }
    const outcome = await store.write(async (transaction) => {
      const item = await transaction.find(wanted.model, idEquals(wanted.id))
      if (!item || !Object.values(blobKeysOf(item)).includes(source)) return 'replaced'
      if (await findVariant(transaction, source, variant)) return 'exists'
      return insertVariant(transaction, source, variant, made)
    })
    const result = held(variantResource(wanted, made))
    // What was made of a replaced original is the answer to those who asked for it before, and is
    // kept no longer than they read it.
    if (outcome !== 'kept') await blobs.deleteUnreferenced([key])
    return result
  }

  const begin = (wanted: VariantRequest, name: string): RunningRender => {
    const work: RenderTask = { controller: new AbortController(), isFinished: false }
    const made = make(wanted, work)
      .catch((error: unknown) => {
        if (isPermanentFailure(error)) rememberFailure(failures, name, error)
        throw error
      })
      .finally(() => {
        if (making.get(name) === begun) making.delete(name)
      })
    const begun: RunningRender = { result: made, task: work, waiters: 0 }
    making.set(name, begun)
    return begun
  }

  return {
    async get(wanted, signal) {
      const { original, variant } = wanted
      const source = StoredResource.blobKeyOf(original)
      const known = await findVariant(store, source, variant)
      if (known) return held(variantResource(wanted, known))
      const name = `${source}/${variant.format}/${variant.size}`
      if (failures.has(name)) throw failures.get(name)
      const one = making.get(name) ?? begin(wanted, name)
      one.waiters++
      try {
        const made = await withTimeout(one.result, { signal })
        return made && held(made.resource)
      } finally {
        one.waiters--
        if (one.waiters === 0 && !one.task.isFinished) {
          // Nobody may join what is given up.
          making.delete(name)
          one.task.controller.abort()
        }
        one.result.then(
          (made) => one.waiters === 0 && made?.release(),
          () => {},
        )
      }
    },
    async forget({ original, variant }) {
      await store.write((transaction) =>
        removeVariant(transaction, StoredResource.blobKeyOf(original), variant),
      )
    },
    async close() {
      const all = [...making.values()]
      for (const { task } of all)
        task.controller.abort(createApiError('shutting-down', 'The service ends.'))
      await Promise.allSettled(all.map(({ result }) => result))
      await endIdleImageProcesses()
    },
  }
}

function variantResource(
  { original, variant }: VariantRequest,
  { key, size, hash }: StoredVariant,
): StoredResource {
  const stem = original.fileName?.replace(/\.[^.]*$/, '')
  const fileName = stem ? `${stem}-${variant.size}.${variant.format}` : null
  return new StoredResource({ contentType: `image/${variant.format}`, size, hash, fileName }, key)
}

/** Will it fail again? Not so where the service was only busy, or a store away. */
function isPermanentFailure(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

function rememberFailure(failures: Map<string, unknown>, name: string, error: unknown): void {
  const [oldest] = failures.keys()
  if (failures.size >= maxFailures && oldest !== undefined) failures.delete(oldest)
  failures.set(name, error)
}
