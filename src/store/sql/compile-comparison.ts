import type { CompareOperator, Condition } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { listSql, operandSql, orderedSql, type ScalarSql } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, falseSql, notSql, trueSql } from './logic.ts'
import { isNotNullSql, isNullSql, isShownAsNullSql, isShownSql } from './null-sql.ts'
import { kindOf, kindOfType, kindsIn } from './scalar-kind.ts'
import { rangeEndSql } from './table.ts'

const oppositeOperator: Readonly<Record<CompareOperator, CompareOperator>> = {
  equal: 'notEqual',
  notEqual: 'equal',
  greaterThan: 'lessThanOrEqual',
  greaterThanOrEqual: 'lessThan',
  lessThan: 'greaterThanOrEqual',
  lessThanOrEqual: 'greaterThan',
}

const operatorSql = {
  equal: '=',
  notEqual: '<>',
  greaterThan: '>',
  greaterThanOrEqual: '>=',
  lessThan: '<',
  lessThanOrEqual: '<=',
} as const

/** Null is less than any value. */
export const operatorsWithNull: ReadonlySet<CompareOperator> = new Set([
  'notEqual',
  'lessThan',
  'lessThanOrEqual',
])

export function compileCompare(
  compilation: Compilation,
  scalar: ScalarSql,
  condition: Extract<Condition, { kind: 'compare' }>,
  isNegated: boolean,
): string {
  const { value } = condition
  if (value !== null && kindOf(value) !== kindOfType(scalar.type)) {
    const holds = compareAcrossTypes(scalar, condition.operator)
    if (!isNegated) return holds
    return holds === trueSql || holds === falseSql ? notSql(holds) : isNotNullSql(scalar)
  }
  const operator = isNegated ? oppositeOperator[condition.operator] : condition.operator
  if (value === null) return compareWithNull(scalar, operator)
  const { dialect } = compilation
  const mark = valueMark(valueIndexOf(compilation, condition))
  const bound = dialect.binder.needsEscape(value) ? dialect.unescape(mark) : mark
  const parameter = operandSql(compilation, scalar, bound)
  const isEquality = operator === 'equal' || operator === 'notEqual'
  const compared = isEquality ? scalar.sql : orderedSql(scalar)
  const comparison = `${compared} ${operatorSql[operator]} ${parameter}`
  // The range first: it costs less to check than the values that compare.
  const inRange = allOfSql([...columnRangeSql(scalar, operator, parameter), comparison])
  return operatorsWithNull.has(operator) ? anyOfSql([inRange, isNullSql(scalar)]) : inRange
}

/** The range of the column that holds what compares like this, for its index. */
function columnRangeSql(
  { stored, native }: ScalarSql,
  operator: CompareOperator,
  parameter: string,
): readonly string[] {
  const range = native?.columnRange
  if (!range || stored === undefined || operator === 'notEqual') return []
  const from = rangeEndSql(range.from, stored, parameter)
  const until = rangeEndSql(range.until, stored, parameter)
  if (operator === 'equal') return [from, until]
  return operator.startsWith('greater') ? [from] : [until]
}

/** Values of different types are neither equal nor ordered; only null is less than all. */
function compareAcrossTypes(scalar: ScalarSql, operator: CompareOperator): string {
  if (operator === 'lessThan' || operator === 'lessThanOrEqual') return isNullSql(scalar)
  return operator === 'notEqual' ? trueSql : falseSql
}

function compareWithNull(scalar: ScalarSql, operator: CompareOperator): string {
  switch (operator) {
    case 'equal':
    case 'lessThanOrEqual':
      return isShownAsNullSql(scalar)
    case 'notEqual':
    case 'greaterThan':
      return isShownSql(scalar)
    case 'greaterThanOrEqual':
      return trueSql
    case 'lessThan':
      return falseSql
  }
}

export function compileOneOf(
  compilation: Compilation,
  scalar: ScalarSql,
  condition: Extract<Condition, { kind: 'oneOf' }>,
  isNegated: boolean,
): string {
  const { path, values: listed } = condition
  const kinds = kindsIn(listed)
  const kind = kindOfType(scalar.type)
  if (listed.length === 1) {
    const comparison = { kind: 'compare', path, operator: 'equal', value: listed[0]! } as const
    compilation.valueIndexes.set(comparison, valueIndexOf(compilation, condition))
    return compileCompare(compilation, scalar, comparison, isNegated)
  }
  const mark = valueMark(valueIndexOf(compilation, condition))
  const list = listSql(compilation, mark, scalar, kinds.length > 1)
  const hasNull = kinds.includes('0')
  if (!isNegated) {
    const inList = kinds.includes(kind) ? `${scalar.sql} in (${list})` : falseSql
    return anyOfSql([inList, hasNull ? isShownAsNullSql(scalar) : falseSql])
  }
  const notInList = kinds.includes(kind) ? `${scalar.sql} not in (${list})` : trueSql
  // NULL is not in a list without rows, such as one of fractions where the column holds integers.
  return hasNull
    ? allOfSql([notInList, isShownSql(scalar)])
    : anyOfSql([notInList, isNullSql(scalar)])
}

export function compileText(
  compilation: Compilation,
  scalar: ScalarSql,
  condition: Extract<Condition, { kind: 'text' }>,
  isNegated: boolean,
): string {
  const { dialect } = compilation
  const { operator, value } = condition
  if (scalar.type.kind !== 'text') return isNegated ? trueSql : falseSql
  if (value === '' && operator !== 'like' && operator !== 'equalIgnoringCase')
    return isNegated ? isNullSql(scalar) : isNotNullSql(scalar)
  const firstIndex = valueIndexOf(compilation, condition)
  const operands = dialect.binder
    .pattern(operator, value)
    .map((_, index) => valueMark(firstIndex + index))
  const holds = dialect.text(
    operator,
    scalar.sql,
    dialect.binder.needsEscape(value) ? operands.map(dialect.unescape) : operands,
  )
  return isNegated ? anyOfSql([`not (${holds})`, isNullSql(scalar)]) : `(${holds})`
}
