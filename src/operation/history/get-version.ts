import type { ErrorCode } from '../../error/catalog.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { VersionInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { findSeenVersion, findSeenVersionErrors } from './find-seen-version.ts'
import { withCurrentHash } from './with-current-hash.ts'

export const getVersionErrors: readonly ErrorCode[] = [...findItemErrors, ...findSeenVersionErrors]

/** GetVersion: the version with the number in the path. */
export async function getVersion(input: VersionInput): Promise<OperationResult> {
  const current = await findItem(input.store, input)
  const { version, shown } = await findSeenVersion(input.store, input)
  const [found] = await withCurrentHash(input, current, [{ ...version, item: shown }])
  return { kind: 'version', version: found! }
}
