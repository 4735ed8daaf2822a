import { never } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'

/** A hook that throws does so again when its operation runs, after those before it. */
export function conditionOrNever(conditionOf: () => Condition): Condition {
  try {
    return conditionOf()
  } catch {
    return never
  }
}
