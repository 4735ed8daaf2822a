import { isInstant, type ScalarType } from '../../model/value-type.ts'
import type { Condition } from '../../query/query-plan.ts'
import { type ManyLeaf, resolveManyPath } from '../resolve-path.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { documentColumnSql, existsThroughHops, guardSql, idType } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, falseSql, trueSql } from './logic.ts'
import { kindOfType, kindsIn } from './scalar-kind.ts'
import type { Table } from './table.ts'

type MembersCondition = Extract<Condition, { kind: 'members' }>

/** Rows of which each has one member in `value`. */
interface Members {
  readonly from: string
  readonly value: string
  readonly where: string
  readonly type: ScalarType
  /** Whether members can be null. */
  readonly isNullable: boolean
}

/** Does an array of scalars, or a relation to many, hold any or all of the values? Never NULL. */
export function compileMembers(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: MembersCondition,
): string {
  const { hops, leaf } = resolveManyPath(table.model, condition.path)
  if (condition.values.length === 0) return condition.quantity === 'any' ? falseSql : trueSql
  return existsThroughHops(compilation, hops, table, alias, (last, name) =>
    compileHolds(compilation, last, name, leaf, condition),
  )
}

function compileHolds(
  compilation: Compilation,
  table: Table,
  alias: string,
  end: ManyLeaf,
  condition: MembersCondition,
): string {
  const members = membersOf(compilation, table, alias, end)
  const kinds = kindsIn(condition.values)
  const slot = valueIndexOf(compilation, condition)
  const kind = kindOfType(members.type)
  const others = kinds.replace(kind, '').replace('0', '')
  const list = compilation.dialect.list(valueMark(slot), members.type, kinds.length > 1)
  const withNull = `exists (select 1 from ${members.from} where ${allOfSql([members.where, `${members.value} is null`])})`
  const holdsNull = members.isNullable ? withNull : falseSql
  const inList = `${members.value} in (${list})`
  if (condition.quantity === 'any') {
    const any = kinds.includes(kind)
      ? compileHoldsAny(compilation, table, alias, end, members, list)
      : falseSql
    return anyOfSql([any, kinds.includes('0') ? holdsNull : falseSql])
  }
  if (others !== '') return falseSql
  // Date-times that are written in several ways are one.
  const wanted = isInstant(members.type)
    ? `(select count(*) from (select distinct * from (${list})))`
    : valueMark(slot + 1)
  const all = `(select count(distinct ${members.value}) from ${members.from} where ${allOfSql([members.where, inList])}) = ${wanted}`
  return allOfSql([kinds.includes(kind) ? all : trueSql, kinds.includes('0') ? holdsNull : trueSql])
}

/**
 * The owners of a side table are looked up by target, so that the engine may start from the few
 * that hold a value; not where the rows are found already, for each of which all owners would be
 * gathered anew.
 */
function compileHoldsAny(
  compilation: Compilation,
  table: Table,
  alias: string,
  end: ManyLeaf,
  members: Members,
  list: string,
): string {
  const inList = `${members.value} in (${list})`
  if (end.kind !== 'toMany' || compilation.isPerRow) {
    return `exists (select 1 from ${members.from} where ${allOfSql([members.where, inList])})`
  }
  const name = compilation.nextAlias()
  const { quote } = compilation.dialect
  const target = `${name}.${quote('target')}`
  const goesOn = compilation.dialect.interruptCheck('none', name)
  const where = allOfSql([
    goesOn,
    `${target} in (${list})`,
    guardSql(compilation, end.field.relatedModel, target, end.guard),
  ])
  const side = table.joinTables.get(end.field.name)!.sql
  return `${alias}.${quote('id')} in (select ${name}.${quote('owner')} from ${side} ${name} where ${where})`
}

function membersOf(compilation: Compilation, table: Table, alias: string, end: ManyLeaf): Members {
  const { dialect, tableOf } = compilation
  const { quote } = dialect
  const name = compilation.nextAlias()
  const id = `${alias}.${quote('id')}`
  const ids = { type: idType, isNullable: false }
  if (end.kind === 'value') {
    const path = [end.field.wireName, ...end.memberPath]
    const elements = dialect.elements(
      documentColumnSql(compilation, alias, end.field),
      path,
      end.type.items,
    )
    return {
      from: `${elements} ${name}`,
      value: `${name}.value`,
      where: trueSql,
      type: end.type.items,
      isNullable: true,
    }
  }
  if (end.kind === 'toMany') {
    const value = `${name}.${quote('target')}`
    const where = allOfSql([
      `${name}.${quote('owner')} = ${id}`,
      guardSql(compilation, end.field.relatedModel, value, end.guard),
    ])
    return { ...ids, from: `${table.joinTables.get(end.field.name)!.sql} ${name}`, value, where }
  }
  const other = tableOf(end.field.relatedModel)
  const { inverseOf } = end.field
  if (inverseOf.kind === 'toOne') {
    const leadsHere = `${name}.${other.columns.get(inverseOf.name)!.sql} = ${id}`
    const where = allOfSql([leadsHere, compilation.compileCondition(other, name, end.guard)])
    return { ...ids, from: `${other.sql} ${name}`, value: `${name}.${quote('id')}`, where }
  }
  const value = `${name}.${quote('owner')}`
  const where = allOfSql([
    `${name}.${quote('target')} = ${id}`,
    guardSql(compilation, end.field.relatedModel, value, end.guard),
  ])
  return { ...ids, from: `${other.joinTables.get(inverseOf.name)!.sql} ${name}`, value, where }
}
