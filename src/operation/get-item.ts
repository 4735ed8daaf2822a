import type { ErrorCode } from '../error/catalog.ts'
import { findItemErrors } from './find-item.ts'
import type { OperationInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'
import { unreadItem } from './unread-item.ts'

export const getItemErrors: readonly ErrorCode[] = [...findItemErrors]

/** GetItem: the item with the id of the path. */
export async function getItem(input: OperationInput): Promise<OperationResult> {
  return { kind: 'unreadItem', item: unreadItem(input) }
}
