import type { ModelDescription, ToOneField, ValueField } from '../../model/description.ts'
import { isScalar } from '../../model/value-type.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { isShown } from '../item-text.ts'
import type { Column, SideTable, Table } from '../sql/table.ts'
import { pathOf, quote } from './dialect.ts'

/** A generated column: its name says all about its expression, so that a changed field gets a new one. */
export interface ColumnLayout {
  readonly field: ValueField | ToOneField
  readonly name: string
  /** Its definition, but for whether it is stored. */
  readonly definition: string
  /**
   * Is it stored with the row, in a table that is made with it? Conditions then read it without parsing the text. SQLite
   * adds only virtual columns to a table that has rows.
   */
  readonly isStored: boolean
  readonly indexes: readonly IndexLayout[]
  /** May absent and null values be in it, as the model says? */
  readonly optional: boolean
}

export interface IndexLayout {
  readonly name: string
  readonly definition: string
}

export interface SideLayout {
  readonly name: string
  readonly index: IndexLayout
  readonly table: SideTable
}

/** What a model needs in the file. */
export interface TableLayout {
  readonly model: ModelDescription
  readonly name: string
  readonly columns: readonly ColumnLayout[]
  readonly sides: readonly SideLayout[]
}

export function layoutOf(model: ModelDescription): TableLayout {
  const name = mangled(model.plural)
  const values = model.values.filter((field) => isScalar(field.type)).map((field) => valueColumn(name, field))
  const relations = model.owned.filter((field) => field.kind === 'toOne').map((field) => relationColumn(name, field))
  const sides = model.owned.flatMap((field) => {
    if (field.kind !== 'toMany') return []
    const side = `${name}.${mangled(field.wire)}`
    const index = indexOf(side, ['target', 'owner'])
    return [{ name: side, index, table: { field, sql: quote(side) } }]
  })
  return { model, name, columns: [...values, ...relations], sides }
}

/** `withNulls` are the names of columns that hold NULL although the model allows none there: it did not always. */
export function tableOf(layout: TableLayout, withNulls: ReadonlySet<string>): Table {
  const columns = layout.columns.map(({ field, name, indexes, optional }): [string, Column] => {
    const nullable = optional || indexes.length === 0 || withNulls.has(name)
    const isUnique = field.kind === 'value' && field.unique
    const ascending = indexes.length > 0
    // Unique values need no index of their own to be walked backwards, nulls do.
    const descending = isUnique ? !nullable : indexes.length > 1
    return [field.name, { field, sql: quote(name), nullable, ascending, descending }]
  })
  const sides = layout.sides.map(({ table }): [string, SideTable] => [table.field.name, table])
  return { model: layout.model, sql: quote(layout.name), columns: new Map(columns), sides: new Map(sides) }
}

function valueColumn(table: string, field: ValueField): ColumnLayout {
  const isNumber = field.type.kind === 'number' || field.type.kind === 'integer'
  const source = isShown(field) ? 'text' : 'hidden'
  const name = `${source}.${mangled(field.wire)}${isNumber ? '#' : ''}`
  const indexes = field.unique
    ? [indexOf(table, [name], 'unique')]
    : field.index
      ? [indexOf(table, [name, 'id']), indexOf(table, [name, 'id'], 'descending')]
      : []
  const optional = !field.requiredOut || admitsNull(field.output)
  // Long text would stand in each row twice, to be asked seldom.
  const isStored = indexes.length > 0 || field.type.kind !== 'text'
  return { field, name, definition: definitionOf(name, source, field.wire, isNumber), isStored, indexes, optional }
}

function relationColumn(table: string, field: ToOneField): ColumnLayout {
  const name = `text.${mangled(field.wire)}`
  const definition = definitionOf(name, 'text', field.wire, false)
  const indexes = [indexOf(table, [name, 'id'])]
  return { field, name, definition, isStored: true, indexes, optional: field.optional }
}

/** REAL makes integers compare as the doubles that JavaScript knows; without a type a value stays as it is. */
function definitionOf(name: string, source: string, wire: string, isNumber: boolean): string {
  return `${quote(name)} ${isNumber ? 'real ' : ''}generated always as (${quote(source)} ->> ${pathOf([wire])})`
}

function indexOf(table: string, [first, ...others]: readonly string[], kind?: 'unique' | 'descending'): IndexLayout {
  const name = `${table}(${first}${kind ? ` ${kind}` : ''})`
  const keys = [quote(first!) + (kind === 'descending' ? ' desc' : ''), ...others.map(quote)]
  const definition = `create ${kind === 'unique' ? 'unique ' : ''}index if not exists ${quote(name)} on ${quote(table)} (${keys.join(', ')})`
  return { name, definition }
}

/** SQLite's identifiers know no upper case, the model's names do: `pageCount` becomes `page^count`. It keeps `sqlite_` to itself. */
export function mangled(name: string): string {
  return name.replace(/[A-Z]|^(?=sqlite_)/g, (letter) => `^${letter.toLowerCase()}`)
}

/** What cannot be told counts as null. */
function admitsNull(schema: JsonSchema): boolean {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternatives.some(admitsNull)
  if (schema.enum) return schema.enum.includes(null)
  if (schema.const !== undefined) return schema.const === null
  return schema.type === undefined || [schema.type].flat().includes('null')
}
