import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { isSchema, jsonSchemaOf, type Schema, validate } from '../../schema/standard-schema.ts'
import { codedSchema } from '../coded-schema.ts'
import type { DerivedDeclaration } from '../declare/derived-declaration.ts'
import type { FieldOptions, Timestamp } from '../declare/field.ts'
import type { ValueField } from '../model-description.ts'
import { checkWireName } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { isScalar, valueTypeOf } from '../value-type.ts'
import { findNestedResources } from './describe-resource.ts'
import { describeColumn } from './describe-storage.ts'
import { findRoundTripMismatch, hasSameInputAndOutput } from './round-trip.ts'

/** What the service makes of a value. */
interface MadeValue {
  readonly timestamp?: Timestamp | undefined
  readonly computed?: DerivedDeclaration | undefined
}

/** @throws RegistrationError if the schema is unusable or the options contradict each other */
export function describeValue(
  subject: string,
  name: string,
  declared: Schema,
  options: FieldOptions,
  { timestamp, computed }: MadeValue = {},
): ValueField {
  if (!isSchema(declared)) {
    throw new RegistrationError(
      `${subject} must be a schema (Standard Schema 1, for example zod 4) or the result of field(), derived(), rollup(), toOne(), toMany(), file(), image(), audio() or hash().`,
    )
  }
  const { schema, codec } = codedSchema(subject, declared)
  const input = schemaOf(subject, schema, 'input')
  const output = schemaOf(subject, schema, 'output')
  const type = valueTypeOf(output)
  const resources = findNestedResources(subject, schema)
  refuseContradictions(subject, options)
  const visibility = visibilityOf(options)
  if (visibility === 'visible') refuseRoundTripMismatch(subject, input, output)
  if (resources && computed)
    throw new RegistrationError(
      `${subject} has resources inside, so it cannot be computed. Clients upload them.`,
    )
  if (resources && (options.hidden || options.writeOnly))
    throw new RegistrationError(
      `${subject} has resources inside, so it cannot be ${options.hidden ? 'hidden' : 'writeOnly'}.`,
    )
  if (options.unique && !isScalar(type)) {
    throw new RegistrationError(
      `${subject} is unique, but only strings, numbers and booleans can be unique.`,
    )
  }
  if (options.missing && acceptsUndefined(schema))
    throw new RegistrationError(
      `${subject} has the option 'missing', but its schema is optional or has a default. Remove 'missing'.`,
    )
  const examples = options.example === undefined ? (output.examples ?? []) : [options.example]
  if (codec) refuseUnstableCodec(subject, schema, examples)
  if (options.backfill && resources)
    throw new RegistrationError(
      `${subject} has resources inside, so it cannot have the option 'backfill'.`,
    )
  const wireName = checkWireName(subject, name, options.wire)
  return Object.freeze({
    kind: 'value',
    name,
    wireName,
    // Nobody sets what is computed, so where a value is read, there need not be one.
    schema: computed ? optionalSchema(schema) : schema,
    codec,
    input,
    output,
    type,
    description: options.description ?? output.description,
    examples,
    isRequiredInRequest: !computed && !acceptsUndefined(schema),
    isRequiredInResponse: !allowsUndefined(schema) && options.missing === undefined,
    allowsMissing: options.missing !== undefined,
    backfill: options.backfill,
    visibility,
    from: options.from,
    hasSameInputAndOutput: hasSameInputAndOutput(input, output),
    isImmutable: options.immutable ?? false,
    timestamp,
    computed: computed && Object.freeze({ ...computed, schema }),
    isUnique: options.unique ?? false,
    isIndexed: options.index ?? options.unique ?? false,
    isFilterable: options.filter ?? true,
    isSortable: options.sort ?? true,
    nestedResources: resources,
    storage: describeColumn(subject, wireName, options),
  })
}

/** What a codec writes is stored and sent, so it has to read that, and write the same again. */
function refuseUnstableCodec(subject: string, schema: Schema, examples: readonly unknown[]): void {
  for (const example of [undefined, ...examples]) {
    const written = validate(schema, example)
    if (written instanceof Promise || (example === undefined && written.kind === 'invalid'))
      continue
    if (written.kind === 'valid' && written.value === undefined) continue
    const again = written.kind === 'valid' ? validate(schema, written.value) : written
    if (again instanceof Promise) continue
    if (again.kind === 'valid' && isDeepStrictEqual(again, written)) continue
    throw new RegistrationError(
      `${subject} has a codec that cannot read ${JSON.stringify(example ?? 'its default')} and write it back. Its 'decode' must accept what its 'encode' returns, and lead to the same value again.`,
    )
  }
}

/** The schema that leaves no value as it is. */
function optionalSchema(schema: Schema): Schema {
  const { vendor, validate: validateValue } = schema['~standard']
  return Object.freeze({
    '~standard': {
      version: 1 as const,
      vendor,
      validate: (value: unknown) => (value === undefined ? { value } : validateValue(value)),
    },
  })
}

function schemaOf(subject: string, schema: Schema, direction: 'input' | 'output'): JsonSchema {
  try {
    return jsonSchemaOf(schema, direction)
  } catch (cause) {
    throw new RegistrationError(
      `${subject} has values that JSON cannot represent (${(cause as Error).message}). Use a JSON type, dateTime({ date: true }) for dates, or a codec that works in both directions, such as z.codec().`,
      { cause },
    )
  }
}

/** A client can send back every value that it received, under every policy. */
function refuseRoundTripMismatch(subject: string, input: JsonSchema, output: JsonSchema): void {
  const mismatch = findRoundTripMismatch(input, output)
  if (!mismatch) return
  const path = mismatch.path.length === 0 ? '' : ` at '${mismatch.path.join('.')}'`
  throw new RegistrationError(
    `${subject} has the input type ${mismatch.inputType} but the output type ${mismatch.outputType}${path}, so clients cannot send back what they receive. Accept both types, or make the field readOnly or writeOnly.`,
  )
}

function refuseContradictions(
  subject: string,
  { hidden, readOnly, writeOnly, from }: FieldOptions,
): void {
  const flags = Object.entries({ hidden, readOnly, writeOnly }).filter(([, isSet]) => isSet)
  if (flags.length > 1) {
    throw new RegistrationError(
      `${subject} is ${flags.map(([option]) => option).join(' and ')}. Use one of them.`,
    )
  }
  if (writeOnly && from)
    throw new RegistrationError(
      `${subject} is writeOnly, so its value cannot come from the request. Remove 'from', or make the field hidden.`,
    )
  checkFrom(subject, from)
}

/** @throws RegistrationError for anything but a function */
export function checkFrom(subject: string, from: unknown): void {
  if (from !== undefined && typeof from !== 'function')
    throw new RegistrationError(
      `The option 'from' of ${subject} must be a function of the request, such as ({ state }) => state.get(caller)?.id.`,
    )
}

function visibilityOf({
  hidden,
  readOnly,
  writeOnly,
  from,
}: FieldOptions): ValueField['visibility'] {
  if (hidden) return 'hidden'
  if (readOnly || from) return 'readOnly'
  return writeOnly ? 'writeOnly' : 'visible'
}

/** An optional value or a default accepts `undefined`. */
function acceptsUndefined(schema: Schema): boolean {
  const result = schema['~standard'].validate(undefined)
  return !(result instanceof Promise) && !result.issues
}

/** Does the validator accept `undefined` and return it, without a default? */
export function allowsUndefined(schema: Schema): boolean {
  const result = schema['~standard'].validate(undefined)
  return !(result instanceof Promise) && !result.issues && result.value === undefined
}
