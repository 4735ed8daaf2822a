import type { Condition } from '../../query/query-plan.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/**
 * Is the write of the item itself the last step? Inverse relations are written at other items after
 * it, and the condition of the outcome is read.
 */
export function isLastWrite({ view, payload }: PayloadOperationInput, outcome: Condition): boolean {
  const writesInverse = view.model.relations.some(
    ({ kind, name }) => kind === 'inverse' && payload.relations.has(name),
  )
  return outcome.kind === 'always' && !writesInverse
}
