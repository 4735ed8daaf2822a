import { always, never } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import type { AccessContext } from './access-context.ts'
import type { AccessOperand } from './access-rules.ts'

/** The value of an operand; undefined for one that the caller does not have, or has as null. */
export function operandValue(operand: AccessOperand, { caller, now }: AccessContext): unknown {
  if (operand.kind === 'value') return operand.value
  if (operand.kind === 'now') return now
  const value = operand.path.reduce<unknown>(
    (owner, name) =>
      typeof owner === 'object' && owner !== null && Object.hasOwn(owner, name)
        ? (owner as Record<string, unknown>)[name]
        : undefined,
    caller,
  )
  return value ?? undefined
}

export function truth(holds: boolean): Condition {
  return holds ? always : never
}
