import { notModified } from '../http/precondition.ts'
import { findItem } from './find-item.ts'
import type { ItemJob, Result } from './job.ts'

/** GetItem: the item with the path's id; or only that it is the version which the client has, where that can be told without reading more. */
export function getItem(job: ItemJob): Promise<Result> {
  const { store, view, context, isPlain } = job
  const mayBeKnown = isPlain && view.model.hash && context.request.headers['if-none-match'] !== undefined
  return mayBeKnown && store.version ? unlessKnown(job, store.version) : found(job)
}

async function unlessKnown(job: ItemJob, versionOf: NonNullable<ItemJob['store']['version']>): Promise<Result> {
  const { view, plan, context } = job
  const version = await versionOf(view.model, plan.condition)
  const isKnown = version !== undefined && notModified(context.request.headers, `"${version}"`)
  return isKnown ? { kind: 'unchanged', version } : found(job)
}

function found(job: ItemJob): Promise<Result> {
  return findItem(job.store, job).then((item) => ({ kind: 'item', item }))
}
