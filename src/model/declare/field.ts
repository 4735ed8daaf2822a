import type { InputOf, Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { Backfill } from './backfill.ts'
import type { DerivedDeclaration } from './derived-declaration.ts'
import type { ToManyDefinition, ToOneDefinition } from './relation.ts'
import type { ValueFromRequest } from './request-context.ts'
import type { ResourceDefinition } from './resource.ts'
import type { RollupDeclaration } from './rollup-declaration.ts'

/** The options of a value field. */
export interface FieldOptions<Input = unknown> {
  /** The wire name: the name that clients see. Default: the name of the field. */
  readonly wire?: string
  /** What the field is, for the OpenAPI document. Default: the description of the schema. */
  readonly description?: string
  /** A value in examples of the document. Default: the examples of the schema. */
  readonly example?: unknown
  /**
   * Only the code of the model sees the field; for clients it does not exist. Give it a default or
   * make it optional, or no client can create an item. Default: false.
   */
  readonly hidden?: boolean
  /**
   * The service sets the field; the value of a client is ignored. Give it a default or make it
   * optional, or no client can create an item. Default: false.
   */
  readonly readOnly?: boolean
  /** Clients can set the field but never receive it. Default: false. */
  readonly writeOnly?: boolean
  /**
   * Makes the value of a new item from the request, so that the field is read-only: a client may
   * send back the value that it read, and any other value is 403. The value is validated like one
   * of a client. Undefined means that there is none: the default of the schema applies, and a
   * required field without one is 403.
   *
   * It runs when clients create an item, and when code does so in the name of a request. It is
   * synchronous: let a request hook find out what it needs, and leave it in the state. Default:
   * none.
   */
  readonly from?: ValueFromRequest<Input>
  /**
   * Is the value set once? Then nobody changes it, not even the service; null may still be
   * replaced. Default: false.
   */
  readonly immutable?: boolean
  /** No two items have the same value, except null. Implies an index. Default: false. */
  readonly unique?: boolean
  /**
   * Keeps an index, so that filters and sorts by this field stay fast on large collections.
   * Default: false.
   */
  readonly index?: boolean
  /** Can clients filter by it? Default: true. */
  readonly filter?: boolean
  /** Can clients sort by it? Default: true. */
  readonly sort?: boolean
  /**
   * The column of the field, in stores that keep items in ordinary tables. Default: the wire name
   * in snake_case.
   */
  readonly column?: string
  /**
   * A former wire name of the field, or several, so that a store finds its values. Default: none.
   */
  readonly was?: string | readonly string[]
  /**
   * May stored items lack the value although the schema requires it? Without `allow`, a service
   * with such items does not start. With it, responses may lack the member, and changes of these
   * items need not set it; new items need a value. Default: none.
   */
  readonly missing?: 'allow'
  /**
   * The value for stored items that have none, such as one made from a former field. A start calls
   * it once for each of them, and writes the values before it listens. It may return a promise, and
   * writes wait for that. The schema validates the value; undefined leaves the item without one,
   * where the schema allows that. Default: none.
   */
  readonly backfill?: Backfill
}

export interface ValueDefinition<S extends Schema = Schema, O extends FieldOptions = FieldOptions> {
  readonly kind: 'value'
  readonly schema: S
  readonly options: O
  /** Set by `timestamps()`: what the service sets the field to. */
  readonly timestamp?: Timestamp
  /** Set by `derived()` and `rollup()`: what makes the value. */
  readonly computed?: DerivedDeclaration | RollupDeclaration
}

/** What the service sets when it writes an item. */
export interface Timestamp {
  readonly kind: 'creation' | 'change'
  now(): Date
}

export interface HashOptions {
  /**
   * A column that changes with every change of the row, such as one that a trigger counts up.
   * Stores that keep items in ordinary tables take the version from it. Default: none; the version
   * is computed from the whole item.
   */
  readonly column?: string
}

export interface HashDefinition {
  readonly kind: 'hash'
  readonly options: HashOptions
}

/** The declaration of a field. A schema declares a value field without options. */
export type FieldDefinition =
  | Schema
  | ValueDefinition
  | ToOneDefinition<unknown>
  | ToManyDefinition<unknown>
  | ResourceDefinition
  | HashDefinition

/**
 * Declares a value field with options.
 *
 * ```ts
 * const pageCount = field(z.int().positive().optional(), { wire: 'pages', index: true })
 * ```
 *
 * The type of `from` is that of what the schema accepts:
 *
 * ```ts
 * const caller = stateKey<{ id: string }>('caller')
 * const owner = field(z.string(), { from: ({ state }) => state.get(caller)?.id })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function field<S extends Schema, const O extends FieldOptions<InputOf<S>>>(
  schema: S,
  options: O,
): ValueDefinition<S, NoInfer<O>> {
  checkOptions('field()', options, fieldOptions)
  return Object.freeze({ kind: 'value', schema, options: Object.freeze({ ...options }) })
}

/**
 * Declares the field for the version of the item: the SHA-256 of the stored item, set by the
 * service. It makes the ETag of the item strong.
 *
 * ```ts
 * class Book extends model('book', { title: z.string(), hash: hash() }) {}
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function hash(options: HashOptions = {}): HashDefinition {
  checkOptions('hash()', options, hashOptions)
  return Object.freeze({ kind: 'hash', options: Object.freeze({ ...options }) })
}

const fieldOptions: OptionChecks<FieldOptions> = {
  wire: true,
  description: true,
  example: true,
  hidden: 'boolean',
  readOnly: 'boolean',
  writeOnly: 'boolean',
  from: true,
  immutable: 'boolean',
  unique: 'boolean',
  index: 'boolean',
  filter: 'boolean',
  sort: 'boolean',
  column: true,
  was: true,
  missing: ['allow'],
  backfill: 'function',
}
const hashOptions: OptionChecks<HashOptions> = { column: true }
