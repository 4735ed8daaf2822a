import type { OperationResult } from '../operation/operation-result.ts'
import { shownItem } from '../operation/shown-item.ts'
import { type ModelOperation, operations } from '../rule/operations.ts'
import type { PayloadByOperation } from '../rule/request-shape.ts'
import type { OperationRule } from '../rule/rule.ts'
import { implementations } from './implementations.ts'
import type { InputSettings, OperationCall } from './operation-inputs.ts'

/** Compiles the operation of a rule, with the input that this operation gets. */
export function compileOperation<Name extends ModelOperation>(
  rule: OperationRule<Name>,
  settings: InputSettings,
): (call: OperationCall<PayloadByOperation[Name]>) => Promise<OperationResult> {
  const { input, run } = implementations[rule.operation]
  const inputOf = input(rule, settings)
  const { guards } = settings.services
  const { view } = rule
  // Reads give what the caller sees; transactions whole items.
  if (!operations[rule.operation].changesItems || !guards.fields.hasMasks(view.model))
    return (call) => run(inputOf(call))
  return async (call) => {
    const result = await run(inputOf(call))
    if (result.kind !== 'item' && result.kind !== 'created') return result
    const { context, store } = call
    return { ...result, item: await shownItem(store, { guards, view, context }, result.item) }
  }
}
