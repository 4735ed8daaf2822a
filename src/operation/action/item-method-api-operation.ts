import type { ErrorCode } from '../../error/catalog.ts'
import type { ActionDetails } from '../../model/items/items.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { runAction, runActionErrors } from './run-action.ts'

export const itemMethodApiOperationErrors: readonly ErrorCode[] = [...runActionErrors]

/**
 * ItemMethodApiOperation: calls a method of the item, as an instance of its model's class, and
 * stores the result.
 */
export function itemMethodApiOperation(input: ActionOperationInput): Promise<OperationResult> {
  const { name, input: inputSchema } = input.action
  return runAction(input, (item, actionInput, items) => {
    const methods = item as Record<string, (...values: readonly unknown[]) => unknown>
    const details: ActionDetails = { items }
    return inputSchema ? methods[name]!(actionInput, details) : methods[name]!(details)
  })
}
