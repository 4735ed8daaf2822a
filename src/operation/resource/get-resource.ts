import type { ErrorCode } from '../../error/catalog.ts'
import { defaultMaxPixels } from '../../model/declare/resource.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { OperationInput, ResourceOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { findResourceAccessor, findResourceErrors, requireResource } from './find-resource.ts'
import type { ResourceHandle } from './image-variants.ts'
import { imageVariantErrors } from './image-variants.ts'
import { renderVariantErrors } from './render-variant.ts'

export const getResourceErrors: readonly ErrorCode[] = [
  ...findItemErrors,
  ...findResourceErrors,
  ...imageVariantErrors,
  ...renderVariantErrors,
]

/**
 * How often a resource is looked up again because another process replaced it before it was read.
 */
const maxAttempts = 100

/** GetResource: streams the resource as it was found, even if the item is changed meanwhile. */
export function getResource(input: ResourceOperationInput): Promise<OperationResult> {
  return openResource(input, new Set())
}

/** @param missing the keys of blobs that turned out to be missing */
async function openResource(
  input: ResourceOperationInput,
  missing: ReadonlySet<string>,
): Promise<OperationResult> {
  const item = await findItem(input.store, input)
  const original = requireResource(
    input,
    findResourceAccessor(input, readStoredValues(input.view.model, item)),
  )
  const key = StoredResource.blobKeyOf(original)
  if (missing.has(key) || missing.size === maxAttempts) throw blobMissing(input, item.id, key)
  const handle = await retainResource(input, item.id, original, missing)
  if (!handle) return openResource(input, new Set([...missing, key]))
  const blobKey = StoredResource.blobKeyOf(handle.resource)
  return {
    kind: 'resource',
    resource: handle.resource,
    read: (byteRange) => input.blobs.read(blobKey, byteRange),
    retry: () => openResource(input, new Set([...missing, blobKey])),
    release: handle.release,
  }
}

/**
 * The resource, or its variant, retained until it is released; undefined if its bytes are missing.
 */
async function retainResource(
  {
    resourceTarget: { path, variant },
    blobs,
    variants,
    view,
    context: { signal },
  }: ResourceOperationInput,
  id: string,
  original: StoredResource,
  missing: ReadonlySet<string>,
): Promise<ResourceHandle | undefined> {
  const key = StoredResource.blobKeyOf(original)
  if (!variant) return { resource: original, release: blobs.retain(key) }
  if (!variants) throw new Error(`'${view.model.name}' has no image variants.`)
  const release = blobs.retain(key)
  const { maxPixels = defaultMaxPixels } = path.field
  const request = { model: view.model, id, original, variant, maxPixels }
  try {
    const variantHandle = await variants.get(request, signal)
    if (!variantHandle || !missing.has(StoredResource.blobKeyOf(variantHandle.resource)))
      return variantHandle
    // The bytes of the variant are lost, but not those of the original: make it again.
    variantHandle.release()
    await variants.forget(request)
    return await variants.get(request, signal)
  } finally {
    release()
  }
}

function blobMissing({ view }: OperationInput, id: string, key: string): Error {
  return new Error(
    `The ${view.model.name} '${id}' refers to the blob '${key}', which does not exist.`,
  )
}
