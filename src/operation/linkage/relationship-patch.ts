import type {
  OperationResult,
  PayloadOperationInput,
  RelationOperationInput,
} from '../operation-input.ts'
import { changeLinkage } from './change-linkage.ts'

/** RelationshipPatch: replaces what a relation holds; null clears it. */
export function relationshipPatch(
  job: PayloadOperationInput & RelationOperationInput,
): Promise<OperationResult> {
  return changeLinkage(job, 'replace')
}
