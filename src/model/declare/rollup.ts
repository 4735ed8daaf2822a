import type { Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks, wholeNumber } from '../check-options.ts'
import { RegistrationError } from '../registration-error.ts'
import type { FieldOptions, ValueDefinition } from './field.ts'
import type { RollupDeclaration, RollupFunction } from './rollup-declaration.ts'
import { createSchema } from './struct-schema.ts'
import { validResult } from './struct-validation.ts'

/** What is kept of the related items: one of these. */
export type RollupTerm =
  | { readonly count: true }
  | { readonly sum: string }
  | { readonly avg: string }
  | { readonly min: string }
  | { readonly max: string }

/** The options of a rollup besides what it keeps. */
export interface RollupSettings
  extends Pick<
    FieldOptions,
    'wire' | 'description' | 'example' | 'index' | 'filter' | 'sort' | 'column'
  > {
  /**
   * Counts items also for those who may not read them: the access rule of the field alone says who
   * reads it. Otherwise a start refuses a rollup over items or values that not every reader of the
   * field may read, because it shows something of all of them. Default: false.
   */
  readonly countsHidden?: boolean
  /**
   * Another number than before makes the next start compute the values of all items again, such as
   * after another program has written related items. Default: 1.
   */
  readonly version?: number
}

export type RollupOptions = RollupTerm & RollupSettings

/** The declaration of a value that the items of a relation have together. */
export interface RollupDefinition<Value = unknown>
  extends ValueDefinition<
    Schema<Value | undefined, Value>,
    { readonly readOnly: true; readonly index: boolean }
  > {
  readonly computed: RollupDeclaration
}

/**
 * Declares the number of items of an inverse relation. The service keeps it in the transaction that
 * changes one of them, and nobody sets it: lists filter and sort by it as by any field.
 *
 * ```ts
 * const Book = model('book', {
 *   reviews: toMany('review', { inverse: 'book' }),
 *   reviewCount: rollup('reviews', { count: true }),
 * })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function rollup(
  relation: string,
  options: { readonly count: true } & RollupSettings,
): RollupDefinition<number>
/**
 * Declares the sum, the average, or the smallest or largest value of a field of these items.
 * Without values a sum is 0, and the others are null. Of decimal numbers it is one too, and so a
 * text.
 *
 * ```ts
 * const rating = rollup('reviews', { avg: 'stars', index: true })
 * const revenue = rollup<string>('orders', { sum: 'total' })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function rollup(
  relation: string,
  options: { readonly sum: string } & RollupSettings,
): RollupDefinition<number>
export function rollup(
  relation: string,
  options: Exclude<RollupTerm, { readonly count: true } | { readonly sum: string }> &
    RollupSettings,
): RollupDefinition<number | null>
// With a default, TypeScript would infer both types in a model.
export function rollup<Value extends number | string>(
  relation: string,
  options: { readonly sum: string } & RollupSettings,
): RollupDefinition<Value>
export function rollup<Value extends number | string>(
  relation: string,
  options: Exclude<RollupTerm, { readonly count: true } | { readonly sum: string }> &
    RollupSettings,
): RollupDefinition<Value | null>
export function rollup(relation: string, options: RollupOptions): RollupDefinition {
  checkOptions<AnyRollupOptions>('rollup()', options, rollupOptions)
  if (typeof relation !== 'string' || relation === '')
    throw new RegistrationError(
      "rollup() must name a relation of the model first, as in rollup('reviews', { count: true }).",
    )
  const {
    count,
    sum,
    avg,
    min,
    max,
    countsHidden = false,
    version = 1,
    ...fieldOptions
  }: AnyRollupOptions = options
  const terms = Object.entries({ count, sum, avg, min, max }).filter(
    ([, member]) => member !== undefined,
  )
  const [term] = terms
  if (!term || terms.length > 1)
    throw new RegistrationError(
      `rollup('${relation}') must have one of the options count, sum, avg, min and max${term ? `; got ${terms.map(([name]) => name).join(' and ')}` : ''}.`,
    )
  const [name, member] = term
  if (name === 'count' ? member !== true : typeof member !== 'string')
    throw new RegistrationError(
      `The option '${name}' of rollup('${relation}') must be ${name === 'count' ? 'true' : `the name of a field, as in { ${name}: 'stars' }`}.`,
    )
  return Object.freeze({
    kind: 'value',
    schema: anyValue,
    options: Object.freeze({
      ...fieldOptions,
      index: options.index ?? false,
      readOnly: true as const,
    }),
    computed: Object.freeze({
      kind: 'rollup',
      over: relation,
      function: name as RollupFunction,
      member: typeof member === 'string' ? member : undefined,
      countsHidden,
      version,
    }),
  })
}

/** Registration knows the related model, and puts the schema of the value in its place. */
const anyValue: Schema = createSchema({}, validResult, () => ({}))

interface AnyRollupOptions extends RollupSettings {
  readonly count?: true
  readonly sum?: string
  readonly avg?: string
  readonly min?: string
  readonly max?: string
}

const rollupOptions: OptionChecks<AnyRollupOptions> = {
  count: true,
  sum: true,
  avg: true,
  min: true,
  max: true,
  countsHidden: 'boolean',
  version: wholeNumber(1),
  wire: true,
  description: true,
  example: true,
  index: 'boolean',
  filter: 'boolean',
  sort: 'boolean',
  column: true,
}
