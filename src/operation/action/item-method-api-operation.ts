import type { ActionOperationInput, OperationResult } from '../operation-input.ts'
import { runAction } from './run-action.ts'

/**
 * ItemMethodApiOperation: calls a method of the item, as an instance of its model's class, and
 * stores what it left.
 */
export function itemMethodApiOperation(job: ActionOperationInput): Promise<OperationResult> {
  const { name, input: declared } = job.action
  return runAction(job, (item, input) => {
    const methods = item as Record<string, (...given: readonly unknown[]) => unknown>
    return declared ? methods[name]!(input) : methods[name]!()
  })
}
