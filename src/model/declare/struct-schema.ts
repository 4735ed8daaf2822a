import type { JsonSchema } from '../../schema/json-schema.ts'
import {
  isSchema,
  jsonSchemaOf,
  type Schema,
  type ValidationResult,
  validate,
} from '../../schema/standard-schema.ts'
import { resourceSchema } from '../resource-schema.ts'
import type { ResourceDefinition } from './resource.ts'
import type { StructMembers } from './struct-members.ts'
import type { MaybeAsyncValidation } from './struct-validation.ts'

type SchemaDirection = 'input' | 'output'

/** A schema (Standard Schema 1) with these members, which checks values by a function. */
export function createSchema<K extends object, Value>(
  members: K,
  check: (value: unknown) => MaybeAsyncValidation,
  jsonSchema: (direction: SchemaDirection) => JsonSchema,
): K & Schema<unknown, Value> {
  return Object.freeze({
    ...members,
    '~standard': {
      version: 1 as const,
      vendor: 'resourcery',
      validate: (value: unknown) => {
        const result = check(value)
        return result instanceof Promise
          ? result.then(toStandardResult<Value>)
          : toStandardResult<Value>(result)
      },
      jsonSchema: { input: () => jsonSchema('input'), output: () => jsonSchema('output') },
    },
  })
}

function toStandardResult<Value>(result: ValidationResult) {
  return result.kind === 'valid' ? { value: result.value as Value } : { issues: result.issues }
}

/** The JSON Schema of a struct. */
export function structSchema(members: StructMembers, direction: SchemaDirection): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const [name, member] of Object.entries(members)) {
    properties[name] = isSchema(member)
      ? jsonSchemaOf(member, direction)
      : resourceSchema(member.options.description)
    if (isRequired(member, direction)) required.push(name)
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Responses always have a resource, which may be null; requests need not have it. */
function isRequired(member: Schema | ResourceDefinition, direction: SchemaDirection): boolean {
  if (!isSchema(member)) return direction === 'output'
  const result = validate(member, undefined)
  if (result instanceof Promise || result.kind === 'invalid') return true
  return direction === 'output' && result.value !== undefined
}

export function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}
