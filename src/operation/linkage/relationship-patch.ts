import type { ErrorCode } from '../../error/catalog.ts'
import type { LinkageChangeInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeLinkage, changeLinkageErrors } from './change-linkage.ts'
import { refuseLinkageChange, refuseLinkageChangeErrors } from './refuse-linkage-change.ts'

export const relationshipPatchErrors: readonly ErrorCode[] = [
  ...changeLinkageErrors,
  ...refuseLinkageChangeErrors,
]

/** RelationshipPatch: replaces the ids of a relation; null clears it. */
export function relationshipPatch(input: LinkageChangeInput): Promise<OperationResult> {
  return input.kind === 'refused' ? refuseLinkageChange(input) : changeLinkage(input, 'replace')
}
