import { guardPath } from '../../context/guard-plan.ts'
import type { FieldPath, OffsetPlan } from '../../query/query-plan.ts'
import type { ListOperationInput, OperationInput } from '../operation-input.ts'

/** A value that the caller may not see counts as null. */
export function guarded({ view, guards, context }: OperationInput, path: FieldPath): FieldPath {
  return guardPath(path, view.model, guards, context)
}

/** The list without its page. */
export function wholePlan({ plan, visibleRange }: ListOperationInput): OffsetPlan {
  return {
    condition: plan.condition,
    sort: plan.sort,
    pageRange: { kind: 'offset', ...visibleRange },
  }
}
