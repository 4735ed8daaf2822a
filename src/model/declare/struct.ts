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
import type { ResourceDefinition } from './resource.ts'

/** What a struct is made of: values, and binary resources. */
export type StructMembers = Readonly<Record<string, Schema | ResourceDefinition>>

type MemberValue<M> = M extends ResourceDefinition
  ? BinaryResource | null
  : M extends Schema
    ? OutputOf<M>
    : never

type OptionalMembers<M extends StructMembers> = {
  [K in keyof M]: undefined extends MemberValue<M[K]> ? K : never
}[keyof M]

type Flatten<T> = { [K in keyof T]: T[K] } & {}

/** The value of a struct, as the model's code sees it. */
export type StructValue<M extends StructMembers> = Flatten<
  { [K in Exclude<keyof M, OptionalMembers<M>>]: MemberValue<M[K]> } & {
    [K in OptionalMembers<M>]?: Exclude<MemberValue<M[K]>, undefined> | undefined
  }
>

export interface StructOptions {
  /** May it be absent? False unless given. */
  readonly optional?: boolean
  readonly description?: string
}

/**
 * A schema that knows its members, so that binary resources inside have addresses:
 * `/books/:id/jacket/scan`.
 */
export interface StructSchema<M extends StructMembers = StructMembers, Value = StructValue<M>>
  extends Schema<unknown, Value> {
  readonly kind: 'struct'
  readonly members: M
}

/** A schema that knows what it lists: `/books/:id/editions/:index/scan`. */
export interface ListSchema<S extends Schema = Schema> extends Schema<unknown, OutputOf<S>[]> {
  readonly kind: 'list'
  readonly items: S
}

/**
 * An object whose members may be binary resources, beside values of any schema. Without resources,
 * an object schema of any validator does.
 *
 * ```ts
 * const jacket = struct({ designer: z.string(), scan: image() }, { optional: true })
 * ```
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
 * An array of such objects; one that is absent is empty. A client that replaces the array sends
 * each resource that is to stay back as it was given, in the object that is to hold it.
 *
 * ```ts
 * const editions = list(struct({ format: z.string(), year: z.int(), scan: image() }))
 * ```
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
      `The member '${name}' of a struct is neither a schema (Standard Schema 1, such as zod 4's) nor made by file(), image() or audio().`,
    )
  }
}

type SchemaDirection = 'input' | 'output'
type MaybeAsyncValidation = ValidationResult | Promise<ValidationResult>

function createSchema<K extends object, Value>(
  own: K,
  check: (value: unknown) => MaybeAsyncValidation,
  jsonSchema: (direction: SchemaDirection) => JsonSchema,
): K & Schema<unknown, Value> {
  return Object.freeze({
    ...own,
    '~standard': {
      version: 1 as const,
      vendor: 'resourcery',
      validate: (value: unknown) => {
        const checked = check(value)
        return checked instanceof Promise
          ? checked.then(toStandardResult<Value>)
          : toStandardResult<Value>(checked)
      },
      jsonSchema: { input: () => jsonSchema('input'), output: () => jsonSchema('output') },
    },
  })
}

function toStandardResult<Value>(checked: ValidationResult) {
  return checked.kind === 'valid' ? { value: checked.value as Value } : { issues: checked.issues }
}

function validResult(value: unknown): ValidationResult {
  return { kind: 'valid', value }
}

function invalidResult(message: string): ValidationResult {
  return { kind: 'invalid', issues: [{ path: [], message }] }
}

/** Resources pass as they are: only the service can make one. */
function validateStruct(members: StructMembers, value: unknown): MaybeAsyncValidation {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalidResult('expected an object')
  const given = value as Readonly<Record<string, unknown>>
  const checks = Object.entries(members).map(([name, member]): [string, MaybeAsyncValidation] => {
    const one = Object.hasOwn(given, name) ? given[name] : undefined
    return [
      name,
      isSchema(member)
        ? validate(member, one)
        : validResult(one instanceof StoredResource ? one : null),
    ]
  })
  return combineResults(checks, (found) =>
    Object.fromEntries(found.filter(([, one]) => one !== undefined)),
  )
}

function validateList(items: Schema, value: unknown): MaybeAsyncValidation {
  if (!Array.isArray(value)) return invalidResult('expected an array')
  const checks: [number, MaybeAsyncValidation][] = []
  let issues = 0
  for (const [index, one] of value.entries()) {
    // What follows is not looked at any more.
    if (issues >= maxIssues) break
    const checked = validate(items, one)
    if ('kind' in checked && checked.kind === 'invalid') issues += checked.issues.length
    checks.push([index, checked])
  }
  return combineResults(checks, (found) => found.map(([, one]) => one))
}

/** The values where all are valid, else every fault with the way to it. */
function combineResults<Step extends string | number>(
  checks: readonly (readonly [Step, MaybeAsyncValidation])[],
  joined: (found: readonly (readonly [Step, unknown])[]) => unknown,
): MaybeAsyncValidation {
  if (checks.some(([, one]) => one instanceof Promise)) {
    const awaited = checks.map(
      async ([step, one]): Promise<[Step, ValidationResult]> => [step, await one],
    )
    return Promise.all(awaited).then((done) => combineResults(done, joined))
  }
  const done = checks as readonly (readonly [Step, ValidationResult])[]
  const issues = done.flatMap(([step, one]) =>
    one.kind === 'valid'
      ? []
      : one.issues.map((issue) => ({ ...issue, path: [step, ...issue.path] })),
  )
  if (issues.length > 0) return { kind: 'invalid', issues }
  return validResult(
    joined(done.map(([step, one]) => [step, one.kind === 'valid' ? one.value : undefined])),
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

/** Resources are always there in what is sent, if only as null; clients need not send them. */
function isRequired(member: Schema | ResourceDefinition, direction: SchemaDirection): boolean {
  if (!isSchema(member)) return direction === 'output'
  const absent = validate(member, undefined)
  if (absent instanceof Promise || absent.kind === 'invalid') return true
  return direction === 'output' && absent.value !== undefined
}

function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}
