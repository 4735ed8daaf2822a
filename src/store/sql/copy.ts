import { mapPaths } from '../../query/conditions.ts'
import type { Condition, FieldPath, QueryPlan, Window } from '../../query/query-plan.ts'

/**
 * The same with no part of it in two places: where values lie is kept by part, and what is compiled for a shape must
 * serve plans that do not share parts as this one may.
 */
export function copyOfPlan({ condition, sort, window }: QueryPlan): QueryPlan {
  return {
    condition: copyOf(condition),
    sort: sort.map((key) => ({ ...key, path: copyOfPath(key.path) })),
    window: copyOfWindow(window),
  }
}

export function copyOf(condition: Condition): Condition {
  return mapPaths(condition, copyOfPath)
}

function copyOfPath(path: FieldPath): FieldPath {
  if (!path.guards) return path
  return { ...path, guards: path.guards.map((guard) => ({ ...guard, condition: copyOf(guard.condition) })) }
}

function copyOfWindow(window: Window): Window {
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
