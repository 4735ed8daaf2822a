import { safeFileName } from '../http/file-name.ts'
import { upload } from '../http/upload.ts'
import type { ModelDescription, ResourceSlot } from '../model/description.ts'
import { type BinaryResource, StoredResource } from '../model/stored-resource.ts'
import { checkUpload } from '../operation/check-upload.ts'
import { hasId } from '../query/conditions.ts'
import type { Place } from '../store/item-resources.ts'
import { storedItem, storedValues } from '../store/item-text.ts'
import { oneChunk } from '../store/one-chunk.ts'
import { roomIn } from '../store/resource-room.ts'
import type { SharedBlobs } from '../store/shared-blobs.ts'
import type { Store } from '../store/store.ts'

/** The bytes of a resource to be loaded. */
export interface LoadedResource {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  readonly contentType: string
  readonly fileName?: string
}

/** Where to load it: the item, and the place as in the resource's address, `cover` or `editions/0/scan`. */
export interface LoadPlace {
  readonly id: string
  readonly place: Place
}

/**
 * Puts a resource into an item, in the place of any that is there.
 * @throws ApiError when the bytes are not what the model allows, TypeError when there is no such place.
 */
export async function loadResource(
  store: Store,
  blobs: SharedBlobs,
  model: ModelDescription,
  { id, place }: LoadPlace,
  loaded: LoadedResource,
): Promise<BinaryResource> {
  const slot = slotAt(model, place)
  const bytes = loaded.bytes instanceof Uint8Array ? oneChunk(loaded.bytes) : loaded.bytes
  const { maxBytes, types } = slot.field
  const passing = upload(bytes, { contentType: loaded.contentType, accepts: types, maxBytes })
  const key = await blobs.write(passing.bytes)
  const { sha256: hash, ...facts } = passing.facts()
  const fileName = loaded.fileName === undefined ? null : (safeFileName(loaded.fileName) ?? null)
  const resource = new StoredResource({ ...facts, hash, fileName }, key)
  await checkUpload(blobs, slot.field, resource, new AbortController().signal)
  const put = store.write(async (transaction) => {
    const item = await transaction.find(model, hasId(id))
    const values = item && storedValues(model, item)
    const room = values && roomIn(values, slot, place.split('/').filter(isIndex))
    if (!room) throw new TypeError(`There is no ${model.name} '${id}' with a place '${place}'.`)
    room.put(resource)
    await transaction.replace(model, storedItem(model, values, item.revision + 1))
  })
  await put.catch(async (error: unknown) => {
    await blobs.drop([key])
    throw error
  })
  return resource
}

function slotAt(model: ModelDescription, place: Place): ResourceSlot {
  const way = place
    .split('/')
    .map((step) => (isIndex(step) ? '*' : step))
    .join('/')
  const slot = model.slots.find((one) => one.way.join('/') === way)
  if (slot) return slot
  throw new TypeError(
    `The model '${model.name}' has no binary resource at '${place}'; it has ${model.slots.map((one) => one.way.join('/')).join(', ') || 'none'}.`,
  )
}

function isIndex(step: string): boolean {
  return /^\d+$/.test(step)
}
