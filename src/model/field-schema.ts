import { extractLocalRefs } from '../schema/extract-local-refs.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/map-subschemas.ts'
import { nullable } from '../schema/nullable.ts'
import { jsonSchemaOf } from '../schema/standard-schema.ts'
import type {
  FieldDescription,
  ModelDescription,
  RelationField,
  ValueField,
} from './model-description.ts'
import { toPascalCase } from './naming.ts'
import { resourceSchema } from './resource-schema.ts'

/** What clients send, or what they are sent. */
export type SchemaDirection = 'input' | 'output'

/**
 * A field as a JSON Schema: its values with nested structs and arrays, under wire names, with
 * descriptions and examples wherever they were given; relations as identifiers.
 */
export function fieldSchema(
  model: ModelDescription,
  field: FieldDescription,
  direction: SchemaDirection,
): JsonSchema {
  switch (field.kind) {
    case 'value':
      return withDescription(field, valueSchema(model, field, direction))
    case 'resource':
      return resourceSchema(field.description)
    case 'hash':
      return withDescription(field, { type: 'string' })
    case 'toOne':
      return withDescription(
        field,
        field.isOptional ? nullable(identifierSchema(field)) : identifierSchema(field),
      )
    case 'toMany':
    case 'inverse':
      return withDescription(field, { type: 'array', items: identifierSchema(field) })
  }
}

/**
 * Names the collection it leads to, so that tools that make requests up can choose one that is
 * there.
 */
function identifierSchema({ relatedModel }: RelationField): JsonSchema {
  return { type: 'string', 'x-resourcery-relates-to': relatedModel.plural }
}

function withDescription({ description }: FieldDescription, schema: JsonSchema): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

const schemasByField = new WeakMap<ValueField, Map<SchemaDirection, JsonSchema>>()

/** The same field has the same schema, so that what it refers to is written once. */
function valueSchema(
  model: ModelDescription,
  field: ValueField,
  direction: SchemaDirection,
): JsonSchema {
  const made = schemasByField.get(field) ?? new Map<SchemaDirection, JsonSchema>()
  schemasByField.set(field, made)
  const schema = made.get(direction) ?? makeValueSchema(model, field, direction)
  made.set(direction, schema)
  return schema
}

function makeValueSchema(
  model: ModelDescription,
  field: ValueField,
  direction: SchemaDirection,
): JsonSchema {
  const name =
    toPascalCase(model.name) + toPascalCase(field.wireName) + (direction === 'input' ? 'Input' : '')
  const isSteady = hasStableDefaults(field, direction)
  const {
    default: usual,
    examples: _,
    ...rest
  } = extractLocalRefs(withStableDefaults(field[direction], isSteady), name)
  const saysDefault = direction === 'input' && usual !== undefined && field.visibility === 'visible'
  return {
    ...rest,
    ...(field.examples.length > 0 && { examples: field.examples }),
    ...(saysDefault && { default: usual }),
  }
}

function hasStableDefaults(field: ValueField, direction: SchemaDirection): boolean {
  const text = JSON.stringify(field[direction])
  return (
    !text.includes('"default":') || JSON.stringify(jsonSchemaOf(field.schema, direction)) === text
  )
}

/**
 * Defaults can be made anew each time (`() => new Date().toISOString()`): what a document says of
 * one today is wrong tomorrow.
 */
function withStableDefaults(schema: JsonSchema, isSteady: boolean): JsonSchema {
  const { default: usual, ...rest } = mapSubschemas(schema, (part) =>
    withStableDefaults(part, isSteady),
  )
  return usual === undefined || !isSteady || isCurrentTime(usual)
    ? rest
    : { ...rest, default: usual }
}

const currentTimeRangeMs = 36 * 3_600_000

function isCurrentTime(value: unknown): boolean {
  if (typeof value === 'number') return isNearNow(value) || isNearNow(value * 1000)
  return (
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}/.test(value) &&
    isNearNow(Date.parse(value.slice(0, 10)))
  )
}

function isNearNow(time: number): boolean {
  return Math.abs(time - Date.now()) < currentTimeRangeMs
}
