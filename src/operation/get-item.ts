import type { ErrorCode } from '../error/catalog.ts'
import type { OperationInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'
import { unreadItem, unreadItemErrors } from './unread-item.ts'

export const getItemErrors: readonly ErrorCode[] = [...unreadItemErrors]

/** GetItem: the item with the id of the path. */
export async function getItem(input: OperationInput): Promise<OperationResult> {
  return { kind: 'unreadItem', item: unreadItem(input) }
}
