import type {
  Condition,
  FieldPath,
  PageRange,
  QueryPlan,
  Scalar,
  TextOperator,
} from '../../query/query-plan.ts'
import { maxCheapRows } from './access-path.ts'
import type { Binder } from './dialect.ts'
import { kindOf, kindOfSingleValue, kindsIn } from './scalar-kind.ts'

/**
 * Where the values of a shape's parts begin, by the part itself: a leaf of a condition, or a
 * position. Looked up by identity, so that a compiler may visit the parts in any order, or not at
 * all; no part may be in two places.
 */
export type ValueIndexes = Map<object, number>

/**
 * The structure of a condition without its values, as a key: two conditions of one shape share
 * their SQL. The values are added to `values` in the order in which they are met; where a part's
 * values begin goes to `slots`, if given.
 *
 * This runs for every query, compiling only for every new shape.
 */
export function conditionShape(
  condition: Condition,
  binder: Binder,
  values: unknown[],
  slots?: ValueIndexes,
): string {
  switch (condition.kind) {
    case 'always':
      return 'T'
    case 'never':
      return 'F'
    case 'compare':
      slots?.set(condition, values.length)
      return `${condition.operator}${pushScalar(condition.value, binder, values)}${pathShape(condition.path, binder, values, slots)}`
    case 'oneOf': {
      slots?.set(condition, values.length)
      const sole = kindOfSingleValue(condition.values)
      if (sole !== undefined) {
        return `equal${pushScalar(condition.values[0]!, binder, values)}${pathShape(condition.path, binder, values, slots)}`
      }
      values.push(binder.list(condition.values))
      return `oneOf${sizeClass(condition.values.length)}${kindsIn(condition.values)}\u0003${pathShape(condition.path, binder, values, slots)}`
    }
    case 'text':
      slots?.set(condition, values.length)
      return `${condition.operator}${pushPattern(condition, binder, values)}${pathShape(condition.path, binder, values, slots)}`
    case 'members': {
      slots?.set(condition, values.length)
      const distinct = [...new Set(condition.values)]
      values.push(binder.list(distinct), distinct.filter((value) => value !== null).length)
      return `${condition.quantity}${kindsIn(distinct)}\u0003${pathShape(condition.path, binder, values, slots)}`
    }
    case 'and':
    case 'or': {
      let key = `${condition.kind}(`
      for (const one of condition.conditions) key += conditionShape(one, binder, values, slots)
      return `${key})`
    }
    case 'not':
      return `!${conditionShape(condition.condition, binder, values, slots)}`
  }
}

/** The same of a whole plan. Its limit and skip come last among the values. */
export function planShape(
  plan: QueryPlan,
  binder: Binder,
  values: unknown[],
  slots?: ValueIndexes,
): string {
  let key = conditionShape(plan.condition, binder, values, slots)
  for (const one of plan.sort)
    key += `${one.direction}${pathShape(one.path, binder, values, slots)}`
  return `${key}${pageRangeShape(plan.pageRange, binder, values, slots)}`
}

function pageRangeShape(
  window: PageRange,
  binder: Binder,
  values: unknown[],
  slots: ValueIndexes | undefined,
): string {
  const place = (position: readonly Scalar[]): string => {
    slots?.set(position, values.length)
    let key = '@'
    for (const value of position) key += pushScalar(value, binder, values)
    return key
  }
  let key: string = window.kind
  if (window.kind === 'between') key += place(window.after) + place(window.before)
  else if (window.kind !== 'slice') key += place(window.position)
  slots?.set(window, values.length)
  values.push(binder.count(window.limit), window.kind === 'slice' ? binder.count(window.offset) : 0)
  if (window.kind === 'slice' && window.offset > 0) key += `+${sizeClass(window.offset)}`
  // What is sorted as a whole is sorted in another way.
  return window.limit === Number.POSITIVE_INFINITY ? `${key}*` : key
}

/** Whether a statement may be run where others wait depends on this, see `bounded.ts`. */
function sizeClass(count: number): string {
  return count > maxCheapRows ? 'L' : ''
}

/**
 * A member of a struct may be called anything, so names are kept apart by a character that no
 * schema uses in one.
 */
function pathShape(
  path: FieldPath,
  binder: Binder,
  values: unknown[],
  slots: ValueIndexes | undefined,
): string {
  const { names, guards } = path
  let key = names.length === 1 ? names[0]! : names.join('\u0000')
  if (guards) {
    for (const guard of guards)
      key += `\u0002${guard.depth}${conditionShape(guard.condition, binder, values, slots)}`
  }
  return `${key}\u0003`
}

function pushScalar(value: Scalar, binder: Binder, values: unknown[]): string {
  if (binder.needsEscape(value)) {
    values.push(binder.escape(value))
    return `~${kindOf(value)}`
  }
  values.push(binder.scalar(value))
  return kindOf(value)
}

function pushPattern(
  text: { operator: TextOperator; value: string },
  binder: Binder,
  values: unknown[],
): string {
  const operands = binder.pattern(text.operator, text.value)
  if (!binder.needsEscape(text.value)) {
    values.push(...operands)
    return text.value === '' ? '' : '+'
  }
  values.push(...operands.map(binder.escape))
  return '~'
}
