import { isInstant } from '../../model/value-type.ts'
import type { CompareOperator, Condition } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { compileMembers } from './compile-members.ts'
import { compileScalar, compileSearchedText, type ScalarSql } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import type { Dialect } from './dialect.ts'
import { allOfSql, anyOfSql, falseSql, notSql, trueSql } from './logic.ts'
import type { ValueIndexes } from './query-shape.ts'
import { kindOf, kindOfType, kindsIn } from './scalar-kind.ts'
import type { Table, TableOf } from './table.ts'

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

/** Starts a statement. `slots` says where the values of its parts are. */
export function createCompilation(
  dialect: Dialect,
  tableOf: TableOf,
  slots: ValueIndexes,
): Compilation {
  let aliases = 0
  const self: Compilation = {
    dialect,
    tableOf,
    valueIndexes: slots,
    isPerRow: false,
    nextAlias: () => `r${++aliases}`,
    compileCondition: (table, alias, condition) =>
      compileCondition(self, table, alias, condition, false),
  }
  return self
}

/** The same, about rows that are found already. */
export function perRowCompilation(compilation: Compilation): Compilation {
  const self: Compilation = {
    ...compilation,
    isPerRow: true,
    compileCondition: (table, alias, condition) =>
      compileCondition(self, table, alias, condition, false),
  }
  return self
}

/**
 * SQL knows three truth values, conditions two. So a negation is carried down to the leaves, and
 * each leaf is written such that it is true exactly where it holds: NULL never meets a NOT, and a
 * plain `x = ?` stays one that indexes serve.
 */
function compileCondition(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: Condition,
  isNegated: boolean,
): string {
  const compileOn = (one: Condition) => compileCondition(compilation, table, alias, one, isNegated)
  switch (condition.kind) {
    case 'always':
      return isNegated ? falseSql : trueSql
    case 'never':
      return isNegated ? trueSql : falseSql
    case 'and':
    case 'or': {
      const parts = condition.conditions.map(compileOn)
      return (condition.kind === 'and') === isNegated ? anyOfSql(parts) : allOfSql(parts)
    }
    case 'not':
      return compileCondition(compilation, table, alias, condition.condition, !isNegated)
    case 'compare':
      return compileCompare(
        compilation,
        compileScalar(compilation, table, alias, condition.path),
        condition,
        isNegated,
      )
    case 'oneOf':
      return compileOneOf(
        compilation,
        compileScalar(compilation, table, alias, condition.path),
        condition,
        isNegated,
      )
    case 'text':
      return compileText(
        compilation,
        compileSearchedText(compilation, table, alias, condition.path),
        condition,
        isNegated,
      )
    case 'members': {
      const holds = compileMembers(compilation, table, alias, condition)
      return isNegated
        ? notSql(holds === trueSql || holds === falseSql ? holds : `(${holds})`)
        : holds
    }
  }
}

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
  const slot = valueMark(valueIndexOf(compilation, condition))
  const bound = dialect.binder.needsEscape(value) ? dialect.unescape(slot) : slot
  const parameter = isInstant(scalar.type) ? dialect.instant(bound) : bound
  const compares = `${scalar.sql} ${operatorSql[operator]} ${parameter}`
  const includesNull =
    operator === 'notEqual' || operator === 'lessThan' || operator === 'lessThanOrEqual'
  return includesNull ? anyOfSql([compares, isNullSql(scalar)]) : compares
}

/** Values of different types are neither equal nor in any order; null alone is less than all. */
function compareAcrossTypes(scalar: ScalarSql, operator: CompareOperator): string {
  if (operator === 'lessThan' || operator === 'lessThanOrEqual') return isNullSql(scalar)
  return operator === 'notEqual' ? trueSql : falseSql
}

function compareWithNull(scalar: ScalarSql, operator: CompareOperator): string {
  switch (operator) {
    case 'equal':
    case 'lessThanOrEqual':
      return isNullSql(scalar)
    case 'notEqual':
    case 'greaterThan':
      return isNotNullSql(scalar)
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
  const { path, values } = condition
  const kinds = kindsIn(values)
  const kind = kindOfType(scalar.type)
  if (values.length === 1) {
    const sole = { kind: 'compare', path, operator: 'equal', value: values[0]! } as const
    compilation.valueIndexes.set(sole, valueIndexOf(compilation, condition))
    return compileCompare(compilation, scalar, sole, isNegated)
  }
  const list = compilation.dialect.list(
    valueMark(valueIndexOf(compilation, condition)),
    scalar.type,
    kinds.length > 1,
  )
  const hasNull = kinds.includes('0')
  if (!isNegated) {
    const inList = kinds.includes(kind) ? `${scalar.sql} in (${list})` : falseSql
    return anyOfSql([inList, hasNull ? isNullSql(scalar) : falseSql])
  }
  const notInList = kinds.includes(kind) ? `${scalar.sql} not in (${list})` : isNotNullSql(scalar)
  return hasNull ? notInList : anyOfSql([notInList, isNullSql(scalar)])
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
  if (value === '' && operator !== 'like')
    return isNegated ? isNullSql(scalar) : isNotNullSql(scalar)
  const slot = valueIndexOf(compilation, condition)
  const operands = dialect.binder
    .pattern(operator, value)
    .map((_, index) => valueMark(slot + index))
  const holds = dialect.text(
    operator,
    scalar.sql,
    dialect.binder.needsEscape(value) ? operands.map(dialect.unescape) : operands,
  )
  return isNegated ? anyOfSql([`not (${holds})`, isNullSql(scalar)]) : `(${holds})`
}

export function isNullSql(scalar: ScalarSql): string {
  return scalar.isNullable ? `${scalar.sql} is null` : falseSql
}

export function isNotNullSql(scalar: ScalarSql): string {
  return scalar.isNullable ? `${scalar.sql} is not null` : trueSql
}
