import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import type { LinkageChangeInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeLinkage, changeLinkageErrors } from './change-linkage.ts'
import { refuseLinkageChange, refuseLinkageChangeErrors } from './refuse-linkage-change.ts'

export const relationshipDeleteErrors: readonly ErrorCode[] = [
  ...refuseLinkageChangeErrors,
  // Nothing joins the relation, and the item is not validated.
  ...withoutErrors(changeLinkageErrors, [
    'related-not-found',
    'related-missing',
    'item-too-large',
    'invalid-member',
    'validation-timeout',
    'value-taken',
  ]),
]

/**
 * RelationshipDelete: removes ids from a relation to many, and ignores those that it does not hold.
 */
export function relationshipDelete(input: LinkageChangeInput): Promise<OperationResult> {
  return input.kind === 'refused' ? refuseLinkageChange(input) : changeLinkage(input, 'remove')
}
