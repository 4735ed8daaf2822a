import type { Condition } from '../../query/query-plan.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/**
 * What an operation does after the write of its item: inverse relations are written at other items,
 * and what the item must satisfy is read.
 */
export function restOfWrite(
  { view, payload }: PayloadOperationInput,
  outcome: Condition,
): 'nothing' | 'more' {
  const writesInverse = view.model.relations.some(
    ({ kind, name }) => kind === 'inverse' && payload.relations.has(name),
  )
  return outcome.kind === 'always' && !writesInverse ? 'nothing' : 'more'
}
