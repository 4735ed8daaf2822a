import type { LinkageChangeInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeLinkage } from './change-linkage.ts'

/**
 * RelationshipDelete: removes ids from a relation to many, and ignores those that it does not hold.
 */
export function relationshipDelete(input: LinkageChangeInput): Promise<OperationResult> {
  return changeLinkage(input, 'remove')
}
