import type {
  OperationResult,
  PayloadOperationInput,
  RelationOperationInput,
} from '../operation-input.ts'
import { changeLinkage } from './change-linkage.ts'

/**
 * RelationshipDelete: takes the identifiers out of a relation to many; those it does not hold are
 * passed over.
 */
export function relationshipDelete(
  job: PayloadOperationInput & RelationOperationInput,
): Promise<OperationResult> {
  return changeLinkage(job, 'remove')
}
