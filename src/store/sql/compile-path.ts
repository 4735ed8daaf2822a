import type { ModelDescription, ValueField } from '../../model/model-description.ts'
import { isInstant, type ScalarType } from '../../model/value-type.ts'
import type { FieldPath } from '../../query/query-plan.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { type Hop, resolveScalarPath, type ScalarLeaf } from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { allOfSql, trueSql } from './logic.ts'
import type { Column, Table } from './table.ts'

/** A value of a row as SQL: NULL where a step of its path is missing or hidden by a guard. */
export interface ScalarSql {
  readonly sql: string
  readonly type: ScalarType
  readonly isNullable: boolean
  /** The row's own column, where it is one; undefined for its id too. */
  readonly column: Column | undefined
}

/** What identifiers are. */
export const idType: ScalarType = Object.freeze({ kind: 'text', format: undefined })

export function compileScalar(
  compilation: Compilation,
  table: Table,
  alias: string,
  path: FieldPath,
): ScalarSql {
  const { hops, leaf } = resolveScalarPath(table.model, path)
  const type = leaf.kind === 'value' ? leaf.type : idType
  const column =
    hops.length > 0 || leaf.kind === 'id' || (leaf.kind === 'toOne' && leaf.guard.kind !== 'always')
      ? undefined
      : columnOf(table, leaf)
  const sql = selectThroughHops(compilation, hops, table, alias, (last, name) =>
    leafSql(compilation, last, name, leaf),
  )
  const isNullable = hops.length > 0 || leaf.kind !== 'id'
  return { sql, type, isNullable: column?.isNullable ?? isNullable, column }
}

/** A text as it is written, to be searched: not as date-times are compared. */
export function compileSearchedText(
  compilation: Compilation,
  table: Table,
  alias: string,
  path: FieldPath,
): ScalarSql {
  const scalar = compileScalar(compilation, table, alias, path)
  if (!isInstant(scalar.type)) return scalar
  const { hops, leaf } = resolveScalarPath(table.model, path)
  const { dialect } = compilation
  if (leaf.kind !== 'value') return scalar
  const sql = selectThroughHops(compilation, hops, table, alias, (_, name) =>
    dialect.value(
      documentColumnSql(compilation, name, leaf.field),
      [leaf.field.wireName, ...leaf.memberPath],
      idType,
    ),
  )
  return { ...scalar, sql, column: undefined }
}

/**
 * The same value in a form that is read back exactly: numbers as they are, text and booleans as
 * JSON text.
 */
export function compileLossless(
  compilation: Compilation,
  table: Table,
  alias: string,
  path: FieldPath,
): string {
  const { hops, leaf } = resolveScalarPath(table.model, path)
  if (leaf.kind === 'value' && (leaf.type.kind === 'number' || leaf.type.kind === 'integer')) {
    return compileScalar(compilation, table, alias, path).sql
  }
  // Of a date-time, what it is compared by.
  if (leaf.kind !== 'value' || isInstant(leaf.type))
    return compilation.dialect.textAsJson(compileScalar(compilation, table, alias, path).sql)
  return selectThroughHops(compilation, hops, table, alias, (_, name) =>
    compilation.dialect.json(documentColumnSql(compilation, name, leaf.field), [
      leaf.field.wireName,
      ...leaf.memberPath,
    ]),
  )
}

/**
 * Follows the relations on the way and selects the value at their end, from nothing where one is
 * missing.
 */
function selectThroughHops(
  compilation: Compilation,
  hops: readonly Hop[],
  table: Table,
  alias: string,
  select: (table: Table, alias: string) => string,
): string {
  const [hop, ...others] = hops
  if (!hop) return select(table, alias)
  const { source, where, target, name } = joinHop(compilation, hop, table, alias)
  const value = selectThroughHops(compilation, others, target, name, select)
  return `(select ${value} from ${source} where ${where})`
}

/** Whether the related item at the end of the hops exists and satisfies a condition of its own. */
export function existsThroughHops(
  compilation: Compilation,
  hops: readonly Hop[],
  table: Table,
  alias: string,
  condition: (table: Table, alias: string) => string,
): string {
  const [hop, ...others] = hops
  if (!hop) return condition(table, alias)
  const { source, where, target, name } = joinHop(compilation, hop, table, alias)
  return `exists (select 1 from ${source} where ${allOfSql([where, existsThroughHops(compilation, others, target, name, condition)])})`
}

function joinHop(compilation: Compilation, { field, guard }: Hop, table: Table, alias: string) {
  const { dialect } = compilation
  const target = compilation.tableOf(field.relatedModel)
  const name = compilation.nextAlias()
  const id = `${name}.${dialect.quote('id')} = ${alias}.${table.columns.get(field.name)!.sql}`
  const where = allOfSql([id, compilation.compileCondition(target, name, guard)])
  return { source: `${target.sql} ${name}`, where, target, name }
}

function leafSql(compilation: Compilation, table: Table, alias: string, end: ScalarLeaf): string {
  const { dialect } = compilation
  if (end.kind === 'id') return `${alias}.${dialect.quote('id')}`
  const column = columnOf(table, end)
  if (end.kind === 'value') {
    if (column) return `${alias}.${column.sql}`
    return dialect.value(
      documentColumnSql(compilation, alias, end.field),
      [end.field.wireName, ...end.memberPath],
      end.type,
    )
  }
  const id = `${alias}.${column!.sql}`
  return end.guard.kind === 'always'
    ? id
    : selectThroughHops(compilation, [end], table, alias, () => id)
}

function columnOf(table: Table, end: ScalarLeaf): Column | undefined {
  if (end.kind === 'id' || (end.kind === 'value' && end.memberPath.length > 0)) return undefined
  return table.columns.get(end.field.name)
}

export function documentColumnSql(
  { dialect }: Compilation,
  alias: string,
  field: ValueField,
): string {
  return `${alias}.${dialect.quote(isShown(field) ? 'text' : 'hidden')}`
}

/**
 * `and` what a related item must satisfy, as an EXISTS over its id; true where nothing is asked.
 */
export function guardSql(
  compilation: Compilation,
  model: ModelDescription,
  id: string,
  guard: Hop['guard'],
): string {
  if (guard.kind === 'always') return trueSql
  const name = compilation.nextAlias()
  const target = compilation.tableOf(model)
  const where = allOfSql([
    `${name}.${compilation.dialect.quote('id')} = ${id}`,
    compilation.compileCondition(target, name, guard),
  ])
  return `exists (select 1 from ${target.sql} ${name} where ${where})`
}
