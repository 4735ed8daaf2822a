import type { JsonSchema } from '../schema/json-schema.ts'
import { withoutLocalRefs } from '../schema/local-refs.ts'
import { mapSchema } from '../schema/map-schema.ts'
import { nullable } from '../schema/nullable.ts'
import { jsonSchemaOf } from '../schema/standard-schema.ts'
import type { FieldDescription, ModelDescription, RelationField, ValueField } from './description.ts'
import { pascalOf } from './naming.ts'
import { resourceSchema } from './resource-schema.ts'

/** What clients send, or what they are sent. */
export type Direction = 'input' | 'output'

/**
 * A field as a JSON Schema: its values with nested structs and arrays, under wire names, with descriptions and examples wherever they were
 * given; relations as identifiers.
 */
export function fieldSchema(model: ModelDescription, field: FieldDescription, direction: Direction): JsonSchema {
  switch (field.kind) {
    case 'value':
      return described(field, valueSchema(model, field, direction))
    case 'resource':
      return resourceSchema(field.description)
    case 'hash':
      return described(field, { type: 'string' })
    case 'toOne':
      return described(field, field.optional ? nullable(identifierOf(field)) : identifierOf(field))
    case 'toMany':
    case 'inverse':
      return described(field, { type: 'array', items: identifierOf(field) })
  }
}

/** Names the collection it leads to, so that tools that make requests up can choose one that is there. */
function identifierOf({ target }: RelationField): JsonSchema {
  return { type: 'string', 'x-resourcery-relates-to': target.plural }
}

function described({ description }: FieldDescription, schema: JsonSchema): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

const known = new WeakMap<ValueField, Map<Direction, JsonSchema>>()

/** The same field has the same schema, so that what it refers to is written once. */
function valueSchema(model: ModelDescription, field: ValueField, direction: Direction): JsonSchema {
  const made = known.get(field) ?? new Map<Direction, JsonSchema>()
  known.set(field, made)
  const schema = made.get(direction) ?? makeValueSchema(model, field, direction)
  made.set(direction, schema)
  return schema
}

function makeValueSchema(model: ModelDescription, field: ValueField, direction: Direction): JsonSchema {
  const name = pascalOf(model.name) + pascalOf(field.wire) + (direction === 'input' ? 'Input' : '')
  const isSteady = hasSteadyDefaults(field, direction)
  const {
    default: usual,
    examples: _,
    ...rest
  } = withoutLocalRefs(withSteadyDefaults(field[direction], isSteady), name)
  const saysDefault = direction === 'input' && usual !== undefined && field.visibility === 'visible'
  return {
    ...rest,
    ...(field.examples.length > 0 && { examples: field.examples }),
    ...(saysDefault && { default: usual }),
  }
}

function hasSteadyDefaults(field: ValueField, direction: Direction): boolean {
  const text = JSON.stringify(field[direction])
  return !text.includes('"default":') || JSON.stringify(jsonSchemaOf(field.schema, direction)) === text
}

/** Defaults can be made anew each time (`() => new Date().toISOString()`): what a document says of one today is wrong tomorrow. */
function withSteadyDefaults(schema: JsonSchema, isSteady: boolean): JsonSchema {
  const { default: usual, ...rest } = mapSchema(schema, (part) => withSteadyDefaults(part, isSteady))
  return usual === undefined || !isSteady || isOfToday(usual) ? rest : { ...rest, default: usual }
}

const hours36 = 36 * 3_600_000

function isOfToday(value: unknown): boolean {
  if (typeof value === 'number') return isNear(value) || isNear(value * 1000)
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) && isNear(Date.parse(value.slice(0, 10)))
}

function isNear(time: number): boolean {
  return Math.abs(time - Date.now()) < hours36
}
