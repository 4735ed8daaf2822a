import type { ModelDescription, ValueField } from '../../model/description.ts'
import { isInstant, type ScalarType } from '../../model/value-type.ts'
import type { FieldPath } from '../../query/query-plan.ts'
import { isShown } from '../item-text.ts'
import { type Hop, resolveScalar, type ScalarEnd } from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { allOfSql, yes } from './logic.ts'
import type { Column, Table } from './table.ts'

/** A value of a row as SQL: NULL where a step of its path is missing or hidden by a guard. */
export interface ScalarSql {
  readonly sql: string
  readonly type: ScalarType
  readonly nullable: boolean
  /** The row's own column, where it is one; undefined for its id too. */
  readonly column: Column | undefined
}

/** What identifiers are. */
export const idType: ScalarType = Object.freeze({ kind: 'text', format: undefined })

export function compileScalar(compilation: Compilation, table: Table, alias: string, path: FieldPath): ScalarSql {
  const { hops, end } = resolveScalar(table.model, path)
  const type = end.kind === 'value' ? end.type : idType
  const column =
    hops.length > 0 || end.kind === 'id' || (end.kind === 'toOne' && end.guard.kind !== 'always')
      ? undefined
      : columnOf(table, end)
  const sql = throughHops(compilation, hops, table, alias, (last, name) => scalarAt(compilation, last, name, end))
  const isNullable = hops.length > 0 || end.kind !== 'id'
  return { sql, type, nullable: column?.nullable ?? isNullable, column }
}

/** A text as it is written, to be searched: not as date-times are compared. */
export function compileWritten(compilation: Compilation, table: Table, alias: string, path: FieldPath): ScalarSql {
  const scalar = compileScalar(compilation, table, alias, path)
  if (!isInstant(scalar.type)) return scalar
  const { hops, end } = resolveScalar(table.model, path)
  const { dialect } = compilation
  if (end.kind !== 'value') return scalar
  const sql = throughHops(compilation, hops, table, alias, (_, name) =>
    dialect.value(documentOf(compilation, name, end.field), [end.field.wire, ...end.members], idType),
  )
  return { ...scalar, sql, column: undefined }
}

/** The same value in a form that is read back exactly: numbers as they are, text and booleans as JSON text. */
export function compileExact(compilation: Compilation, table: Table, alias: string, path: FieldPath): string {
  const { hops, end } = resolveScalar(table.model, path)
  if (end.kind === 'value' && (end.type.kind === 'number' || end.type.kind === 'integer')) {
    return compileScalar(compilation, table, alias, path).sql
  }
  // Of a date-time, what it is compared by.
  if (end.kind !== 'value' || isInstant(end.type))
    return compilation.dialect.textAsJson(compileScalar(compilation, table, alias, path).sql)
  return throughHops(compilation, hops, table, alias, (_, name) =>
    compilation.dialect.json(documentOf(compilation, name, end.field), [end.field.wire, ...end.members]),
  )
}

/** Follows the relations on the way and selects the value at their end, from nothing where one is missing. */
function throughHops(
  compilation: Compilation,
  hops: readonly Hop[],
  table: Table,
  alias: string,
  select: (table: Table, alias: string) => string,
): string {
  const [hop, ...others] = hops
  if (!hop) return select(table, alias)
  const { source, where, target, name } = stepOver(compilation, hop, table, alias)
  const value = throughHops(compilation, others, target, name, select)
  return `(select ${value} from ${source} where ${where})`
}

/** Whether the related item at the end of the hops exists and satisfies a condition of its own. */
export function existsBehind(
  compilation: Compilation,
  hops: readonly Hop[],
  table: Table,
  alias: string,
  condition: (table: Table, alias: string) => string,
): string {
  const [hop, ...others] = hops
  if (!hop) return condition(table, alias)
  const { source, where, target, name } = stepOver(compilation, hop, table, alias)
  return `exists (select 1 from ${source} where ${allOfSql([where, existsBehind(compilation, others, target, name, condition)])})`
}

function stepOver(compilation: Compilation, { field, guard }: Hop, table: Table, alias: string) {
  const { dialect } = compilation
  const target = compilation.tableOf(field.target)
  const name = compilation.alias()
  const id = `${name}.${dialect.quote('id')} = ${alias}.${table.columns.get(field.name)!.sql}`
  const where = allOfSql([id, compilation.condition(target, name, guard)])
  return { source: `${target.sql} ${name}`, where, target, name }
}

function scalarAt(compilation: Compilation, table: Table, alias: string, end: ScalarEnd): string {
  const { dialect } = compilation
  if (end.kind === 'id') return `${alias}.${dialect.quote('id')}`
  const column = columnOf(table, end)
  if (end.kind === 'value') {
    if (column) return `${alias}.${column.sql}`
    return dialect.value(documentOf(compilation, alias, end.field), [end.field.wire, ...end.members], end.type)
  }
  const id = `${alias}.${column!.sql}`
  return end.guard.kind === 'always' ? id : throughHops(compilation, [end], table, alias, () => id)
}

function columnOf(table: Table, end: ScalarEnd): Column | undefined {
  if (end.kind === 'id' || (end.kind === 'value' && end.members.length > 0)) return undefined
  return table.columns.get(end.field.name)
}

export function documentOf({ dialect }: Compilation, alias: string, field: ValueField): string {
  return `${alias}.${dialect.quote(isShown(field) ? 'text' : 'hidden')}`
}

/** `and` what a related item must satisfy, as an EXISTS over its id; true where nothing is asked. */
export function guardSql(compilation: Compilation, model: ModelDescription, id: string, guard: Hop['guard']): string {
  if (guard.kind === 'always') return yes
  const name = compilation.alias()
  const target = compilation.tableOf(model)
  const where = allOfSql([
    `${name}.${compilation.dialect.quote('id')} = ${id}`,
    compilation.condition(target, name, guard),
  ])
  return `exists (select 1 from ${target.sql} ${name} where ${where})`
}
