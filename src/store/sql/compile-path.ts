import type { ModelDescription, ValueField } from '../../model/model-description.ts'
import { isInstant, type ScalarType } from '../../model/value-type.ts'
import type { FieldPath } from '../../query/query-plan.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { type Hop, resolveScalarPath, type ScalarLeaf } from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { allOfSql, trueSql } from './logic.ts'
import type { Column, Table } from './table.ts'

/** A value of a row as SQL; NULL where a step of its path is missing or hidden by a guard. */
export interface ScalarSql {
  readonly sql: string
  readonly type: ScalarType
  readonly isNullable: boolean
  /** The column of the row, if the value has one; undefined for the id. */
  readonly column: Column | undefined
}

/** The type of ids. */
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
  const sql = selectThroughHops(compilation, hops, table, alias, (leafTable, leafAlias) =>
    leafSql(compilation, leafTable, leafAlias, leaf),
  )
  const isNullable = hops.length > 0 || leaf.kind !== 'id'
  return { sql, type, isNullable: column?.isNullable ?? isNullable, column }
}

/** A text as it was written, for text search; date-times compare in another form. */
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
  const sql = selectThroughHops(compilation, hops, table, alias, (_, leafAlias) =>
    dialect.value(
      documentColumnSql(compilation, leafAlias, leaf.field),
      [leaf.field.wireName, ...leaf.memberPath],
      idType,
    ),
  )
  return { ...scalar, sql, column: undefined }
}

/**
 * The value in a form that is read back exactly: numbers as they are, text and booleans as JSON
 * text.
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
  // For a date-time, the form in which it is compared.
  if (leaf.kind !== 'value' || isInstant(leaf.type))
    return compilation.dialect.textAsJson(compileScalar(compilation, table, alias, path).sql)
  return selectThroughHops(compilation, hops, table, alias, (_, leafAlias) =>
    compilation.dialect.json(documentColumnSql(compilation, leafAlias, leaf.field), [
      leaf.field.wireName,
      ...leaf.memberPath,
    ]),
  )
}

/**
 * Follows to-one relations and selects a value of the last item; NULL where a relation leads
 * nowhere.
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
  const { source, where, target, alias: targetAlias } = joinHop(compilation, hop, table, alias)
  const value = selectThroughHops(compilation, others, target, targetAlias, select)
  return `(select ${value} from ${source} where ${where})`
}

/** Does the last related item exist and satisfy the condition? */
export function existsThroughHops(
  compilation: Compilation,
  hops: readonly Hop[],
  table: Table,
  alias: string,
  condition: (table: Table, alias: string) => string,
): string {
  const [hop, ...others] = hops
  if (!hop) return condition(table, alias)
  const { source, where, target, alias: targetAlias } = joinHop(compilation, hop, table, alias)
  return `exists (select 1 from ${source} where ${allOfSql([where, existsThroughHops(compilation, others, target, targetAlias, condition)])})`
}

function joinHop(compilation: Compilation, { field, guard }: Hop, table: Table, alias: string) {
  const { dialect } = compilation
  const target = compilation.tableOf(field.relatedModel)
  const targetAlias = compilation.nextAlias()
  const isTarget = `${targetAlias}.${dialect.quote('id')} = ${alias}.${table.columns.get(field.name)!.sql}`
  const where = allOfSql([isTarget, compilation.compileCondition(target, targetAlias, guard)])
  return { source: `${target.sql} ${targetAlias}`, where, target, alias: targetAlias }
}

function leafSql(compilation: Compilation, table: Table, alias: string, leaf: ScalarLeaf): string {
  const { dialect } = compilation
  if (leaf.kind === 'id') return `${alias}.${dialect.quote('id')}`
  const column = columnOf(table, leaf)
  if (leaf.kind === 'value') {
    if (column) return `${alias}.${column.sql}`
    return dialect.value(
      documentColumnSql(compilation, alias, leaf.field),
      [leaf.field.wireName, ...leaf.memberPath],
      leaf.type,
    )
  }
  const id = `${alias}.${column!.sql}`
  return leaf.guard.kind === 'always'
    ? id
    : selectThroughHops(compilation, [leaf], table, alias, () => id)
}

function columnOf(table: Table, leaf: ScalarLeaf): Column | undefined {
  if (leaf.kind === 'id' || (leaf.kind === 'value' && leaf.memberPath.length > 0)) return undefined
  return table.columns.get(leaf.field.name)
}

export function documentColumnSql(
  { dialect }: Compilation,
  alias: string,
  field: ValueField,
): string {
  return `${alias}.${dialect.quote(isShown(field) ? 'text' : 'hidden')}`
}

/** An EXISTS that checks the guard for the item with this id; true without a guard. */
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
