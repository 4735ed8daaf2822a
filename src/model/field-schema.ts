import { extractLocalRefs } from '../schema/extract-local-refs.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/map-subschemas.ts'
import { nullable } from '../schema/nullable.ts'
import { hasStableDefaults, isCurrentTime } from './constant-default.ts'
import type {
  FieldDescription,
  ModelDescription,
  RelationField,
  ValueField,
} from './model-description.ts'
import { toPascalCase } from './naming.ts'
import { resourceSchema } from './resource-schema.ts'

/** `input` for requests, `output` for responses. */
export type SchemaDirection = 'input' | 'output'

/**
 * The JSON Schema of a field, with its description and examples. Relations are ids.
 *
 * ```ts
 * const members = book.fields.map((field) => [field.wireName, fieldSchema(book, field, 'output')])
 * ```
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
      return withDescription(field, { type: 'string', 'x-resourcery-version': true })
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

/** Names the related collection, so that tools which generate requests can use existing ids. */
function identifierSchema({ relatedModel }: RelationField): JsonSchema {
  return { type: 'string', 'x-resourcery-relates-to': relatedModel.plural }
}

function withDescription({ description }: FieldDescription, schema: JsonSchema): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

const schemasByField = new WeakMap<ValueField, Map<SchemaDirection, JsonSchema>>()

/** Cached, so that the components inside are the same objects and documents write them once. */
function valueSchema(
  model: ModelDescription,
  field: ValueField,
  direction: SchemaDirection,
): JsonSchema {
  const byDirection = schemasByField.get(field) ?? new Map<SchemaDirection, JsonSchema>()
  schemasByField.set(field, byDirection)
  const schema = byDirection.get(direction) ?? createValueSchema(model, field, direction)
  byDirection.set(direction, schema)
  return schema
}

function createValueSchema(
  model: ModelDescription,
  field: ValueField,
  direction: SchemaDirection,
): JsonSchema {
  const name =
    toPascalCase(model.name) + toPascalCase(field.wireName) + (direction === 'input' ? 'Input' : '')
  const isStable = hasStableDefaults(field, direction)
  const {
    default: defaultValue,
    examples: _,
    ...rest
  } = extractLocalRefs(withStableDefaults(field[direction], isStable), name)
  const showsDefault =
    direction === 'input' && defaultValue !== undefined && field.visibility === 'visible'
  return {
    ...rest,
    ...(field.examples.length > 0 && { examples: field.examples }),
    ...(showsDefault && { default: defaultValue }),
  }
}

/**
 * Removes defaults that change with every call, such as `() => new Date().toISOString()`: a
 * document would show an outdated value.
 */
function withStableDefaults(schema: JsonSchema, isStable: boolean): JsonSchema {
  const { default: defaultValue, ...rest } = mapSubschemas(schema, (subschema) =>
    withStableDefaults(subschema, isStable),
  )
  return defaultValue === undefined || !isStable || isCurrentTime(defaultValue)
    ? rest
    : { ...rest, default: defaultValue }
}
