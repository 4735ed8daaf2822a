import { defaultMaxPixels } from '../../model/declare/resource.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem } from '../find-item.ts'
import type { OperationInput, OperationResult, ResourceOperationInput } from '../operation-input.ts'
import { findResourceAccessor, requireResource } from './find-resource.ts'
import type { ResourceHandle } from './image-variants.ts'

/**
 * How often a resource is looked for again that other processes replace between being found and
 * being read.
 */
const maxAttempts = 100

/**
 * GetResource: the binary resource of the item with the path's id, as it is found: it is answered
 * whatever the item holds meanwhile.
 */
export function getResource(
  job: OperationInput & ResourceOperationInput,
): Promise<OperationResult> {
  return openResource(job, new Set())
}

/** @param missing keys of blobs that were not there */
async function openResource(
  job: OperationInput & ResourceOperationInput,
  missing: ReadonlySet<string>,
): Promise<OperationResult> {
  const item = await findItem(job.store, job)
  const original = requireResource(
    job,
    findResourceAccessor(job, readStoredValues(job.view.model, item)),
  )
  const key = StoredResource.blobKeyOf(original)
  if (missing.has(key) || missing.size === maxAttempts) throw blobMissing(job, item.id, key)
  const held = await retainResource(job, item.id, original, missing)
  if (!held) return openResource(job, new Set([...missing, key]))
  const heldKey = StoredResource.blobKeyOf(held.resource)
  return {
    kind: 'resource',
    resource: held.resource,
    read: (span) => job.blobs.read(heldKey, span),
    retry: () => openResource(job, new Set([...missing, heldKey])),
    release: held.release,
  }
}

/**
 * What was asked for of the original, held from here on; undefined where its bytes are not there.
 */
async function retainResource(
  {
    resourceTarget: { path, variant },
    blobs,
    variants,
    view,
    context: { signal },
  }: OperationInput & ResourceOperationInput,
  id: string,
  original: StoredResource,
  missing: ReadonlySet<string>,
): Promise<ResourceHandle | undefined> {
  const release = blobs.retain(StoredResource.blobKeyOf(original))
  if (!variant) return { resource: original, release }
  const { maxPixels = defaultMaxPixels } = path.field
  const wanted = { model: view.model, id, original, variant, maxPixels }
  try {
    const kept = await variants.get(wanted, signal)
    if (!kept || !missing.has(StoredResource.blobKeyOf(kept.resource))) return kept
    // Its bytes are lost, and those of its original are not: it is made again.
    kept.release()
    await variants.forget(wanted)
    return await variants.get(wanted, signal)
  } finally {
    release()
  }
}

function blobMissing({ view }: OperationInput, id: string, key: string): Error {
  return new Error(`The ${view.model.name} '${id}' refers to the blob ${key}, which is not there.`)
}
