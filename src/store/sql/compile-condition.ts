import { isInstant } from '../../model/value-type.ts'
import type { CompareOperator, Condition } from '../../query/query-plan.ts'
import { type Compilation, slotOf } from './compilation.ts'
import { compileMembers } from './compile-members.ts'
import { compileScalar, compileWritten, type ScalarSql } from './compile-path.ts'
import { slotMark } from './compiled.ts'
import type { Dialect } from './dialect.ts'
import { kindOf, kindOfType, kindsIn } from './kinds.ts'
import { allOfSql, anyOfSql, no, notSql, yes } from './logic.ts'
import type { SlotMap } from './shape.ts'
import type { Table, TableOf } from './table.ts'

const opposite: Readonly<Record<CompareOperator, CompareOperator>> = {
  equal: 'notEqual',
  notEqual: 'equal',
  greaterThan: 'lessThanOrEqual',
  greaterThanOrEqual: 'lessThan',
  lessThan: 'greaterThanOrEqual',
  lessThanOrEqual: 'greaterThan',
}

const symbol = {
  equal: '=',
  notEqual: '<>',
  greaterThan: '>',
  greaterThanOrEqual: '>=',
  lessThan: '<',
  lessThanOrEqual: '<=',
} as const

/** Starts a statement. `slots` says where the values of its parts are. */
export function compilation(dialect: Dialect, tableOf: TableOf, slots: SlotMap): Compilation {
  let aliases = 0
  const self: Compilation = {
    dialect,
    tableOf,
    slots,
    isPerRow: false,
    alias: () => `r${++aliases}`,
    condition: (table, alias, condition) => compileCondition(self, table, alias, condition, false),
  }
  return self
}

/** The same, about rows that are found already. */
export function perRow(compilation: Compilation): Compilation {
  const self: Compilation = {
    ...compilation,
    isPerRow: true,
    condition: (table, alias, condition) => compileCondition(self, table, alias, condition, false),
  }
  return self
}

/**
 * SQL knows three truth values, conditions two. So a negation is carried down to the leaves, and each leaf is written
 * such that it is true exactly where it holds: NULL never meets a NOT, and a plain `x = ?` stays one that indexes serve.
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
      return isNegated ? no : yes
    case 'never':
      return isNegated ? yes : no
    case 'and':
    case 'or': {
      const parts = condition.conditions.map(compileOn)
      return (condition.kind === 'and') === isNegated ? anyOfSql(parts) : allOfSql(parts)
    }
    case 'not':
      return compileCondition(compilation, table, alias, condition.condition, !isNegated)
    case 'compare':
      return compileCompare(compilation, compileScalar(compilation, table, alias, condition.path), condition, isNegated)
    case 'oneOf':
      return compileOneOf(compilation, compileScalar(compilation, table, alias, condition.path), condition, isNegated)
    case 'text':
      return compileText(compilation, compileWritten(compilation, table, alias, condition.path), condition, isNegated)
    case 'members': {
      const holds = compileMembers(compilation, table, alias, condition)
      return isNegated ? notSql(holds === yes || holds === no ? holds : `(${holds})`) : holds
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
    const holds = acrossTypes(scalar, condition.operator)
    if (!isNegated) return holds
    return holds === yes || holds === no ? notSql(holds) : hasValue(scalar)
  }
  const operator = isNegated ? opposite[condition.operator] : condition.operator
  if (value === null) return withNull(scalar, operator)
  const { dialect } = compilation
  const slot = slotMark(slotOf(compilation, condition))
  const bound = dialect.binder.needsEscape(value) ? dialect.unescaped(slot) : slot
  const parameter = isInstant(scalar.type) ? dialect.instant(bound) : bound
  const compares = `${scalar.sql} ${symbol[operator]} ${parameter}`
  const includesNull = operator === 'notEqual' || operator === 'lessThan' || operator === 'lessThanOrEqual'
  return includesNull ? anyOfSql([compares, isNull(scalar)]) : compares
}

/** Values of different types are neither equal nor in any order; null alone is less than all. */
function acrossTypes(scalar: ScalarSql, operator: CompareOperator): string {
  if (operator === 'lessThan' || operator === 'lessThanOrEqual') return isNull(scalar)
  return operator === 'notEqual' ? yes : no
}

function withNull(scalar: ScalarSql, operator: CompareOperator): string {
  switch (operator) {
    case 'equal':
    case 'lessThanOrEqual':
      return isNull(scalar)
    case 'notEqual':
    case 'greaterThan':
      return hasValue(scalar)
    case 'greaterThanOrEqual':
      return yes
    case 'lessThan':
      return no
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
    compilation.slots.set(sole, slotOf(compilation, condition))
    return compileCompare(compilation, scalar, sole, isNegated)
  }
  const list = compilation.dialect.list(slotMark(slotOf(compilation, condition)), scalar.type, kinds.length > 1)
  const hasNull = kinds.includes('0')
  if (!isNegated) {
    const inList = kinds.includes(kind) ? `${scalar.sql} in (${list})` : no
    return anyOfSql([inList, hasNull ? isNull(scalar) : no])
  }
  const notInList = kinds.includes(kind) ? `${scalar.sql} not in (${list})` : hasValue(scalar)
  return hasNull ? notInList : anyOfSql([notInList, isNull(scalar)])
}

function compileText(
  compilation: Compilation,
  scalar: ScalarSql,
  condition: Extract<Condition, { kind: 'text' }>,
  isNegated: boolean,
): string {
  const { dialect } = compilation
  const { operator, value } = condition
  if (scalar.type.kind !== 'text') return isNegated ? yes : no
  if (value === '' && operator !== 'like') return isNegated ? isNull(scalar) : hasValue(scalar)
  const slot = slotOf(compilation, condition)
  const operands = dialect.binder.pattern(operator, value).map((_, index) => slotMark(slot + index))
  const holds = dialect.text(
    operator,
    scalar.sql,
    dialect.binder.needsEscape(value) ? operands.map(dialect.unescaped) : operands,
  )
  return isNegated ? anyOfSql([`not (${holds})`, isNull(scalar)]) : `(${holds})`
}

export function isNull(scalar: ScalarSql): string {
  return scalar.nullable ? `${scalar.sql} is null` : no
}

export function hasValue(scalar: ScalarSql): string {
  return scalar.nullable ? `${scalar.sql} is not null` : yes
}
