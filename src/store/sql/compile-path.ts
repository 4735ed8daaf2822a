import type { ModelDescription } from '../../model/model-description.ts'
import { comparedAs, plainText, type ScalarType } from '../../model/value-type.ts'
import type { Condition, FieldPath } from '../../query/query-plan.ts'
import {
  checkSearchable,
  type Hop,
  type ResolvedPath,
  resolveScalarPath,
  type ScalarLeaf,
  type ValueLeaf,
} from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { allOfSql, trueSql } from './logic.ts'
import { rowSql } from './row-value.ts'
import type { Column, NativeForm, Table } from './table.ts'

/** A value of a row as SQL; NULL where a step of its path is missing or hidden by a guard. */
export interface ScalarSql {
  readonly sql: string
  /** The values that make it, if it is a row of several. */
  readonly parts?: readonly string[] | undefined
  readonly type: ScalarType
  readonly isNullable: boolean
  /** The column of the row, if the value has one; undefined for the id. */
  readonly column: Column | undefined
  /** The column as it is, if the value has one. */
  readonly stored?: string | undefined
  /** How the value compares, of this row or of a related one; undefined where it is text. */
  readonly native: NativeForm | undefined
}

/** A value in the form that sorts: the values of a row, each by itself. */
export function orderedValues({ sql, parts = [sql], native }: ScalarSql): readonly string[] {
  return native?.ordered?.(parts) ?? parts
}

export function orderedSql(scalar: ScalarSql): string {
  return rowSql(orderedValues(scalar))
}

export function compileScalar(
  compilation: Compilation,
  table: Table,
  alias: string,
  path: FieldPath,
): ScalarSql {
  const resolved = resolveScalarPath(table.model, path)
  const { guard, hops, leaf, model } = resolved
  const type = leaf.kind === 'value' ? leaf.type : plainText
  const native = nativeFormOf(compilation, model, leaf)
  const idParts = leaf.kind === 'id' && hops.length === 0 ? table.idParts(alias) : []
  if (idParts.length > 1) {
    const parts = idParts.map((part) => whereGuarded(compilation, table, alias, guard, part))
    const isNullable = guard.kind !== 'always'
    return { sql: rowSql(parts), parts, type, isNullable, column: undefined, native }
  }
  const sql = selectAtEnd(compilation, resolved, table, alias, (leafTable, leafAlias) =>
    leafSql(compilation, leafTable, leafAlias, leaf),
  )
  const isOfRow = hops.length === 0 && guard.kind === 'always'
  const isGuardedRelation = leaf.kind === 'toOne' && leaf.guard.kind !== 'always'
  const column = isOfRow && !isGuardedRelation ? columnOf(table, leaf) : undefined
  const isNullable = column?.isNullable ?? !(isOfRow && leaf.kind === 'id')
  const stored = column && `${alias}.${column.sql}`
  return { sql, parts: undefined, type, isNullable, column, stored, native }
}

/** A value with the form of its column, which a bound value is brought into. */
export function operandSql({ dialect }: Compilation, scalar: ScalarSql, bound: string): string {
  if (scalar.native) return scalar.native.operand(bound)
  const form = comparedAs(scalar.type)
  return form === undefined ? bound : dialect[form](bound)
}

/** A query for the values of a list parameter, in the form that they compare with, as `value`. */
export function listSql(
  { dialect }: Compilation,
  parameter: string,
  { type, native }: Pick<ScalarSql, 'type' | 'native'>,
  isMixed: boolean,
): string {
  const values = dialect.list(parameter, type, isMixed)
  if (!native) return values
  const operands = native.operands?.('l.value') ?? [`${native.operand('l.value')} as value`]
  return `select ${operands.join(', ')} from (${values}) l`
}

/** A text as it was written, for text search; some texts compare in another form. */
export function compileSearchedText(
  compilation: Compilation,
  table: Table,
  alias: string,
  path: FieldPath,
): ScalarSql {
  checkSearchable(path, resolveScalarPath(table.model, path).leaf)
  const scalar = compileScalar(compilation, table, alias, path)
  if (scalar.native)
    return {
      ...scalar,
      sql: scalar.native.text(scalar.sql, scalar.parts),
      parts: undefined,
      column: undefined,
      native: undefined,
    }
  if (comparedAs(scalar.type) === undefined) return scalar
  const resolved = resolveScalarPath(table.model, path)
  const { leaf } = resolved
  const { dialect } = compilation
  if (leaf.kind !== 'value') return scalar
  const sql = selectAtEnd(compilation, resolved, table, alias, (leafTable, leafAlias) => {
    const [document, names] = documentSql(leafTable, leafAlias, leaf)
    return dialect.value(document, names, plainText)
  })
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
  const resolved = resolveScalarPath(table.model, path)
  const { leaf, model } = resolved
  const native = nativeFormOf(compilation, model, leaf)
  if (native) {
    const { sql, parts } = compileScalar(compilation, table, alias, path)
    return native.lossless(sql, parts)
  }
  if (leaf.kind === 'value' && (leaf.type.kind === 'number' || leaf.type.kind === 'integer')) {
    return compileScalar(compilation, table, alias, path).sql
  }
  // For a date-time and a decimal number, the form in which it is compared.
  if (leaf.kind !== 'value' || comparedAs(leaf.type) !== undefined)
    return compilation.dialect.textAsJson(compileScalar(compilation, table, alias, path).sql)
  return selectAtEnd(compilation, resolved, table, alias, (leafTable, leafAlias) =>
    compilation.dialect.json(...documentSql(leafTable, leafAlias, leaf)),
  )
}

/** A value of the last item of a path; NULL where a guard or a relation ends the path. */
function selectAtEnd(
  compilation: Compilation,
  { guard, hops }: ResolvedPath<ScalarLeaf>,
  table: Table,
  alias: string,
  select: (table: Table, alias: string) => string,
): string {
  const value = selectThroughHops(compilation, hops, table, alias, select)
  return whereGuarded(compilation, table, alias, guard, value)
}

/**
 * A value of the row; NULL where the row fails the guard. A subquery keeps the affinity that SQLite
 * compares the value with, as one through a relation does; a CASE would not.
 */
function whereGuarded(
  compilation: Compilation,
  table: Table,
  alias: string,
  guard: Condition,
  value: string,
): string {
  if (guard.kind === 'always') return value
  return `(select ${value} where ${compilation.compileCondition(table, alias, guard)})`
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

/** The same as a look-up of the related items that satisfy the condition; false for NULL. */
export function isAnyThroughHops(
  compilation: Compilation,
  hops: readonly Hop[],
  table: Table,
  alias: string,
  condition: (table: Table, alias: string) => string,
): string {
  const [hop, ...others] = hops
  if (!hop) return condition(table, alias)
  const target = compilation.tableOf(hop.field.relatedModel)
  const targetAlias = compilation.nextAlias()
  const where = allOfSql([
    compilation.compileCondition(target, targetAlias, hop.guard),
    isAnyThroughHops(compilation, others, target, targetAlias, condition),
  ])
  const id = `${alias}.${table.columns.get(hop.field.name)!.sql}`
  return `(${id} is not null and ${id} in (select ${target.id(targetAlias)} from ${target.sql} ${targetAlias} where ${where}))`
}

/** The rest of a path, from the item to which so many relations lead. */
export function pathAfterHops({ names, guards = [] }: FieldPath, hopCount: number): FieldPath {
  return {
    names: names.slice(hopCount),
    guards: guards
      .filter(({ depth }) => depth > hopCount)
      .map((guard) => ({ ...guard, depth: guard.depth - hopCount })),
  }
}

function joinHop(compilation: Compilation, { field, guard }: Hop, table: Table, alias: string) {
  const target = compilation.tableOf(field.relatedModel)
  const targetAlias = compilation.nextAlias()
  const isTarget = `${target.id(targetAlias)} = ${alias}.${table.columns.get(field.name)!.sql}`
  const where = allOfSql([isTarget, compilation.compileCondition(target, targetAlias, guard)])
  return { source: `${target.sql} ${targetAlias}`, where, target, alias: targetAlias }
}

function leafSql(compilation: Compilation, table: Table, alias: string, leaf: ScalarLeaf): string {
  const { dialect } = compilation
  if (leaf.kind === 'id') return table.id(alias)
  const column = columnOf(table, leaf)
  if (leaf.kind === 'value') {
    if (column) return columnValueSql(column, alias)
    const [document, names] = documentSql(table, alias, leaf)
    return dialect.value(document, names, leaf.type)
  }
  const id = `${alias}.${column!.sql}`
  return leaf.guard.kind === 'always'
    ? id
    : selectThroughHops(compilation, [leaf], table, alias, () => id)
}

function columnValueSql({ form, sql }: Column, alias: string): string {
  const column = `${alias}.${sql}`
  return form.kind === 'native' ? form.value(column) : column
}

function columnOf(table: Table, leaf: ScalarLeaf): Column | undefined {
  if (leaf.kind === 'id' || (leaf.kind === 'value' && leaf.memberPath.length > 0)) return undefined
  return table.columns.get(leaf.field.name)
}

/** The JSON column of a value, and the names that lead to the value in it. */
export function documentSql(
  table: Table,
  alias: string,
  { field, memberPath }: ValueLeaf,
): [column: string, names: readonly string[]] {
  const source = table.documentOf(field)
  const column = `${alias}.${source.column}`
  return [source.document?.(column) ?? column, [...source.names, ...memberPath]]
}

function nativeFormOf(
  { tableOf }: Compilation,
  model: ModelDescription,
  leaf: ScalarLeaf,
): NativeForm | undefined {
  if (leaf.kind === 'id') return tableOf(model).idForm
  // The column of a relation is in the item that has the relation, which is the last of the path.
  const form = columnOf(tableOf(model), leaf)?.form
  return form?.kind === 'native' ? form : undefined
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
    `${target.id(name)} = ${id}`,
    compilation.compileCondition(target, name, guard),
  ])
  return `exists (select 1 from ${target.sql} ${name} where ${where})`
}
