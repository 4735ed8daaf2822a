import type { JsonSchema } from '../../schema/json-schema.ts'
import { type SchemaCodec, withCodec } from '../../schema/schema-codec.ts'
import type { Schema } from '../../schema/standard-schema.ts'
import type { OptionChecks } from '../check-options.ts'
import { RegistrationError } from '../registration-error.ts'
import { createSchema, withDescription } from './struct-schema.ts'
import { invalidResult, validResult } from './struct-validation.ts'

/** What `dateTime()`, `date()` and `decimal()` allow besides their values. */
export interface ScalarOptions {
  /** Can it be absent? Default: false. */
  readonly optional?: boolean
  /** Can it be null? Default: false. */
  readonly nullable?: boolean
  /** The value of a new item without one, or a function that makes it. Default: none. */
  readonly default?: string | null | (() => string | null)
  /** What the value is, for the OpenAPI document. Default: none. */
  readonly description?: string
}

/** The same for code that sees other values than texts. */
export interface AnyScalarOptions extends Omit<ScalarOptions, 'default'> {
  readonly default?: unknown
}

/** A schema of texts, with what its options allow besides them. */
export type ScalarSchema<O = ScalarOptions> = Schema<
  | string
  | (O extends { readonly date: true } ? Date : never)
  | (O extends { readonly nullable: true } ? null : never)
  | (O extends { readonly optional: true } | { readonly default: unknown } ? undefined : never),
  | (O extends { readonly date: true } ? Date : string)
  | (O extends { readonly nullable: true } ? null : never)
  | (O extends { readonly default: unknown }
      ? never
      : O extends { readonly optional: true }
        ? undefined
        : never)
>

/** How the texts of a schema are read. */
export interface ScalarForm {
  readonly schema: JsonSchema
  /** Undefined where code sees the texts. */
  readonly codec?: SchemaCodec
  /** What an invalid text misses: `expected a date`. */
  readonly expected: string
  /** The text as it is kept; undefined if it is invalid. */
  canonical(text: string): string | undefined
}

/**
 * @param owner the function, with parentheses: `date()`
 * @throws RegistrationError for an invalid default
 */
export function scalarSchema<O extends AnyScalarOptions>(
  owner: string,
  { schema, codec, expected, canonical }: ScalarForm,
  options: O | undefined,
): ScalarSchema<O> {
  const { optional = false, nullable = false, default: initial, description } = options ?? {}
  const toText = (value: unknown) => {
    const text = codec ? codec.encode(value) : value
    return typeof text === 'string' ? canonical(text) : undefined
  }
  const isFixed = initial !== undefined && typeof initial !== 'function'
  if (initial === null && !nullable)
    throw new RegistrationError(`The default of ${owner} is null. Set { nullable: true } too.`)
  if (isFixed && initial !== null && !codec && typeof initial !== 'string')
    throw new RegistrationError(
      `The default of ${owner} must be a text, as in JSON; got the ${typeof initial} ${String(initial)}.`,
    )
  if (isFixed && initial !== null && toText(initial) === undefined)
    throw new RegistrationError(
      `The default '${String(initial)}' of ${owner} is invalid: ${expected}.`,
    )
  const defaultText = () => (typeof initial === 'function' ? initial() : initial)
  const type = nullable ? (['string', 'null'] as const) : 'string'
  const json = withDescription({ ...schema, type }, description)
  const scalar = createSchema(
    {},
    (sent) => {
      const value = sent === undefined ? defaultText() : sent
      if (value === undefined && optional) return validResult(undefined)
      if (value === null && nullable) return validResult(null)
      const text = toText(value)
      return text === undefined ? invalidResult(expected) : validResult(text)
    },
    (direction) =>
      direction === 'input' && isFixed
        ? { ...json, default: codec?.encode(initial) ?? initial }
        : json,
  )
  return withCodec(scalar, codec) as ScalarSchema<O>
}

export const scalarOptions: OptionChecks<ScalarOptions> = {
  optional: 'boolean',
  nullable: 'boolean',
  default: true,
  description: true,
}
