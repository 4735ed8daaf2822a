import { mapPaths } from '../../query/conditions.ts'
import type { Condition, FieldPath, PageRange, QueryPlan } from '../../query/query-plan.ts'

/**
 * The same with no part of it in two places: where values lie is kept by part, and what is compiled
 * for a shape must serve plans that do not share parts as this one may.
 */
export function copyPlan({ condition, sort, pageRange }: QueryPlan): QueryPlan {
  return {
    condition: copyCondition(condition),
    sort: sort.map((key) => ({ ...key, path: copyPath(key.path) })),
    pageRange: copyPageRange(pageRange),
  }
}

export function copyCondition(condition: Condition): Condition {
  return mapPaths(condition, copyPath)
}

function copyPath(path: FieldPath): FieldPath {
  if (!path.guards) return path
  return {
    ...path,
    guards: path.guards.map((guard) => ({ ...guard, condition: copyCondition(guard.condition) })),
  }
}

function copyPageRange(window: PageRange): PageRange {
  switch (window.kind) {
    case 'slice':
      return { ...window }
    case 'after':
    case 'before':
      return { ...window, position: [...window.position] }
    case 'between':
      return { ...window, after: [...window.after], before: [...window.before] }
  }
}
