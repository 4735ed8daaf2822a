import { createHash } from 'node:crypto'
import {
  type BlobStore,
  type ModelDescription,
  mapFieldResources,
  resourcesIn,
  StoredResource,
  type StoredValues,
} from '../../store/public.ts'
import { type ItemSource, type MovedItem, nameOf } from './item-source.ts'

/** An item whose resources lead to blobs of the target. */
export interface CopiedItem {
  readonly values: StoredValues
  readonly blobKeys: readonly string[]
  readonly byteCount: number
}

/**
 * Copies the blobs of an item.
 * @throws Error if bytes are missing, or are not those that the item describes
 */
export async function copyBlobs(
  source: ItemSource,
  blobs: BlobStore | undefined,
  { model, values }: MovedItem,
): Promise<CopiedItem> {
  const resources = resourcesIn(model, values)
  if (resources.size === 0) return { values, blobKeys: [], byteCount: 0 }
  const copies = new Map<unknown, StoredResource>()
  let byteCount = 0
  for (const [path, resource] of resources) {
    if (!blobs) throw copyError(model, values.id, path, new Error('The target has no blob store.'))
    try {
      const key = await blobs.write(verified(await source.readBlob(resource), resource))
      copies.set(resource, new StoredResource(resource, key))
    } catch (error) {
      await blobs.delete([...copies.values()].map(StoredResource.blobKeyOf)).catch(() => {})
      throw copyError(model, values.id, path, error)
    }
    byteCount += resource.size
  }
  const copied: { id: string; [name: string]: unknown } = { ...values }
  for (const field of [...model.valueFields, ...model.resourceFields])
    if (copied[field.name] !== undefined)
      copied[field.name] = mapFieldResources(
        field,
        copied[field.name],
        (resource) => copies.get(resource) ?? resource,
      )
  return { values: copied, blobKeys: [...copies.values()].map(StoredResource.blobKeyOf), byteCount }
}

/**
 * Reads the bytes of all resources of a copy.
 * @throws Error if bytes are missing, or are not those that the item describes
 */
export async function checkBlobs(
  blobs: BlobStore | undefined,
  model: ModelDescription,
  values: StoredValues,
): Promise<number> {
  const resources = resourcesIn(model, values)
  for (const [path, resource] of resources)
    try {
      const bytes = await blobs?.read(StoredResource.blobKeyOf(resource))
      if (!bytes) throw missingBytes('target')
      for await (const _ of verified(bytes, resource));
    } catch (cause) {
      const { message } = cause as Error
      throw new Error(
        `The copy of '${path}' of ${nameOf(model, values.id)} is not whole. ${message}`,
        { cause },
      )
    }
  return resources.size
}

/** Does the blob store have all blobs of an item? Their bytes are not read. */
export async function hasBlobs(
  blobs: BlobStore | undefined,
  model: ModelDescription,
  values: StoredValues,
): Promise<boolean> {
  for (const resource of resourcesIn(model, values).values())
    if (!(await blobs?.read(StoredResource.blobKeyOf(resource)))) return false
  return true
}

/** The same bytes; the last one comes only if all of them are those of the resource. */
export async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  { hash, size }: StoredResource,
): AsyncGenerator<Uint8Array> {
  const hashing = createHash('sha256')
  let byteCount = 0
  for await (const chunk of bytes) {
    hashing.update(chunk)
    byteCount += chunk.length
    yield chunk
  }
  if (byteCount !== size) throw new Error(`Expected ${size} bytes; got ${byteCount}.`)
  if (hashing.digest('hex') !== hash) throw new Error('The bytes do not have the hash of the item.')
}

/** Names the file field whose bytes were not copied. */
export function copyError(
  model: ModelDescription,
  id: string,
  path: string,
  cause: unknown,
): Error {
  return new Error(`Cannot copy '${path}' of ${nameOf(model, id)}. ${(cause as Error).message}`, {
    cause,
  })
}

export function missingBytes(owner: 'source' | 'target'): Error {
  return new Error(`The ${owner} does not have its bytes.`)
}
