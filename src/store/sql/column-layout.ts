import type { ModelDescription, ToOneField, ValueField } from '../../model/model-description.ts'
import { isRequiredRelation } from '../../model/relation-kinds.ts'
import { comparedAs, isScalar, plainText, type ScalarType } from '../../model/value-type.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import type { DocumentDialect } from './document-dialect.ts'
import type { DocumentColumn } from './table.ts'

/**
 * A column for a value of a document. Its name determines its expression, so that a changed field
 * gets a new column.
 */
export interface ColumnLayout {
  readonly field: ValueField | ToOneField
  readonly name: string
  /** Empty where the engine needs none. */
  readonly type: string
  readonly source: DocumentColumn
  /** The value of the column in a document. */
  valueIn(document: string): string
  /**
   * True to store the value in the row of a new table, so that conditions read it without parsing
   * the text. A table that exists gets virtual generated columns only.
   */
  readonly isStored: boolean
  /** Does the model allow absent or null values? */
  readonly isOptional: boolean
}

/** A column for each field that can be compared. */
export function columnLayouts(
  dialect: DocumentDialect,
  model: ModelDescription,
): readonly ColumnLayout[] {
  const inIndexes = new Set<unknown>([
    ...model.indexes.flatMap(({ keys }) => keys.map((key) => key.field)),
    ...model.uniqueSets.flatMap(({ fields, where }) => [
      ...fields,
      ...where.map(({ field }) => field),
    ]),
  ])
  const values = model.valueFields.filter((field) => isScalar(field.type))
  const relations = model.ownedRelations.filter((field) => field.kind === 'toOne')
  return [
    ...values.map((field) => valueColumn(dialect, field, inIndexes.has(field))),
    ...relations.map((field) => relationColumn(dialect, field)),
  ]
}

function valueColumn(
  dialect: DocumentDialect,
  field: ValueField,
  isInIndex: boolean,
): ColumnLayout {
  const isNumber = field.type.kind === 'number' || field.type.kind === 'integer'
  const form = comparedAs(field.type)
  const source = isShown(field) ? 'text' : 'hidden'
  const name = `${source}.${dialect.identifier(field.wireName)}${isNumber ? '#' : form === undefined ? '' : formMarks[form]}`
  const isOptional = !field.isRequiredInResponse || admitsNull(field.output)
  // Text without an index is not stored: it may be long, and few queries compare it.
  const isStored =
    field.isUnique ||
    field.isIndexed ||
    isInIndex ||
    field.type.kind !== 'text' ||
    form !== undefined
  const type = field.type as ScalarType
  return {
    field,
    name,
    type: dialect.columnType(type),
    source,
    valueIn: (document) => dialect.columnValue(document, [field.wireName], type),
    isStored,
    isOptional,
  }
}

/** Another form of a value is another column. */
const formMarks = { instant: '@', decimal: '$' } as const

function relationColumn(dialect: DocumentDialect, field: ToOneField): ColumnLayout {
  const name = `text.${dialect.identifier(field.wireName)}`
  return {
    field,
    name,
    type: dialect.columnType(plainText),
    source: 'text',
    valueIn: (document) => dialect.columnValue(document, [field.wireName], plainText),
    isStored: true,
    isOptional: !isRequiredRelation(field),
  }
}

/** A schema without a type counts as nullable. */
export function admitsNull(schema: JsonSchema): boolean {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternatives.some(admitsNull)
  if (schema.enum) return schema.enum.includes(null)
  if (schema.const !== undefined) return schema.const === null
  return schema.type === undefined || [schema.type].flat().includes('null')
}
