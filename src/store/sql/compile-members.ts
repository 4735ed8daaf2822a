import { isInstant, type ScalarType } from '../../model/value-type.ts'
import type { Condition } from '../../query/query-plan.ts'
import { type ManyEnd, resolveMany } from '../resolve-path.ts'
import { type Compilation, slotOf } from './compilation.ts'
import { documentOf, existsBehind, guardSql, idType } from './compile-path.ts'
import { slotMark } from './compiled.ts'
import { kindOfType, kindsIn } from './kinds.ts'
import { allOfSql, anyOfSql, no, yes } from './logic.ts'
import type { Table } from './table.ts'

type MembersCondition = Extract<Condition, { kind: 'members' }>

/** Rows of which each has one member in `value`. */
interface Members {
  readonly from: string
  readonly value: string
  readonly where: string
  readonly type: ScalarType
  /** Whether members can be null. */
  readonly nullable: boolean
}

/** Does an array of scalars, or a relation to many, hold any or all of the values? Never NULL. */
export function compileMembers(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: MembersCondition,
): string {
  const { hops, end } = resolveMany(table.model, condition.path)
  if (condition.values.length === 0) return condition.quantity === 'any' ? no : yes
  return existsBehind(compilation, hops, table, alias, (last, name) => holds(compilation, last, name, end, condition))
}

function holds(
  compilation: Compilation,
  table: Table,
  alias: string,
  end: ManyEnd,
  condition: MembersCondition,
): string {
  const members = membersOf(compilation, table, alias, end)
  const kinds = kindsIn(condition.values)
  const slot = slotOf(compilation, condition)
  const kind = kindOfType(members.type)
  const others = kinds.replace(kind, '').replace('0', '')
  const list = compilation.dialect.list(slotMark(slot), members.type, kinds.length > 1)
  const withNull = `exists (select 1 from ${members.from} where ${allOfSql([members.where, `${members.value} is null`])})`
  const holdsNull = members.nullable ? withNull : no
  const inList = `${members.value} in (${list})`
  if (condition.quantity === 'any') {
    const any = kinds.includes(kind) ? anyIn(compilation, table, alias, end, members, list) : no
    return anyOfSql([any, kinds.includes('0') ? holdsNull : no])
  }
  if (others !== '') return no
  // Date-times that are written in several ways are one.
  const wanted = isInstant(members.type)
    ? `(select count(*) from (select distinct * from (${list})))`
    : slotMark(slot + 1)
  const all = `(select count(distinct ${members.value}) from ${members.from} where ${allOfSql([members.where, inList])}) = ${wanted}`
  return allOfSql([kinds.includes(kind) ? all : yes, kinds.includes('0') ? holdsNull : yes])
}

/**
 * The owners of a side table are looked up by target, so that the engine may start from the few that hold a value; not where the rows are found
 * already, for each of which all owners would be gathered anew.
 */
function anyIn(
  compilation: Compilation,
  table: Table,
  alias: string,
  end: ManyEnd,
  members: Members,
  list: string,
): string {
  const inList = `${members.value} in (${list})`
  if (end.kind !== 'toMany' || compilation.isPerRow) {
    return `exists (select 1 from ${members.from} where ${allOfSql([members.where, inList])})`
  }
  const name = compilation.alias()
  const { quote } = compilation.dialect
  const target = `${name}.${quote('target')}`
  const goesOn = compilation.dialect.goesOn('none', name)
  const where = allOfSql([goesOn, `${target} in (${list})`, guardSql(compilation, end.field.target, target, end.guard)])
  const side = table.sides.get(end.field.name)!.sql
  return `${alias}.${quote('id')} in (select ${name}.${quote('owner')} from ${side} ${name} where ${where})`
}

function membersOf(compilation: Compilation, table: Table, alias: string, end: ManyEnd): Members {
  const { dialect, tableOf } = compilation
  const { quote } = dialect
  const name = compilation.alias()
  const id = `${alias}.${quote('id')}`
  const ids = { type: idType, nullable: false }
  if (end.kind === 'value') {
    const path = [end.field.wire, ...end.members]
    const elements = dialect.elements(documentOf(compilation, alias, end.field), path, end.type.items)
    return { from: `${elements} ${name}`, value: `${name}.value`, where: yes, type: end.type.items, nullable: true }
  }
  if (end.kind === 'toMany') {
    const value = `${name}.${quote('target')}`
    const where = allOfSql([
      `${name}.${quote('owner')} = ${id}`,
      guardSql(compilation, end.field.target, value, end.guard),
    ])
    return { ...ids, from: `${table.sides.get(end.field.name)!.sql} ${name}`, value, where }
  }
  const other = tableOf(end.field.target)
  const { of } = end.field
  if (of.kind === 'toOne') {
    const leadsHere = `${name}.${other.columns.get(of.name)!.sql} = ${id}`
    const where = allOfSql([leadsHere, compilation.condition(other, name, end.guard)])
    return { ...ids, from: `${other.sql} ${name}`, value: `${name}.${quote('id')}`, where }
  }
  const value = `${name}.${quote('owner')}`
  const where = allOfSql([
    `${name}.${quote('target')} = ${id}`,
    guardSql(compilation, end.field.target, value, end.guard),
  ])
  return { ...ids, from: `${other.sides.get(of.name)!.sql} ${name}`, value, where }
}
