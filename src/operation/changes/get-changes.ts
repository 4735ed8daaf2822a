import type { ErrorCode } from '../../error/catalog.ts'
import type { ChangesInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changesOf, unreadChangesErrors } from './unread-changes.ts'

export const getChangesErrors: readonly ErrorCode[] = [...unreadChangesErrors]

/** GetChanges: what changed in a list since a position, read while it is sent. */
export async function getChanges(input: ChangesInput): Promise<OperationResult> {
  return { kind: 'changes', changes: await changesOf(input) }
}
