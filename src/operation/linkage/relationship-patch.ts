import type {
  OperationResult,
  PayloadOperationInput,
  RelationOperationInput,
} from '../operation-input.ts'
import { changeLinkage } from './change-linkage.ts'

/** RelationshipPatch: replaces the ids of a relation; null clears it. */
export function relationshipPatch(
  input: PayloadOperationInput & RelationOperationInput,
): Promise<OperationResult> {
  return changeLinkage(input, 'replace')
}
