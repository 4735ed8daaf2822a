import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import type { LinkageChangeInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeLinkage, changeLinkageErrors } from './change-linkage.ts'
import { refuseLinkageChange, refuseLinkageChangeErrors } from './refuse-linkage-change.ts'

export const relationshipPostErrors: readonly ErrorCode[] = [
  ...refuseLinkageChangeErrors,
  // Nothing leaves the relation, and the item is not validated.
  ...withoutErrors(changeLinkageErrors, ['conflict', 'invalid-member', 'validation-timeout']),
]

/** RelationshipPost: adds the ids that a relation to many does not hold yet. */
export function relationshipPost(input: LinkageChangeInput): Promise<OperationResult> {
  return input.kind === 'refused' ? refuseLinkageChange(input) : changeLinkage(input, 'add')
}
