import { comparedAs, plainText, type ScalarType } from '../../model/value-type.ts'
import type { Condition } from '../../query/query-plan.ts'
import { type ManyLeaf, resolveManyPath, resolveSomePath } from '../resolve-path.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { documentSql, existsThroughHops, guardSql, listSql } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, existsSql, falseSql, isTrueSql, trueSql } from './logic.ts'
import { kindOfType, kindsIn } from './scalar-kind.ts'
import type { NativeForm, Table } from './table.ts'

type MembersCondition = Extract<Condition, { kind: 'members' }>
type SomeCondition = Extract<Condition, { kind: 'some' }>

/** A row source with one member per row, in `value`. */
export interface Members {
  readonly from: string
  readonly value: string
  /** The values of a row. */
  readonly parts?: readonly string[]
  readonly where: string
  readonly type: ScalarType
  /** How members compare; undefined where they are those of a document, or text. */
  readonly native: NativeForm | undefined
  /** Whether members can be null. */
  readonly isNullable: boolean
}

/** Does an array of scalars or a to-many relation hold any or all of the values? Never NULL. */
export function compileMembers(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: MembersCondition,
): string {
  const { guard, hops, leaf } = resolveManyPath(table.model, condition.path)
  if (condition.values.length === 0) return condition.quantity === 'any' ? falseSql : trueSql
  const holds = existsThroughHops(compilation, hops, table, alias, (leafTable, leafAlias) =>
    compileHolds(compilation, leafTable, leafAlias, leaf, condition),
  )
  const isShown = compilation.compileCondition(table, alias, guard)
  return isShown === trueSql ? holds : allOfSql([isTrueSql(isShown), holds])
}

/** Does a related item of a to-many relation satisfy the condition? A semi-join, never NULL. */
export function compileSome(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: SomeCondition,
): string {
  const { guard, hops, leaf } = resolveSomePath(table.model, condition)
  const holds = existsThroughHops(compilation, hops, table, alias, (leafTable, leafAlias) => {
    const { from, where } = membersOf(compilation, leafTable, leafAlias, leaf)
    return existsSql(from, where)
  })
  const isShown = compilation.compileCondition(table, alias, guard)
  return isShown === trueSql ? holds : allOfSql([isTrueSql(isShown), holds])
}

function compileHolds(
  compilation: Compilation,
  table: Table,
  alias: string,
  leaf: ManyLeaf,
  condition: MembersCondition,
): string {
  const members = membersOf(compilation, table, alias, leaf)
  const kinds = kindsIn(condition.values)
  const valueIndex = valueIndexOf(compilation, condition)
  const kind = kindOfType(members.type)
  const otherKinds = kinds.replace(kind, '').replace('0', '')
  const list = listSql(compilation, valueMark(valueIndex), members, kinds.length > 1)
  const existsNull = existsSql(members.from, allOfSql([members.where, `${members.value} is null`]))
  const holdsNull = members.isNullable ? existsNull : falseSql
  const inList = `${members.value} in (${list})`
  if (condition.quantity === 'any') {
    const any = kinds.includes(kind)
      ? compileHoldsAny(compilation, table, alias, leaf, members, list)
      : falseSql
    return anyOfSql([any, kinds.includes('0') ? holdsNull : falseSql])
  }
  if (otherKinds !== '') return falseSql
  // Date-times and decimal numbers written in different ways may be equal.
  const valueCount = comparedAs(members.type)
    ? `(select count(*) from (select distinct * from (${list}) l) d)`
    : valueMark(valueIndex + 1)
  const all = `(select count(distinct ${countedValue(members)}) from ${members.from} where ${allOfSql([members.where, inList])}) = ${valueCount}`
  return allOfSql([kinds.includes(kind) ? all : trueSql, kinds.includes('0') ? holdsNull : trueSql])
}

/** A row is counted by its text, because SQLite counts single values only. */
function countedValue({ value, parts, native }: Members): string {
  return native?.operands ? native.text(value, parts) : value
}

/**
 * Looks up owners in the join table by target, so that the engine can start from the few that hold
 * a value. Not for known rows: the lookup would run again for each of them.
 */
function compileHoldsAny(
  compilation: Compilation,
  table: Table,
  alias: string,
  leaf: ManyLeaf,
  members: Members,
  list: string,
): string {
  const inList = `${members.value} in (${list})`
  if (leaf.kind !== 'toMany' || compilation.isPerRow) {
    return existsSql(members.from, allOfSql([members.where, inList]))
  }
  const name = compilation.nextAlias()
  const joinTable = table.joinTables.get(leaf.field.name)!
  const target = `${name}.${joinTable.target}`
  const interruptCheck = compilation.dialect.interruptCheck('none', { alias: name })
  const where = allOfSql([
    interruptCheck,
    `${target} in (${list})`,
    guardSql(compilation, leaf.field.relatedModel, target, leaf.guard),
  ])
  return `${table.id(alias)} in (select ${name}.${joinTable.owner} from ${joinTable.sql} ${name} where ${where})`
}

export function membersOf(
  compilation: Compilation,
  table: Table,
  alias: string,
  leaf: ManyLeaf,
): Members {
  const { dialect, tableOf } = compilation
  const name = compilation.nextAlias()
  const id = table.id(alias)
  if (leaf.kind === 'value') {
    const elements = dialect.elements(...documentSql(table, alias, leaf), leaf.type.items)
    return {
      from: `${elements} ${name}`,
      value: `${name}.value`,
      where: trueSql,
      type: leaf.type.items,
      native: undefined,
      isNullable: true,
    }
  }
  const relatedTable = tableOf(leaf.field.relatedModel)
  const ids = { type: plainText, native: relatedTable.idForm, isNullable: false }
  if (leaf.kind === 'toMany') {
    const { sql, owner, target } = table.joinTables.get(leaf.field.name)!
    const value = `${name}.${target}`
    const where = allOfSql([
      `${name}.${owner} = ${id}`,
      guardSql(compilation, leaf.field.relatedModel, value, leaf.guard),
    ])
    return { ...ids, from: `${sql} ${name}`, value, where }
  }
  const { inverseOf } = leaf.field
  if (inverseOf.kind === 'toOne') {
    const leadsHere = `${name}.${relatedTable.columns.get(inverseOf.name)!.sql} = ${id}`
    const where = allOfSql([
      leadsHere,
      compilation.compileCondition(relatedTable, name, leaf.guard),
    ])
    return {
      ...ids,
      from: `${relatedTable.sql} ${name}`,
      value: relatedTable.id(name),
      parts: relatedTable.idParts(name),
      where,
    }
  }
  const { sql, owner, target } = relatedTable.joinTables.get(inverseOf.name)!
  const value = `${name}.${owner}`
  const where = allOfSql([
    `${name}.${target} = ${id}`,
    guardSql(compilation, leaf.field.relatedModel, value, leaf.guard),
  ])
  return { ...ids, from: `${sql} ${name}`, value, where }
}
