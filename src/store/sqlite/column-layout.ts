import type { ModelDescription, ToOneField, ValueField } from '../../model/model-description.ts'
import { isInstant, isScalar } from '../../model/value-type.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { jsonPathSql, quoteIdentifier } from './dialect.ts'
import { instantSql } from './instant-sql.ts'

/**
 * A generated column. Its name determines its expression, so that a changed field gets a new
 * column.
 */
export interface ColumnLayout {
  readonly field: ValueField | ToOneField
  readonly name: string
  /** Its definition, without `stored` or `virtual`. */
  readonly definition: string
  /**
   * True to store the value in the row of a new table, so that conditions read it without parsing
   * the text. SQLite adds only virtual columns to existing tables.
   */
  readonly isStored: boolean
  /** Does the model allow absent or null values? */
  readonly isOptional: boolean
}

/** A column for each field that can be compared. */
export function columnLayouts(model: ModelDescription): readonly ColumnLayout[] {
  const inIndexes = new Set<unknown>(
    model.indexes.flatMap(({ keys }) => keys.map((key) => key.field)),
  )
  const values = model.valueFields.filter((field) => isScalar(field.type))
  const relations = model.ownedRelations.filter((field) => field.kind === 'toOne')
  return [
    ...values.map((field) => valueColumn(field, inIndexes.has(field))),
    ...relations.map(relationColumn),
  ]
}

function valueColumn(field: ValueField, isInIndex: boolean): ColumnLayout {
  const isNumber = field.type.kind === 'number' || field.type.kind === 'integer'
  const source = isShown(field) ? 'text' : 'hidden'
  const name = `${source}.${mangleName(field.wireName)}${isNumber ? '#' : isInstant(field.type) ? '@' : ''}`
  const isOptional = !field.isRequiredInResponse || admitsNull(field.output)
  // Text without an index is not stored: it may be long, and few queries compare it.
  const isStored =
    field.isUnique ||
    field.isIndexed ||
    isInIndex ||
    field.type.kind !== 'text' ||
    isInstant(field.type)
  return {
    field,
    name,
    definition: valueDefinition(name, source, field),
    isStored,
    isOptional,
  }
}

function relationColumn(field: ToOneField): ColumnLayout {
  const name = `text.${mangleName(field.wireName)}`
  const definition = definitionOf(
    name,
    `(${quoteIdentifier('text')} ->> ${jsonPathSql([field.wireName])})`,
  )
  return { field, name, definition, isStored: true, isOptional: field.isOptional }
}

/** REAL makes integers compare as JavaScript numbers; without a type a value is not converted. */
function valueDefinition(name: string, source: string, { wireName, type }: ValueField): string {
  const value = `(${quoteIdentifier(source)} ->> ${jsonPathSql([wireName])})`
  if (isInstant(type)) return definitionOf(name, instantSql(value))
  return definitionOf(name, value, type.kind === 'number' || type.kind === 'integer' ? 'real ' : '')
}

function definitionOf(name: string, expression: string, type = ''): string {
  return `${quoteIdentifier(name)} ${type}generated always as ${expression}`
}

/**
 * SQLite ignores case in identifiers, models do not: `pageCount` becomes `page^count`. The prefix
 * `sqlite_` is reserved.
 */
export function mangleName(name: string): string {
  return name.replace(/[A-Z]|^(?=sqlite_)/g, (letter) => `^${letter.toLowerCase()}`)
}

/** A schema without a type counts as nullable. */
function admitsNull(schema: JsonSchema): boolean {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternatives.some(admitsNull)
  if (schema.enum) return schema.enum.includes(null)
  if (schema.const !== undefined) return schema.const === null
  return schema.type === undefined || [schema.type].flat().includes('null')
}
