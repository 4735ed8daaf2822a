import { withCodec } from '../../schema/schema-codec.ts'
import { isSchema, jsonSchemaOf, type OutputOf, type Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import { isMemberName, memberNameRules } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { codedItems, codedMembers } from './struct-codec.ts'
import type { StructMembers, StructValue } from './struct-members.ts'
import { createSchema, structSchema, withDescription } from './struct-schema.ts'
import { validateList, validateStruct, validResult } from './struct-validation.ts'

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
  const { members: jsonMembers, codec } = codedMembers(members)
  const schema = createSchema<Pick<StructSchema<M>, 'kind' | 'members'>, StructValue<M>>(
    { kind: 'struct', members: jsonMembers as M },
    (value) =>
      value === undefined && optional ? validResult(undefined) : validateStruct(jsonMembers, value),
    (direction) => withDescription(structSchema(jsonMembers, direction), description),
  )
  return withCodec(schema, codec)
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
  const { items: jsonItems, codec } = codedItems(items)
  const schema = createSchema<Pick<ListSchema<S>, 'kind' | 'items'>, OutputOf<S>[]>(
    { kind: 'list', items: jsonItems as S },
    (value) => (value === undefined ? validResult([]) : validateList(jsonItems, value)),
    (direction) =>
      withDescription(
        { type: 'array', items: jsonSchemaOf(jsonItems, direction) },
        options.description,
      ),
  )
  return withCodec(schema, codec)
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
