import type { Condition, Scalar } from './query-plan.ts'

/** The id of the only item that can satisfy a condition; undefined if it names none. */
export function idIn(condition: Condition): Scalar | undefined {
  if (condition.kind === 'and') return condition.conditions.map(idIn).find((id) => id !== undefined)
  if (condition.kind !== 'compare' || condition.operator !== 'equal') return undefined
  const { names } = condition.path
  return names.length === 1 && names[0] === 'id' ? condition.value : undefined
}
