import type { ErrorCode } from '../../error/catalog.ts'
import type { TrashedItemInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { findSeenTrashed, findSeenTrashedErrors } from './find-seen-trashed.ts'

export const getTrashedItemErrors: readonly ErrorCode[] = [...findSeenTrashedErrors]

/** GetTrashedItem: the deleted item that the path names. */
export async function getTrashedItem(input: TrashedItemInput): Promise<OperationResult> {
  const { trashed, shown } = await findSeenTrashed(input.store, input)
  return { kind: 'trashed', trashed: { ...trashed, item: shown } }
}
