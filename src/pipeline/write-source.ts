import type { Context } from '../context/context.ts'
import type { SentItem, WriteSource } from '../operation/unit-of-work/write-source.ts'
import type { Validations } from '../operation/validations.ts'
import { type ModelRule, pathView } from '../rule/rule.ts'
import type { Payload } from '../serializer/payload.ts'

/** What hooks around writes learn of a request. */
export function writeSource(
  rule: ModelRule,
  context: Context,
  payload: Payload | undefined,
  validations: Validations,
): WriteSource {
  return {
    cause: { kind: 'request', operation: rule.operation, context },
    validations,
    sentItem: sentItem(rule, context, payload),
  }
}

/** Undefined if the payload is no item. */
export function sentItem(
  rule: ModelRule,
  context: Context,
  payload: Payload | undefined,
): SentItem | undefined {
  return payload?.kind === 'item'
    ? { model: pathView(rule).model, id: context.id, payload }
    : undefined
}
