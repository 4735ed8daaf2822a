import type { ErrorCode } from '../../error/catalog.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { OperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { findSeenVersion, findSeenVersionErrors } from './find-seen-version.ts'

export const getVersionErrors: readonly ErrorCode[] = [...findItemErrors, ...findSeenVersionErrors]

/** GetVersion: the version with the number in the path. */
export async function getVersion(input: OperationInput): Promise<OperationResult> {
  await findItem(input.store, input)
  const { version, shown } = await findSeenVersion(input.store, input)
  return { kind: 'version', version: { ...version, item: shown } }
}
