import type { PageRange } from '../../query/query-plan.ts'

/** Pages before a position are read backwards from it. */
export function inPlanOrder<T>(pageRange: PageRange, rows: readonly T[]): readonly T[] {
  return pageRange.kind === 'before' ? rows.toReversed() : rows
}
