import type { JsonSchema } from '../../schema/json-schema.ts'
import { mapSubschemas } from '../../schema/map-subschemas.ts'

/**
 * A part of a schema whose output type is not an input type, so that clients cannot send it back.
 */
export interface RoundTripMismatch {
  /** The member names that lead to it; empty for the value itself. */
  readonly path: readonly string[]
  readonly outputType: string
  readonly inputType: string
}

/** Undefined if the schema accepts every type that it returns, as far as JSON Schema can tell. */
export function findRoundTripMismatch(
  input: JsonSchema,
  output: JsonSchema,
  path: readonly string[] = [],
): RoundTripMismatch | undefined {
  if (isComposedSchema(input) || isComposedSchema(output)) return undefined
  const outputs = output.anyOf ?? output.oneOf
  if (outputs)
    return findFirst(outputs, (alternative) => findRoundTripMismatch(input, alternative, path))
  const inputs = input.anyOf ?? input.oneOf
  if (inputs) {
    const mismatches = inputs.map((alternative) => findRoundTripMismatch(alternative, output, path))
    return mismatches.includes(undefined)
      ? undefined
      : mismatches.reduce((first, second) => deeperMismatch(first!, second!))
  }
  const types = { input: typesOf(input), output: typesOf(output) }
  const isAccepted = (type: string) =>
    types.input!.includes(type) || (type === 'integer' && types.input!.includes('number'))
  if (types.input && types.output && !types.output.every(isAccepted))
    return { path, outputType: types.output.join(' or '), inputType: types.input.join(' or ') }
  const members = Object.entries(output.properties ?? {})
  return (
    findFirst(members, ([name, outputMember]) => {
      const inputMember = input.properties?.[name]
      return inputMember && findRoundTripMismatch(inputMember, outputMember, [...path, name])
    }) ??
    findMismatchInSubschema(input.items, output.items, [...path, '*']) ??
    findMismatchInSubschema(input.additionalProperties, output.additionalProperties, [...path, '*'])
  )
}

/**
 * Does a schema accept its own output unchanged, as far as JSON Schema can tell? A stored value can
 * then be validated again. A schema with a transformation may not accept what it returned.
 */
export function hasSameInputAndOutput(input: JsonSchema, output: JsonSchema): boolean {
  return JSON.stringify(withoutDefaults(input)) === JSON.stringify(withoutDefaults(output))
}

/** Removes the keywords that differ between input and output of a schema without transformation. */
function withoutDefaults(schema: JsonSchema): JsonSchema {
  const {
    default: _,
    required: __,
    additionalProperties,
    ...rest
  } = mapSubschemas(schema, withoutDefaults)
  return typeof additionalProperties === 'object' ? { ...rest, additionalProperties } : rest
}

function isComposedSchema({ $ref, component, allOf }: JsonSchema): boolean {
  return $ref !== undefined || component !== undefined || allOf !== undefined
}

/** Undefined if any type is allowed. */
function typesOf({ type, enum: values, const: value }: JsonSchema): readonly string[] | undefined {
  if (type !== undefined) return [type].flat()
  if (values) return [...new Set(values.map(jsonTypeOf))]
  return value === undefined ? undefined : [jsonTypeOf(value)]
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

function findMismatchInSubschema(
  input: JsonSchema | boolean | undefined,
  output: JsonSchema | boolean | undefined,
  path: readonly string[],
): RoundTripMismatch | undefined {
  return typeof input === 'object' && typeof output === 'object'
    ? findRoundTripMismatch(input, output, path)
    : undefined
}

/** The deeper mismatch belongs to the alternative that was probably meant. */
function deeperMismatch(first: RoundTripMismatch, second: RoundTripMismatch): RoundTripMismatch {
  return second.path.length > first.path.length ? second : first
}

function findFirst<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const result = find(value)
    if (result !== undefined) return result
  }
  return undefined
}
