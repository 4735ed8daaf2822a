import { notModified } from '../http/precondition.ts'
import { findItem } from './find-item.ts'
import type { ItemJob, Result } from './job.ts'

/** GetItem: the item with the path's id; or only its version, where that alone tells what the client has or what was sent before. */
export function getItem(job: ItemJob): Promise<Result> {
  const { store, view, context, isPlain, documents } = job
  const mayBeKnown = context.request.headers['if-none-match'] !== undefined || documents?.isLikely
  return mayBeKnown && isPlain && view.model.hash && store.version ? unlessKnown(job, store.version) : found(job)
}

async function unlessKnown(job: ItemJob, versionOf: NonNullable<ItemJob['store']['version']>): Promise<Result> {
  const { view, plan, context, documents } = job
  const version = await versionOf(view.model, plan.condition)
  if (version === undefined) return found(job)
  if (notModified(context.request.headers, `"${version}"`)) return { kind: 'unchanged', version }
  const document = documents?.find(version)
  return document ? { kind: 'document', version, document } : found(job)
}

function found(job: ItemJob): Promise<Result> {
  return findItem(job.store, job).then((item) => ({ kind: 'item', item }))
}
