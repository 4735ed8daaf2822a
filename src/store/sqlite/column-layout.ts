import type { ModelDescription, ToOneField, ValueField } from '../../model/description.ts'
import { isScalar } from '../../model/value-type.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { isShown } from '../item-text.ts'
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
  const name = `${source}.${mangled(field.wire)}${isNumber ? '#' : ''}`
  const optional = !field.requiredOut || admitsNull(field.output)
  // Long text would stand in each row twice, to be asked seldom.
  const isStored = field.unique || field.index || isInIndex || field.type.kind !== 'text'
  return { field, name, definition: definitionOf(name, source, field.wire, isNumber), isStored, optional }
}

function relationColumn(field: ToOneField): ColumnLayout {
  const name = `text.${mangled(field.wire)}`
  const definition = definitionOf(name, 'text', field.wire, false)
  return { field, name, definition, isStored: true, optional: field.optional }
}

/** REAL makes integers compare as the doubles that JavaScript knows; without a type a value stays as it is. */
function definitionOf(name: string, source: string, wire: string, isNumber: boolean): string {
  return `${quote(name)} ${isNumber ? 'real ' : ''}generated always as (${quote(source)} ->> ${pathOf([wire])})`
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
