import { defaultMaxPixels } from '../model/resource.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { storedValues } from '../store/item-text.ts'
import { findItem } from './find-item.ts'
import { filled, findRoom } from './find-resource.ts'
import type { HeldResource } from './image-variants.ts'
import type { Job, ResourceJob, Result } from './job.ts'

/** How often a resource is looked for again that other processes replace between being found and being read. */
const mostTries = 100

/** GetResource: the binary resource of the item with the path's id, as it is found: it is answered whatever the item holds meanwhile. */
export function getResource(job: Job & ResourceJob): Promise<Result> {
  return found(job, new Set())
}

/** @param missing keys of blobs that were not there */
async function found(job: Job & ResourceJob, missing: ReadonlySet<string>): Promise<Result> {
  const item = await findItem(job.store, job)
  const original = filled(job, findRoom(job, storedValues(job.view.model, item)))
  const key = StoredResource.keyOf(original)
  if (missing.has(key) || missing.size === mostTries) throw lost(job, item.id, key)
  const held = await heldBy(job, item.id, original, missing)
  if (!held) return found(job, new Set([...missing, key]))
  const heldKey = StoredResource.keyOf(held.resource)
  return {
    kind: 'resource',
    resource: held.resource,
    read: (span) => job.blobs.read(heldKey, span),
    again: () => found(job, new Set([...missing, heldKey])),
    release: held.release,
  }
}

/** What was asked for of the original, held from here on; undefined where its bytes are not there. */
async function heldBy(
  { resource: { slot, variant }, blobs, variants, view, context: { signal } }: Job & ResourceJob,
  id: string,
  original: StoredResource,
  missing: ReadonlySet<string>,
): Promise<HeldResource | undefined> {
  const release = blobs.hold(StoredResource.keyOf(original))
  if (!variant) return { resource: original, release }
  const { maxPixels = defaultMaxPixels } = slot.field
  const wanted = { model: view.model, id, original, variant, maxPixels }
  try {
    const kept = await variants.get(wanted, signal)
    if (!kept || !missing.has(StoredResource.keyOf(kept.resource))) return kept
    // Its bytes are lost, and those of its original are not: it is made again.
    kept.release()
    await variants.forget(wanted)
    return await variants.get(wanted, signal)
  } finally {
    release()
  }
}

function lost({ view }: Job, id: string, key: string): Error {
  return new Error(`The ${view.model.name} '${id}' refers to the blob ${key}, which is not there.`)
}
