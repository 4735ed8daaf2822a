import type { ErrorCode } from '../error/catalog.ts'
import { isNotModified } from '../http/headers/precondition.ts'
import { findItem, findItemErrors } from './find-item.ts'
import type { GetItemInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'

export const getItemErrors: readonly ErrorCode[] = [...findItemErrors]

/**
 * GetItem: the item with the id of the path; or only its version, if the client or the document
 * cache may have that version.
 */
export function getItem(input: GetItemInput): Promise<OperationResult> {
  const { store, view, context, isSentAsStored, documentCache } = input
  const mayBeCached =
    context.request.headers['if-none-match'] !== undefined || documentCache?.isHitLikely
  return mayBeCached && isSentAsStored && view.model.hashField && store.findVersion
    ? getUnlessCached(input, store.findVersion)
    : readItem(input)
}

async function getUnlessCached(
  input: GetItemInput,
  findVersion: NonNullable<GetItemInput['store']['findVersion']>,
): Promise<OperationResult> {
  const { view, plan, context, documentCache } = input
  const version = await findVersion(view.model, plan.condition)
  if (version === undefined) return readItem(input)
  if (isNotModified(context.request.headers, `"${version}"`))
    return { kind: 'notModified', version }
  const document = documentCache?.get(version)
  return document ? { kind: 'document', version, document } : readItem(input)
}

function readItem(input: GetItemInput): Promise<OperationResult> {
  return findItem(input.store, input).then((item) => ({ kind: 'item', item }))
}
