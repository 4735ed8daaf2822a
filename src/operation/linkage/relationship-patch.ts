import type { LinkageChangeInput, OperationResult } from '../operation-input.ts'
import { changeLinkage } from './change-linkage.ts'

/** RelationshipPatch: replaces the ids of a relation; null clears it. */
export function relationshipPatch(input: LinkageChangeInput): Promise<OperationResult> {
  return changeLinkage(input, 'replace')
}
