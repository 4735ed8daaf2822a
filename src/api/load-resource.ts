import { unknownName } from '../error/unknown-name.ts'
import { safeFileName } from '../http/file-name.ts'
import { inspectUpload } from '../http/upload/inspect-upload.ts'
import type { ModelDescription, ResourcePath } from '../model/model-description.ts'
import { type BinaryResource, StoredResource } from '../model/stored-resource.ts'
import { checkUpload } from '../operation/resource/check-upload.ts'
import { runUnit, type UnitSettings } from '../operation/unit-of-work/run-unit.ts'
import { idEquals } from '../query/conditions.ts'
import { singleChunk } from '../store/blobs/chunks.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import { OutcomeUnknown } from '../store/store-failures.ts'
import { createStoredItem, readStoredValues } from '../stored-item/create-stored-item.ts'
import { withDerivedValues } from '../stored-item/derived-values.ts'
import { type ResourcePathText, resourceAccessor } from '../stored-item/item-resources.ts'

/** The bytes of a resource to load. */
export interface ResourceContent {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  readonly contentType: string
  readonly fileName?: string
}

/** An item, and the path of a binary resource in it as in its URL: `cover` or `editions/0/scan`. */
export interface ResourceLocation {
  readonly id: string
  readonly path: ResourcePathText
}

/**
 * Sets a binary resource of an item.
 * @throws ApiError if the model does not accept the bytes, TypeError if there is no such resource
 */
export async function loadResource(
  unit: UnitSettings,
  blobs: SharedBlobs,
  model: ModelDescription,
  { id, path }: ResourceLocation,
  content: ResourceContent,
): Promise<BinaryResource> {
  const resourcePath = findResourcePath(model, path)
  const bytes = content.bytes instanceof Uint8Array ? singleChunk(content.bytes) : content.bytes
  const { maxBytes, types } = resourcePath.field
  const upload = inspectUpload(bytes, {
    contentType: content.contentType,
    acceptedTypes: types,
    maxBytes,
  })
  const key = await blobs.write(upload.bytes)
  const { sha256: hash, ...metadata } = upload.metadata()
  const fileName = content.fileName === undefined ? null : (safeFileName(content.fileName) ?? null)
  const resource = new StoredResource({ ...metadata, hash, fileName }, key)
  await checkUpload(blobs, resourcePath.field, resource, new AbortController().signal)
  const write = runUnit(unit, async (transaction) => {
    const item = await transaction.find(model, idEquals(id))
    const values = item && readStoredValues(model, item)
    const accessor =
      values && resourceAccessor(values, resourcePath, path.split('/').filter(isIndex))
    if (!accessor)
      throw new TypeError(`There is no ${model.name} '${id}' with a resource at '${path}'.`)
    accessor.set(resource)
    const complete = withDerivedValues(model, values)
    await transaction.replace(model, createStoredItem(model, complete, item.revision + 1))
  })
  await write.catch(async (error: unknown) => {
    // The item may refer to it then.
    if (!(error instanceof OutcomeUnknown)) await blobs.deleteUnreferenced([key])
    throw error
  })
  return resource
}

function findResourcePath(model: ModelDescription, text: ResourcePathText): ResourcePath {
  const pattern = text
    .split('/')
    .map((step) => (isIndex(step) ? '*' : step))
    .join('/')
  const patterns = model.resourcePaths.map(({ segments }) => segments.join('/'))
  const resourcePath = model.resourcePaths[patterns.indexOf(pattern)]
  if (resourcePath) return resourcePath
  throw new TypeError(
    unknownName(`The model '${model.name}' has no binary resource at '${text}'`, pattern, patterns),
  )
}

function isIndex(step: string): boolean {
  return /^\d+$/.test(step)
}
