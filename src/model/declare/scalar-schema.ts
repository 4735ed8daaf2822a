import type { JsonSchema } from '../../schema/json-schema.ts'
import type { Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
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
  readonly default?: string | (() => string)
  /** What the value is, for the OpenAPI document. Default: none. */
  readonly description?: string
}

/** A schema of texts, with what its options allow besides them. */
export type ScalarSchema<O = ScalarOptions> = Schema<
  | string
  | (O extends { readonly nullable: true } ? null : never)
  | (O extends { readonly optional: true } | { readonly default: unknown } ? undefined : never),
  | string
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
  /** What an invalid text misses: `expected a date`. */
  readonly expected: string
  /** The text as it is kept; undefined if it is invalid. */
  canonical(text: string): string | undefined
}

/**
 * @param owner the function, with parentheses: `date()`
 * @throws RegistrationError for an unknown or invalid option
 */
export function scalarSchema<O extends ScalarOptions>(
  owner: string,
  { schema, expected, canonical }: ScalarForm,
  options: O | undefined,
): ScalarSchema<O> {
  if (options) checkOptions<ScalarOptions>(owner, options, scalarOptions)
  const { optional = false, nullable = false, default: initial, description } = options ?? {}
  if (typeof initial === 'string' && canonical(initial) === undefined)
    throw new RegistrationError(`The default '${initial}' of ${owner} is invalid: ${expected}.`)
  const defaultText = () => (typeof initial === 'function' ? initial() : initial)
  const type = nullable ? (['string', 'null'] as const) : 'string'
  const json = withDescription({ ...schema, type }, description)
  return createSchema(
    {},
    (sent) => {
      const value = sent === undefined ? defaultText() : sent
      if (value === undefined && optional) return validResult(undefined)
      if (value === null && nullable) return validResult(null)
      const text = typeof value === 'string' ? canonical(value) : undefined
      return text === undefined ? invalidResult(expected) : validResult(text)
    },
    (direction) =>
      direction === 'input' && typeof initial === 'string' ? { ...json, default: initial } : json,
  ) as ScalarSchema<O>
}

const scalarOptions: OptionChecks<ScalarOptions> = {
  optional: 'boolean',
  nullable: 'boolean',
  default: true,
  description: true,
}
