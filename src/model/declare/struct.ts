import type { JsonSchema } from '../../schema/json-schema.ts'
import {
  isSchema,
  jsonSchemaOf,
  maxIssues,
  type OutputOf,
  type Schema,
  type ValidationResult,
  validate,
} from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import { isMemberName, memberNameRules } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { resourceSchema } from '../resource-schema.ts'
import { type BinaryResource, StoredResource } from '../stored-resource.ts'
import type { Flatten } from './flatten.ts'
import type { ResourceDefinition } from './resource.ts'

/** The members of a struct: schemas and binary resources. */
export type StructMembers = Readonly<Record<string, Schema | ResourceDefinition>>

export type MemberValue<M> = M extends ResourceDefinition
  ? BinaryResource | null
  : M extends Schema
    ? OutputOf<M>
    : never

export type OptionalMembers<M extends StructMembers> = {
  [K in keyof M]: undefined extends MemberValue<M[K]> ? K : never
}[keyof M]

/** The value of a struct in the code of the model. */
export type StructValue<M extends StructMembers> = Flatten<
  { [K in Exclude<keyof M, OptionalMembers<M>>]: MemberValue<M[K]> } & {
    [K in OptionalMembers<M>]?: Exclude<MemberValue<M[K]>, undefined> | undefined
  }
>

export interface StructOptions {
  /** Can it be absent? Default: false. */
  readonly optional?: boolean
  /** What the struct is, for the OpenAPI document. Default: none. */
  readonly description?: string
}

/** A schema with known members, so that a resource inside has a URL: `/books/:id/jacket/scan`. */
export interface StructSchema<M extends StructMembers = StructMembers, Value = StructValue<M>>
  extends Schema<unknown, Value> {
  readonly kind: 'struct'
  readonly members: M
}

/** A list of structs, so that a resource inside has a URL: `/books/:id/editions/:index/scan`. */
export interface ListSchema<S extends Schema = Schema> extends Schema<unknown, OutputOf<S>[]> {
  readonly kind: 'list'
  readonly items: S
}

/**
 * Declares an object whose members can be binary resources. For an object without resources, use
 * the object schema of your validator.
 *
 * ```ts
 * const jacket = struct({ designer: z.string(), scan: image() }, { optional: true })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option or member
 */
export function struct<
  const M extends StructMembers,
  const O extends StructOptions = StructOptions,
>(
  members: M,
  options?: O,
): StructSchema<
  M,
  O extends { readonly optional: true } ? StructValue<M> | undefined : StructValue<M>
> {
  checkMembers(members)
  if (options) checkOptions('struct()', options, structOptions)
  const { optional = false, description } = options ?? {}
  return createSchema(
    { kind: 'struct', members },
    (value) =>
      value === undefined && optional ? validResult(undefined) : validateStruct(members, value),
    (direction) => withDescription(structSchema(members, direction), description),
  )
}

/**
 * Declares an array of structs. Its default is the empty array. To keep a resource, a client that
 * replaces the array sends it back as it received it, in the object that it now belongs to.
 *
 * ```ts
 * const editions = list(struct({ format: z.string(), year: z.int(), scan: image() }))
 * ```
 *
 * @throws RegistrationError for an unknown option
 */
export function list<S extends Schema>(
  items: S,
  options: { readonly description?: string } = {},
): ListSchema<S> {
  checkOptions('list()', options, listOptions)
  return createSchema(
    { kind: 'list', items },
    (value) => (value === undefined ? validResult([]) : validateList(items, value)),
    (direction) =>
      withDescription(
        { type: 'array', items: jsonSchemaOf(items, direction) },
        options.description,
      ),
  )
}

const structOptions: OptionChecks<StructOptions> = { optional: 'boolean', description: true }
const listOptions: OptionChecks<{ readonly description?: string }> = { description: true }

export function isStruct(schema: unknown): schema is StructSchema {
  return isSchema(schema) && 'kind' in schema && schema.kind === 'struct'
}

export function isList(schema: unknown): schema is ListSchema {
  return isSchema(schema) && 'kind' in schema && schema.kind === 'list'
}

function checkMembers(members: StructMembers): void {
  for (const [name, member] of Object.entries(members)) {
    if (!isMemberName(name))
      throw new RegistrationError(`A struct cannot have a member '${name}': ${memberNameRules}.`)
    if (isSchema(member) || (typeof member === 'object' && member?.kind === 'resource')) continue
    throw new RegistrationError(
      `The member '${name}' of a struct must be a schema (Standard Schema 1, for example zod 4) or the result of file(), image() or audio().`,
    )
  }
}

type SchemaDirection = 'input' | 'output'
type MaybeAsyncValidation = ValidationResult | Promise<ValidationResult>

function createSchema<K extends object, Value>(
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

function validResult(value: unknown): ValidationResult {
  return { kind: 'valid', value }
}

function invalidResult(message: string): ValidationResult {
  return { kind: 'invalid', issues: [{ path: [], message }] }
}

/** A resource needs no validation: only the service can create a `StoredResource`. */
function validateStruct(members: StructMembers, value: unknown): MaybeAsyncValidation {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalidResult('expected an object')
  const object = value as Readonly<Record<string, unknown>>
  const results = Object.entries(members).map(([name, member]): [string, MaybeAsyncValidation] => {
    const memberValue = Object.hasOwn(object, name) ? object[name] : undefined
    return [
      name,
      isSchema(member)
        ? validate(member, memberValue)
        : validResult(memberValue instanceof StoredResource ? memberValue : null),
    ]
  })
  return combineResults(results, (entries) =>
    Object.fromEntries(entries.filter(([, entry]) => entry !== undefined)),
  )
}

function validateList(items: Schema, value: unknown): MaybeAsyncValidation {
  if (!Array.isArray(value)) return invalidResult('expected an array')
  const results: [number, MaybeAsyncValidation][] = []
  let issueCount = 0
  for (const [index, item] of value.entries()) {
    if (issueCount >= maxIssues) break
    const result = validate(items, item)
    if ('kind' in result && result.kind === 'invalid') issueCount += result.issues.length
    results.push([index, result])
  }
  return combineResults(results, (entries) => entries.map(([, item]) => item))
}

/** The combined value if all results are valid, else all issues with their paths. */
function combineResults<Step extends string | number>(
  results: readonly (readonly [Step, MaybeAsyncValidation])[],
  combine: (entries: readonly (readonly [Step, unknown])[]) => unknown,
): MaybeAsyncValidation {
  if (results.some(([, result]) => result instanceof Promise)) {
    const pending = results.map(
      async ([step, result]): Promise<[Step, ValidationResult]> => [step, await result],
    )
    return Promise.all(pending).then((settled) => combineResults(settled, combine))
  }
  const settled = results as readonly (readonly [Step, ValidationResult])[]
  const issues = settled.flatMap(([step, result]) =>
    result.kind === 'valid'
      ? []
      : result.issues.map((issue) => ({ ...issue, path: [step, ...issue.path] })),
  )
  if (issues.length > 0) return { kind: 'invalid', issues }
  return validResult(
    combine(
      settled.map(([step, result]) => [step, result.kind === 'valid' ? result.value : undefined]),
    ),
  )
}

function structSchema(members: StructMembers, direction: SchemaDirection): JsonSchema {
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

function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}
