import { mapPaths } from '../../query/conditions.ts'
import type { GroupPlan } from '../../query/group-plan.ts'
import type { Condition, FieldPath, PageRange, QueryPlan } from '../../query/query-plan.ts'
import { mapSortPaths } from '../../query/sort-keys.ts'

/**
 * Copies a plan so that no object occurs in it twice. Value indexes are looked up by object, and a
 * compiled shape also serves plans that share no objects.
 */
export function copyPlan({ condition, sort, pageRange }: QueryPlan): QueryPlan {
  return {
    condition: copyCondition(condition),
    sort: sort.map((key) => mapSortPaths(key, copyPath)),
    pageRange: copyPageRange(pageRange),
  }
}

export function copyGroupPlan(plan: GroupPlan): GroupPlan {
  return {
    ...plan,
    condition: copyCondition(plan.condition),
    by: plan.by.map((key) => ({ ...key, path: copyPath(key.path) })),
    aggregates: plan.aggregates.map((term) => ({ ...term, path: copyPath(term.path) })),
  }
}

export function copyCondition(condition: Condition): Condition {
  return mapPaths(condition, copyPath, copyCondition)
}

function copyPath(path: FieldPath): FieldPath {
  if (!path.guards) return path
  return {
    ...path,
    guards: path.guards.map((guard) => ({ ...guard, condition: copyCondition(guard.condition) })),
  }
}

function copyPageRange(pageRange: PageRange): PageRange {
  switch (pageRange.kind) {
    case 'offset':
      return { ...pageRange }
    case 'after':
    case 'before':
      return { ...pageRange, position: [...pageRange.position] }
    case 'between':
      return { ...pageRange, after: [...pageRange.after], before: [...pageRange.before] }
  }
}
