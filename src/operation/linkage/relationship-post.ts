import type {
  OperationResult,
  PayloadOperationInput,
  RelationOperationInput,
} from '../operation-input.ts'
import { changeLinkage } from './change-linkage.ts'

/** RelationshipPost: adds to a relation to many what it does not hold yet. */
export function relationshipPost(
  job: PayloadOperationInput & RelationOperationInput,
): Promise<OperationResult> {
  return changeLinkage(job, 'add')
}
