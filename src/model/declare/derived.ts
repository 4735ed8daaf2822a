import { type InputOf, isSchema, type OutputOf, type Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks, wholeNumber } from '../check-options.ts'
import { RegistrationError } from '../registration-error.ts'
import type { DerivedDeclaration } from './derived-declaration.ts'
import type { FieldOptions, ValueDefinition } from './field.ts'

/** The options that a derived field has as any field has them. */
export type DerivedFieldOptions = Pick<
  FieldOptions,
  'wire' | 'description' | 'example' | 'hidden' | 'unique' | 'index' | 'filter' | 'sort' | 'column'
>

/** What a field is derived from, and how. */
export interface DerivedOptions<Name extends string = string, S extends Schema = Schema>
  extends DerivedFieldOptions {
  /**
   * The names of the fields that `compute` gets: value fields, other derived ones too, and to-one
   * relations, of which it gets the id.
   */
  readonly from: readonly Name[]
  /** What `compute` returns has to fit it, as what clients send fits the schema of a field. */
  readonly schema: S
  /**
   * Makes the value of these members, as code sees them. A member without a value is undefined, or
   * null for a relation. It runs at every write of the item, so it must be fast, and depend on
   * nothing else: no clock, no other items.
   */
  readonly compute: (
    // biome-ignore lint/suspicious/noExplicitAny: members have the types that `compute` gives them
    values: Readonly<Record<Name, any>>,
  ) => InputOf<S> | OutputOf<S>
  /**
   * Another number than before makes the next start compute the values of all stored items again.
   * Default: 1.
   */
  readonly version?: number
}

/** The declaration of a field that the service computes. */
export interface DerivedDefinition<S extends Schema = Schema>
  extends ValueDefinition<S, DerivedFieldOptions> {
  readonly computed: DerivedDeclaration
}

/**
 * Declares a field that the service computes from other members of the item at every write, and
 * stores: lists filter and sort by it as by any field. Nobody sets it, and who may not read one of
 * these members may not read it either.
 *
 * ```ts
 * const Book = model('book', {
 *   price: z.number(),
 *   discount: z.number(),
 *   total: derived({
 *     from: ['price', 'discount'],
 *     schema: z.number(),
 *     compute: ({ price, discount }: { price: number; discount: number }) => price - discount,
 *     index: true,
 *   }),
 * })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function derived<const Name extends string, S extends Schema>(
  options: DerivedOptions<Name, S>,
): DerivedDefinition<S> {
  checkOptions<DerivedOptions>('derived()', options, derivedOptions)
  const { from, schema, compute, version = 1, ...fieldOptions } = options
  if (!Array.isArray(from))
    throw new RegistrationError(
      "The option 'from' of derived() must be an array of names, such as ['price', 'discount'].",
    )
  if (!isListOfNames(from))
    throw new RegistrationError(
      "The option 'from' of derived() must name at least one field, each once: ['price', 'discount'].",
    )
  if (!isSchema(schema))
    throw new RegistrationError(
      "The option 'schema' of derived() must be a schema (Standard Schema 1, for example zod 4), such as z.number().",
    )
  if (typeof compute !== 'function' || compute.constructor.name === 'AsyncFunction')
    throw new RegistrationError(
      "The option 'compute' of derived() must be a function that is not async, such as ({ price }) => price * 2.",
    )
  return Object.freeze({
    kind: 'value',
    schema,
    options: Object.freeze({ ...fieldOptions, ...(fieldOptions.hidden ? {} : { readOnly: true }) }),
    computed: Object.freeze({
      kind: 'derived',
      from: Object.freeze([...from]),
      compute,
      version,
    }),
  })
}

function isListOfNames(from: readonly unknown[]): from is readonly string[] {
  return (
    from.length > 0 &&
    from.every((name) => typeof name === 'string') &&
    new Set(from).size === from.length
  )
}

const derivedOptions: OptionChecks<DerivedOptions> = {
  from: true,
  schema: true,
  compute: 'function',
  version: wholeNumber(1),
  wire: true,
  description: true,
  example: true,
  hidden: 'boolean',
  unique: 'boolean',
  index: 'boolean',
  filter: 'boolean',
  sort: 'boolean',
  column: true,
}
