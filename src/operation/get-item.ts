import { isNotModified } from '../http/headers/precondition.ts'
import { findItem } from './find-item.ts'
import type { GetItemInput, OperationResult } from './operation-input.ts'

/**
 * GetItem: the item with the path's id; or only its version, where that alone tells what the client
 * has or what was sent before.
 */
export function getItem(job: GetItemInput): Promise<OperationResult> {
  const { store, view, context, isSentAsStored, documentCache } = job
  const mayBeKnown =
    context.request.headers['if-none-match'] !== undefined || documentCache?.isHitLikely
  return mayBeKnown && isSentAsStored && view.model.hashField && store.findVersion
    ? getUnlessCached(job, store.findVersion)
    : readItem(job)
}

async function getUnlessCached(
  job: GetItemInput,
  versionOf: NonNullable<GetItemInput['store']['findVersion']>,
): Promise<OperationResult> {
  const { view, plan, context, documentCache } = job
  const version = await versionOf(view.model, plan.condition)
  if (version === undefined) return readItem(job)
  if (isNotModified(context.request.headers, `"${version}"`)) return { kind: 'unchanged', version }
  const document = documentCache?.get(version)
  return document ? { kind: 'document', version, document } : readItem(job)
}

function readItem(job: GetItemInput): Promise<OperationResult> {
  return findItem(job.store, job).then((item) => ({ kind: 'item', item }))
}
