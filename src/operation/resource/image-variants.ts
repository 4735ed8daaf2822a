import { createHash } from 'node:crypto'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Variant } from '../../model/resource-field.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { idEquals } from '../../query/conditions.ts'
import { singleChunk } from '../../store/blobs/chunks.ts'
import type { SharedBlobs } from '../../store/blobs/shared-blobs.ts'
import {
  findVariant,
  insertVariant,
  removeVariant,
  type StoredVariant,
} from '../../store/blobs/variant-table.ts'
import type { Store } from '../../store/store.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import { imageLimitErrors, limitImages } from './image-limits.ts'
import { endIdleImageProcesses } from './image-process-pool.ts'

const ownErrors = ['shutting-down'] as const

export const imageVariantErrors: readonly ErrorCode[] = [...ownErrors, ...imageLimitErrors]

const { createApiError } = refusalsOf(ownErrors)

/**
 * Makes an image with at most this many pixels from another.
 * @throws ApiError if these bytes can never be converted; the reason of the signal
 */
export type VariantRenderer = (
  original: AsyncIterable<Uint8Array>,
  variant: Variant,
  maxPixels: number,
  signal: AbortSignal,
) => Promise<Uint8Array>

/** An image of an item, and the variant to make. */
interface VariantRequest {
  readonly model: ModelDescription
  readonly id: string
  readonly original: StoredResource
  readonly variant: Variant
  readonly maxPixels: number
}

export interface ImageVariants {
  /**
   * The variant, made if necessary, of the original as it was found; the caller retains the
   * original. Undefined if the bytes of the original are missing. The work is aborted when all
   * callers have left.
   */
  get(request: VariantRequest, signal: AbortSignal): Promise<ResourceHandle | undefined>
  /** Deletes a variant whose bytes are lost, so that it is made again. */
  forget(request: VariantRequest): Promise<void>
  /** Aborts all work. */
  close(): Promise<void>
}

/** A resource whose bytes stay until it is released, even if its item no longer holds it. */
export interface ResourceHandle {
  readonly resource: StoredResource
  release(): void
}

/** A variant in progress, and the number of requests that wait for it. */
interface RunningRender {
  readonly result: Promise<ResourceHandle | undefined>
  waiters: number
  readonly task: RenderTask
}

/** The slow part of making a variant. */
interface RenderTask {
  readonly controller: AbortController
  /** Whether the image is made. It is stored then, even if all callers leave. */
  isFinished: boolean
}

/** Permanent failures that are remembered, so that they are not repeated at each request. */
const maxFailures = 1_000

/** Makes each variant once, when it is first requested, and keeps it as long as its original. */
export function imageVariants(
  store: Store,
  blobs: SharedBlobs,
  render: VariantRenderer,
): ImageVariants {
  const runningRenders = new Map<string, RunningRender>()
  const failures = new Map<string, unknown>()

  const retain = (resource: StoredResource): ResourceHandle => ({
    resource,
    release: blobs.retain(StoredResource.blobKeyOf(resource)),
  })

  const make = async (
    request: VariantRequest,
    task: RenderTask,
  ): Promise<ResourceHandle | undefined> => {
    const { original, variant, maxPixels } = request
    const source = StoredResource.blobKeyOf(original)
    // AVIF takes many times the memory of other formats.
    const isHeavy = variant.format === 'avif' || original.contentType === 'image/avif'
    const { signal } = task.controller
    // An earlier render may have ended since the request looked for its variant.
    const storedVariant = await findVariant(store, source, variant)
    if (storedVariant) return retain(variantResource(request, storedVariant))
    const bytes = await limitImages(isHeavy ? 'exclusive' : 'shared', signal, async () => {
      const chunks = await blobs.read(source)
      return chunks && (await render(chunks, variant, maxPixels, signal))
    })
    if (!bytes) return undefined
    task.isFinished = true
    const key = await blobs.write(singleChunk(bytes))
    const variantBlob = {
      key,
      size: bytes.length,
      hash: createHash('sha256').update(bytes).digest('hex'),
    }
    const outcome = await store.write(async (transaction) => {
      const item = await transaction.find(request.model, idEquals(request.id))
      if (!item || !Object.values(blobKeysOf(item)).includes(source)) return 'replaced'
      if (await findVariant(transaction, source, variant)) return 'exists'
      return insertVariant(transaction, source, variant, variantBlob)
    })
    const result = retain(variantResource(request, variantBlob))
    // A variant of a replaced original is still sent to those who requested it, but not stored.
    if (outcome !== 'inserted') await blobs.deleteUnreferenced([key])
    return result
  }

  const startRender = (request: VariantRequest, cacheKey: string): RunningRender => {
    const task: RenderTask = { controller: new AbortController(), isFinished: false }
    const result = make(request, task)
      .catch((error: unknown) => {
        if (isPermanentFailure(error)) rememberFailure(failures, cacheKey, error)
        throw error
      })
      .finally(() => {
        if (runningRenders.get(cacheKey) === runningRender) runningRenders.delete(cacheKey)
      })
    const runningRender: RunningRender = { result, task, waiters: 0 }
    runningRenders.set(cacheKey, runningRender)
    return runningRender
  }

  return {
    async get(request, signal) {
      const { original, variant } = request
      const source = StoredResource.blobKeyOf(original)
      const storedVariant = await findVariant(store, source, variant)
      if (storedVariant) return retain(variantResource(request, storedVariant))
      const cacheKey = `${source}/${variant.format}/${variant.size}`
      if (failures.has(cacheKey)) throw failures.get(cacheKey)
      const runningRender = runningRenders.get(cacheKey) ?? startRender(request, cacheKey)
      runningRender.waiters++
      try {
        const handle = await withTimeout(runningRender.result, { waiter: { signal } })
        return handle && retain(handle.resource)
      } finally {
        runningRender.waiters--
        if (runningRender.waiters === 0 && !runningRender.task.isFinished) {
          // New requests must not wait for an aborted render.
          runningRenders.delete(cacheKey)
          runningRender.task.controller.abort()
        }
        runningRender.result.then(
          (handle) => runningRender.waiters === 0 && handle?.release(),
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
      const renders = [...runningRenders.values()]
      for (const { task } of renders)
        task.controller.abort(createApiError('shutting-down', 'The service is shutting down.'))
      await Promise.allSettled(renders.map(({ result }) => result))
      await endIdleImageProcesses()
    },
  }
}

function variantResource(
  { original, variant }: VariantRequest,
  { key, size, hash }: StoredVariant,
): StoredResource {
  const baseName = original.fileName?.replace(/\.[^.]*$/, '')
  const fileName = baseName ? `${baseName}-${variant.size}.${variant.format}` : null
  return new StoredResource({ contentType: `image/${variant.format}`, size, hash, fileName }, key)
}

/** Not if the service was busy, or a store unavailable. */
function isPermanentFailure(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

function rememberFailure(failures: Map<string, unknown>, cacheKey: string, error: unknown): void {
  const [oldest] = failures.keys()
  if (failures.size >= maxFailures && oldest !== undefined) failures.delete(oldest)
  failures.set(cacheKey, error)
}
