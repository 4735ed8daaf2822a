import type { CompareOperator, Condition } from '../../query/query-plan.ts'
import { type Hop, type ResolvedPath, resolveScalarPath } from '../resolve-path.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { compileMembers, compileSome } from './compile-members.ts'
import {
  compileScalar,
  compileSearchedText,
  existsThroughHops,
  isAnyThroughHops,
  listSql,
  operandSql,
  orderedSql,
  pathAfterHops,
  type ScalarSql,
} from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import type { Dialect } from './dialect.ts'
import { allOfSql, anyOfSql, falseSql, isTrueSql, notSql, trueSql } from './logic.ts'
import type { ValueIndexes } from './query-shape.ts'
import { kindOf, kindOfType, kindsIn } from './scalar-kind.ts'
import { rangeEndSql, type Table, type TableOf } from './table.ts'

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

/** Starts the compilation of one statement. */
export function createCompilation(
  dialect: Dialect,
  tableOf: TableOf,
  valueIndexes: ValueIndexes,
): Compilation {
  let aliases = 0
  const self: Compilation = {
    dialect,
    tableOf,
    valueIndexes,
    isPerRow: false,
    countsRelated: false,
    nextAlias: () => `r${++aliases}`,
    compileCondition: (table, alias, condition) =>
      compileCondition(self, table, alias, condition, false),
  }
  return self
}

/** The same compilation for a statement that reads known rows one by one. */
export function perRowCompilation(compilation: Compilation): Compilation {
  return changedCompilation(compilation, { isPerRow: true })
}

/** The same compilation for a statement that counts the rows with this condition. */
export function countingCompilation(compilation: Compilation, { kind }: Condition): Compilation {
  const isSingle = kind === 'compare' || kind === 'oneOf' || kind === 'text'
  return isSingle ? changedCompilation(compilation, { countsRelated: true }) : compilation
}

function changedCompilation(compilation: Compilation, changes: Partial<Compilation>): Compilation {
  const self: Compilation = {
    ...compilation,
    ...changes,
    compileCondition: (table, alias, condition) =>
      compileCondition(self, table, alias, condition, false),
  }
  return self
}

/**
 * SQL has three truth values, conditions have two. So a negation moves down to the leaves, and each
 * leaf is true exactly where it holds: NOT is never applied to NULL, and a plain `x = ?` stays
 * usable by indexes.
 */
function compileCondition(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: Condition,
  isNegated: boolean,
): string {
  const compileOperand = (operand: Condition) =>
    compileCondition(compilation, table, alias, operand, isNegated)
  switch (condition.kind) {
    case 'always':
      return isNegated ? falseSql : trueSql
    case 'never':
      return isNegated ? trueSql : falseSql
    case 'and':
    case 'or': {
      const operands = condition.conditions.map(compileOperand)
      return (condition.kind === 'and') === isNegated ? anyOfSql(operands) : allOfSql(operands)
    }
    case 'not':
      return compileCondition(compilation, table, alias, condition.condition, !isNegated)
    case 'compare':
    case 'oneOf':
    case 'text':
      return compileScalarCondition(compilation, table, alias, condition, isNegated)
    case 'members': {
      const holds = compileMembers(compilation, table, alias, condition)
      return isNegated
        ? notSql(holds === trueSql || holds === falseSql ? holds : `(${holds})`)
        : holds
    }
    case 'some': {
      const holds = compileSome(compilation, table, alias, condition)
      return isNegated ? notSql(holds) : holds
    }
  }
}

type ScalarCondition = Extract<Condition, { kind: 'compare' | 'oneOf' | 'text' }>

function compileScalarCondition(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: ScalarCondition,
  isNegated: boolean,
): string {
  const { path } = condition
  const resolved = resolveScalarPath(table.model, path)
  if (resolved.hops.length > 0)
    return compileRelated(compilation, table, alias, condition, resolved, isNegated)
  switch (condition.kind) {
    case 'compare':
      return compileCompare(
        compilation,
        compileScalar(compilation, table, alias, path),
        condition,
        isNegated,
      )
    case 'oneOf':
      return compileOneOf(
        compilation,
        compileScalar(compilation, table, alias, path),
        condition,
        isNegated,
      )
    case 'text':
      return compileText(
        compilation,
        compileSearchedText(compilation, table, alias, path),
        condition,
        isNegated,
      )
  }
}

/**
 * A condition on a related item, as an EXISTS, which engines plan as a join. Without such an item
 * the value is null: where null satisfies the condition, no item may be there that does not.
 */
function compileRelated(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: ScalarCondition,
  { guard, hops }: ResolvedPath,
  isNegated: boolean,
): string {
  const ofRelated = { ...condition, path: pathAfterHops(condition.path, hops.length) }
  compilation.valueIndexes.set(ofRelated, valueIndexOf(compilation, condition))
  const isTrueWithout = holdsForNull(condition) !== isNegated
  const existing = isFoundByRelation(compilation, table, hops)
    ? isAnyThroughHops
    : existsThroughHops
  const exists = existing(compilation, hops, table, alias, (related, relatedAlias) =>
    compileScalarCondition(
      compilation,
      related,
      relatedAlias,
      ofRelated,
      isNegated !== isTrueWithout,
    ),
  )
  const isShown = compilation.compileCondition(table, alias, guard)
  const holds = allOfSql([isTrueSql(isShown), exists])
  return isTrueWithout ? notSql(holds) : holds
}

/** Does an index find the rows with each of the related items that satisfy the condition? */
function isFoundByRelation(
  { dialect, countsRelated }: Compilation,
  { leadingFields }: Table,
  [first]: readonly Hop[],
): boolean {
  return countsRelated && !dialect.joinsAnyOrder && leadingFields.has(first!.field.name)
}

/** Does a value that is null satisfy the condition? */
function holdsForNull(condition: ScalarCondition): boolean {
  switch (condition.kind) {
    case 'compare':
      return (condition.value === null ? operatorsOfNull : operatorsWithNull).has(
        condition.operator,
      )
    case 'oneOf':
      return condition.values.includes(null)
    case 'text':
      return false
  }
}

const operatorsOfNull: ReadonlySet<CompareOperator> = new Set([
  'equal',
  'lessThanOrEqual',
  'greaterThanOrEqual',
])
/** Null is less than any value. */
const operatorsWithNull: ReadonlySet<CompareOperator> = new Set([
  'notEqual',
  'lessThan',
  'lessThanOrEqual',
])

function compileCompare(
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

function compileOneOf(
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

function compileText(
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

function isShownAsNullSql(scalar: ScalarSql): string {
  const isUnshown = scalar.native?.isUnshown?.(scalar.sql)
  return anyOfSql([isNullSql(scalar), ...(isUnshown === undefined ? [] : [isUnshown])])
}

function isShownSql(scalar: ScalarSql): string {
  const isUnshown = scalar.native?.isUnshown?.(scalar.sql)
  return allOfSql([isNotNullSql(scalar), ...(isUnshown === undefined ? [] : [`not ${isUnshown}`])])
}

export function isNullSql(scalar: ScalarSql): string {
  return scalar.isNullable ? `${firstValueSql(scalar)} is null` : falseSql
}

export function isNotNullSql(scalar: ScalarSql): string {
  return scalar.isNullable ? `${firstValueSql(scalar)} is not null` : trueSql
}

/** The values of a row are null together. */
function firstValueSql({ sql, parts }: ScalarSql): string {
  return parts?.[0] ?? sql
}
