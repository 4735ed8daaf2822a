import type { LinkageChangeInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeLinkage } from './change-linkage.ts'

/** RelationshipPatch: replaces the ids of a relation; null clears it. */
export function relationshipPatch(input: LinkageChangeInput): Promise<OperationResult> {
  return changeLinkage(input, 'replace')
}
