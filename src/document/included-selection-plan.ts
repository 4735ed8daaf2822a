import type { Context } from '../context/context.ts'
import { guardPlan } from '../context/guard-plan.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { OffsetPlan } from '../query/query-plan.ts'
import type { IncludedSelection } from '../rule/selection.ts'
import type { DocumentServices } from './document-services.ts'

/**
 * The plan of an included selection. Hooks narrow it as they narrow a request for the relationship
 * itself.
 */
export function includedSelectionPlan(
  { guards }: DocumentServices,
  target: ModelDescription,
  { condition, sort, size }: IncludedSelection,
  context: Context,
): OffsetPlan {
  const requestedPlan = {
    condition,
    sort,
    pageRange: { kind: 'offset', offset: 0, limit: size ?? Number.POSITIVE_INFINITY },
  } as const
  return guards.narrowPlan(target, guardPlan(requestedPlan, target, guards, context), context)
}
