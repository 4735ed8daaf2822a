import { safeFileName } from '../http/file-name.ts'
import { inspectUpload } from '../http/upload/inspect-upload.ts'
import type { ModelDescription, ResourcePath } from '../model/model-description.ts'
import { type BinaryResource, StoredResource } from '../model/stored-resource.ts'
import { checkUpload } from '../operation/resource/check-upload.ts'
import { idEquals } from '../query/conditions.ts'
import { singleChunk } from '../store/blobs/chunks.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import type { Store } from '../store/store.ts'
import { createStoredItem, readStoredValues } from '../stored-item/create-stored-item.ts'
import { type ResourcePathText, resourceAccessor } from '../stored-item/item-resources.ts'

/** The bytes of a resource to be loaded. */
export interface ResourceContent {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  readonly contentType: string
  readonly fileName?: string
}

/**
 * Where to load it: the item, and the place as in the resource's address, `cover` or
 * `editions/0/scan`.
 */
export interface ResourceLocation {
  readonly id: string
  readonly path: ResourcePathText
}

/**
 * Puts a resource into an item, in the place of any that is there.
 * @throws ApiError when the bytes are not what the model allows, TypeError when there is no such
 * place.
 */
export async function loadResource(
  store: Store,
  blobs: SharedBlobs,
  model: ModelDescription,
  { id, path }: ResourceLocation,
  loaded: ResourceContent,
): Promise<BinaryResource> {
  const slot = findResourcePath(model, path)
  const bytes = loaded.bytes instanceof Uint8Array ? singleChunk(loaded.bytes) : loaded.bytes
  const { maxBytes, types } = slot.field
  const passing = inspectUpload(bytes, {
    contentType: loaded.contentType,
    acceptedTypes: types,
    maxBytes,
  })
  const key = await blobs.write(passing.bytes)
  const { sha256: hash, ...facts } = passing.metadata()
  const fileName = loaded.fileName === undefined ? null : (safeFileName(loaded.fileName) ?? null)
  const resource = new StoredResource({ ...facts, hash, fileName }, key)
  await checkUpload(blobs, slot.field, resource, new AbortController().signal)
  const put = store.write(async (transaction) => {
    const item = await transaction.find(model, idEquals(id))
    const values = item && readStoredValues(model, item)
    const room = values && resourceAccessor(values, slot, path.split('/').filter(isIndex))
    if (!room) throw new TypeError(`There is no ${model.name} '${id}' with a place '${path}'.`)
    room.set(resource)
    await transaction.replace(model, createStoredItem(model, values, item.revision + 1))
  })
  await put.catch(async (error: unknown) => {
    await blobs.deleteUnreferenced([key])
    throw error
  })
  return resource
}

function findResourcePath(model: ModelDescription, place: ResourcePathText): ResourcePath {
  const way = place
    .split('/')
    .map((step) => (isIndex(step) ? '*' : step))
    .join('/')
  const slot = model.resourcePaths.find((one) => one.segments.join('/') === way)
  if (slot) return slot
  throw new TypeError(
    `The model '${model.name}' has no binary resource at '${place}'; it has ${model.resourcePaths.map((one) => one.segments.join('/')).join(', ') || 'none'}.`,
  )
}

function isIndex(step: string): boolean {
  return /^\d+$/.test(step)
}
