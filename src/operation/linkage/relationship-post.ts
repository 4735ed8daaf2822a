import type { LinkageChangeInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeLinkage } from './change-linkage.ts'

/** RelationshipPost: adds the ids that a relation to many does not hold yet. */
export function relationshipPost(input: LinkageChangeInput): Promise<OperationResult> {
  return changeLinkage(input, 'add')
}
