import type { JsonSchema } from '../../schema/json-schema.ts'
import { isSchema, jsonSchemaOf, type Schema } from '../../schema/standard-schema.ts'
import type { FieldOptions } from '../declare/field.ts'
import type { ValueField } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isScalar, valueTypeOf } from '../value-type.ts'
import { checkWireName } from './check-wire-name.ts'
import { findNestedResources } from './describe-resource.ts'
import { findRoundTripMismatch, hasSameInputAndOutput } from './round-trip.ts'

/**
 * Reads a value field off its schema and options, and refuses options that contradict each other.
 */
export function describeValue(
  place: string,
  name: string,
  schema: Schema,
  options: FieldOptions,
): ValueField {
  if (!isSchema(schema)) {
    throw new RegistrationError(
      `${place} is neither a schema (Standard Schema 1, such as zod 4's) nor made by field(), a relation, a resource or hash().`,
    )
  }
  const input = schemaOf(place, schema, 'input')
  const output = schemaOf(place, schema, 'output')
  const type = valueTypeOf(output)
  const resources = findNestedResources(place, schema)
  refuseContradictions(place, options)
  const visibility = visibilityOf(options)
  if (visibility === 'visible') refuseRoundTripMismatch(place, input, output)
  if (resources && (options.hidden || options.writeOnly))
    throw new RegistrationError(
      `${place} holds resources, so it cannot be ${options.hidden ? 'hidden' : 'writeOnly'}.`,
    )
  if (options.unique && !isScalar(type)) {
    throw new RegistrationError(
      `${place} is unique, but its values are no text, numbers or booleans, so they cannot be compared.`,
    )
  }
  return Object.freeze({
    kind: 'value',
    name,
    wireName: checkWireName(place, name, options.wire),
    schema,
    input,
    output,
    type,
    description: options.description ?? output.description,
    examples: options.example === undefined ? (output.examples ?? []) : [options.example],
    isRequiredInRequest: !acceptsUndefined(schema),
    isRequiredInResponse: !allowsUndefined(schema),
    visibility,
    hasSameInputAndOutput: hasSameInputAndOutput(input, output),
    isUnique: options.unique ?? false,
    isIndexed: options.index ?? options.unique ?? false,
    isFilterable: options.filter ?? true,
    isSortable: options.sort ?? true,
    nestedResources: resources,
  })
}

function schemaOf(place: string, schema: Schema, direction: 'input' | 'output'): JsonSchema {
  try {
    return jsonSchemaOf(schema, direction)
  } catch (cause) {
    throw new RegistrationError(
      `${place} has values that JSON cannot hold (${(cause as Error).message}); store them in a JSON form, for example dates as ISO 8601 text.`,
      { cause },
    )
  }
}

/** What clients are given they can send back, under every policy. */
function refuseRoundTripMismatch(place: string, input: JsonSchema, output: JsonSchema): void {
  const misread = findRoundTripMismatch(input, output)
  if (!misread) return
  const at = misread.path.length === 0 ? '' : ` (at '${misread.path.join('.')}')`
  throw new RegistrationError(
    `${place} gives ${misread.outputType} where it takes ${misread.inputType}${at}: a client could not send back what it was given. Let its schema take both, or make it readOnly or writeOnly.`,
  )
}

function refuseContradictions(place: string, { hidden, readOnly, writeOnly }: FieldOptions): void {
  const given = Object.entries({ hidden, readOnly, writeOnly }).filter(([, on]) => on)
  if (given.length > 1) {
    throw new RegistrationError(
      `${place} is ${given.map(([option]) => option).join(' and ')}; choose one of them.`,
    )
  }
}

function visibilityOf({ hidden, readOnly, writeOnly }: FieldOptions): ValueField['visibility'] {
  if (hidden) return 'hidden'
  if (readOnly) return 'readOnly'
  return writeOnly ? 'writeOnly' : 'visible'
}

/** Absence is what the validator says of `undefined`: a default or an optional value accepts it. */
function acceptsUndefined(schema: Schema): boolean {
  const result = schema['~standard'].validate(undefined)
  return !(result instanceof Promise) && !result.issues
}

/** Is absence left as it is: neither refused nor filled in? */
export function allowsUndefined(schema: Schema): boolean {
  const result = schema['~standard'].validate(undefined)
  return !(result instanceof Promise) && !result.issues && result.value === undefined
}
