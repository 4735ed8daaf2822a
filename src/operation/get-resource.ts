import { StoredResource } from '../model/stored-resource.ts'
import { storedValues } from '../store/item-text.ts'
import { findItem } from './find-item.ts'
import { filled, findRoom } from './find-resource.ts'
import type { Job, ResourceJob, Result } from './job.ts'

/** How often a resource is looked for again that is replaced between being found and being read. */
const mostTries = 5

/** GetResource: the binary resource of the item with the path's id. */
export function getResource(job: Job & ResourceJob): Promise<Result> {
  return found(job, 1)
}

async function found(job: Job & ResourceJob, tries: number): Promise<Result> {
  const item = await findItem(job.store, job)
  const original = filled(job, findRoom(job, storedValues(job.view.model, item)))
  const { variant } = job.resource
  const wanted = variant && { model: job.view.model, id: item.id, original, variant }
  const resource = wanted ? await job.variants.get(wanted) : original
  const again = async (): Promise<Result> => {
    if (tries === mostTries) throw lost(job, item.id, resource ?? original)
    // Another process may have deleted it; where it did not, it is made again.
    if (wanted && resource) await job.variants.forget(wanted)
    return found(job, tries + 1)
  }
  if (!resource) return again()
  return { kind: 'resource', resource, read: (span) => job.blobs.read(StoredResource.keyOf(resource), span), again }
}

function lost({ view }: Job, id: string, resource: StoredResource): Error {
  return new Error(
    `The ${view.model.name} '${id}' refers to the blob ${StoredResource.keyOf(resource)}, which is not there.`,
  )
}
