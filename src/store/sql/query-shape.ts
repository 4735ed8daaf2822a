import type { GroupPlan } from '../../query/group-plan.ts'
import type {
  Condition,
  FieldPath,
  PageRange,
  QueryPlan,
  Scalar,
  SearchCondition,
  TextOperator,
} from '../../query/query-plan.ts'
import { needleOf } from '../../query/search-words.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { Binder } from './dialect.ts'
import { limitBound } from './limit-bound.ts'
import { kindOf, kindOfSingleValue, kindsIn } from './scalar-kind.ts'

/**
 * The index of the first value of each leaf of a condition, position and page range. Looked up by
 * object, so that a compiler may visit them in any order; no object may occur twice in a query.
 */
export type ValueIndexes = Map<object, number>

/**
 * The structure of a condition without its values, as a key: two conditions of one shape share
 * their SQL. Appends the values to `values`, and records their indexes in `valueIndexes` if given.
 *
 * This runs for every query; compiling runs for every new shape only.
 */
export function conditionShape(
  condition: Condition,
  binder: Binder,
  values: unknown[],
  valueIndexes?: ValueIndexes,
): string {
  switch (condition.kind) {
    case 'always':
      return 'T'
    case 'never':
      return 'F'
    case 'compare':
      valueIndexes?.set(condition, values.length)
      return `${condition.operator}${pushScalar(condition.value, binder, values)}${pathShape(condition.path, binder, values, valueIndexes)}`
    case 'oneOf': {
      valueIndexes?.set(condition, values.length)
      const singleKind = kindOfSingleValue(condition.values)
      if (singleKind !== undefined) {
        return `equal${pushScalar(condition.values[0]!, binder, values)}${pathShape(condition.path, binder, values, valueIndexes)}`
      }
      values.push(binder.list(condition.values))
      return `oneOf${kindsIn(condition.values)}\u0003${pathShape(condition.path, binder, values, valueIndexes)}`
    }
    case 'text':
      valueIndexes?.set(condition, values.length)
      return `${condition.operator}${pushPattern(condition, binder, values)}${pathShape(condition.path, binder, values, valueIndexes)}`
    case 'search': {
      valueIndexes?.set(condition, values.length)
      let key = 'search'
      for (const term of condition.terms) {
        values.push(needleOf(term))
        // Statistics know words, and not beginnings: a strategy depends on it.
        key += term.isExcluded ? '-' : term.ending === 'word' ? '+' : '*'
      }
      for (const { path } of condition.fields) key += pathShape(path, binder, values, valueIndexes)
      return `${key}\u0003`
    }
    case 'members': {
      valueIndexes?.set(condition, values.length)
      const distinct = [...new Set(condition.values)]
      values.push(binder.list(distinct), distinct.filter((value) => value !== null).length)
      return `${condition.quantity}${kindsIn(distinct)}\u0003${pathShape(condition.path, binder, values, valueIndexes)}`
    }
    case 'some':
      return `some${pathShape(condition.path, binder, values, valueIndexes)}(${conditionShape(condition.condition, binder, values, valueIndexes)})`
    case 'and':
    case 'or': {
      let key = `${condition.kind}(`
      for (const operand of condition.conditions)
        key += conditionShape(operand, binder, values, valueIndexes)
      return `${key})`
    }
    case 'not':
      return `!${conditionShape(condition.condition, binder, values, valueIndexes)}`
  }
}

/** The shape of a whole plan. Its limit and offset are the last values. */
export function planShape(
  plan: QueryPlan,
  binder: Binder,
  values: unknown[],
  valueIndexes?: ValueIndexes,
): string {
  let key = conditionShape(plan.condition, binder, values, valueIndexes)
  for (const sortKey of plan.sort)
    key += `${sortKey.direction}${isRelevance(sortKey) ? relevanceShape(sortKey.search, binder, values, valueIndexes) : pathShape(sortKey.path, binder, values, valueIndexes)}`
  return `${key}${pageRangeShape(plan.pageRange, binder, values, valueIndexes)}`
}

/** Weights are a part of it: a model has few. */
function relevanceShape(
  search: SearchCondition,
  binder: Binder,
  values: unknown[],
  valueIndexes: ValueIndexes | undefined,
): string {
  const weights = search.fields.map(({ weight }) => weight).join()
  return `${conditionShape(search, binder, values, valueIndexes)}${weights}\u0003`
}

/** The shape of a plan of groups. Its limit is a part of it: there are few. */
export function groupShape(
  { condition, by, aggregates, order, limit }: GroupPlan,
  binder: Binder,
  values: unknown[],
  valueIndexes?: ValueIndexes,
): string {
  let key = `${conditionShape(condition, binder, values, valueIndexes)}${order}${limit}`
  for (const { path, part = '', timeZone = '' } of by)
    key += `by${part}\u0004${timeZone}\u0004${pathShape(path, binder, values, valueIndexes)}`
  for (const { function: name, path } of aggregates)
    key += `${name}${pathShape(path, binder, values, valueIndexes)}`
  return key
}

function pageRangeShape(
  pageRange: PageRange,
  binder: Binder,
  values: unknown[],
  valueIndexes: ValueIndexes | undefined,
): string {
  const positionShape = (position: readonly Scalar[]): string => {
    valueIndexes?.set(position, values.length)
    let key = '@'
    for (const value of position) key += pushScalar(value, binder, values)
    return key
  }
  let key: string = pageRange.kind
  if (pageRange.kind === 'between')
    key += positionShape(pageRange.after) + positionShape(pageRange.before)
  else if (pageRange.kind !== 'offset') key += positionShape(pageRange.position)
  valueIndexes?.set(pageRange, values.length)
  values.push(
    binder.count(pageRange.limit),
    pageRange.kind === 'offset' ? binder.count(pageRange.offset) : 0,
  )
  if (pageRange.kind === 'offset' && pageRange.offset > 0) key += '+'
  const bound = limitBound(binder, pageRange)
  if (bound !== undefined) key += `<${bound}`
  // Without a limit, the statement differs.
  return pageRange.limit === Number.POSITIVE_INFINITY ? `${key}*` : key
}

/** A member of a struct may have any name, so a control character separates the names. */
function pathShape(
  path: FieldPath,
  binder: Binder,
  values: unknown[],
  valueIndexes: ValueIndexes | undefined,
): string {
  const { names, guards } = path
  let key = names.length === 1 ? names[0]! : names.join('\u0000')
  if (guards) {
    for (const guard of guards)
      key += `\u0002${guard.depth}${conditionShape(guard.condition, binder, values, valueIndexes)}`
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
