import type { ModelDescription, ToOneField, ValueField } from '../../model/description.ts'
import { isInstant, isScalar } from '../../model/value-type.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { isShown } from '../item-text.ts'
import { pathOf, quote } from './dialect.ts'
import { instantSql } from './instant-sql.ts'

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
  /** May absent and null values be in it, as the model says? */
  readonly optional: boolean
}

/** A column for each field that can be compared. */
export function columnLayouts(model: ModelDescription): readonly ColumnLayout[] {
  const inIndexes = new Set<unknown>(model.indexes.flatMap(({ keys }) => keys.map((key) => key.field)))
  const values = model.values.filter((field) => isScalar(field.type))
  const relations = model.owned.filter((field) => field.kind === 'toOne')
  return [...values.map((field) => valueColumn(field, inIndexes.has(field))), ...relations.map(relationColumn)]
}

function valueColumn(field: ValueField, isInIndex: boolean): ColumnLayout {
  const isNumber = field.type.kind === 'number' || field.type.kind === 'integer'
  const source = isShown(field) ? 'text' : 'hidden'
  const name = `${source}.${mangled(field.wire)}${isNumber ? '#' : isInstant(field.type) ? '@' : ''}`
  const optional = !field.requiredOut || admitsNull(field.output)
  // Long text would stand in each row twice, to be asked seldom.
  const isStored = field.unique || field.index || isInIndex || field.type.kind !== 'text' || isInstant(field.type)
  return { field, name, definition: valueDefinition(name, source, field), isStored, optional }
}

function relationColumn(field: ToOneField): ColumnLayout {
  const name = `text.${mangled(field.wire)}`
  const definition = definitionOf(name, `(${quote('text')} ->> ${pathOf([field.wire])})`)
  return { field, name, definition, isStored: true, optional: field.optional }
}

/** REAL makes integers compare as the doubles that JavaScript knows; without a type a value stays as it is. */
function valueDefinition(name: string, source: string, { wire, type }: ValueField): string {
  const value = `(${quote(source)} ->> ${pathOf([wire])})`
  if (isInstant(type)) return definitionOf(name, instantSql(value))
  return definitionOf(name, value, type.kind === 'number' || type.kind === 'integer' ? 'real ' : '')
}

function definitionOf(name: string, expression: string, type = ''): string {
  return `${quote(name)} ${type}generated always as ${expression}`
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
