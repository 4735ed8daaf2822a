import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import type { SlicePlan } from '../query/query-plan.ts'
import type { IncludedWindow } from '../rule/selection.ts'
import { guardPlan } from './guard-paths.ts'
import type { Parts } from './parts.ts'

/** The plan of an included window, narrowed as the relationship itself would be if it were asked for the same. */
export function narrowWindow(
  { guards }: Parts,
  target: ModelDescription,
  { condition, sort, size }: IncludedWindow,
  context: Context,
): SlicePlan {
  const asked = {
    condition,
    sort,
    window: { kind: 'slice', skip: 0, limit: size ?? Number.POSITIVE_INFINITY },
  } as const
  return guards.narrowed(target, guardPlan(asked, target, guards, context), context)
}
