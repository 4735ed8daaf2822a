import { dateTime } from '../model/declare/date-time.ts'
import { field, type ValueDefinition } from '../model/declare/field.ts'
import type { ScalarSchema } from '../model/declare/scalar-schema.ts'
import { createSchema } from '../model/declare/struct-schema.ts'
import { invalidResult, validResult } from '../model/declare/struct-validation.ts'
import type { Schema } from '../schema/standard-schema.ts'

const maxTextLength = 200
const maxScopes = 100

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTextLength
}

const textSchema = { type: 'string', minLength: 1, maxLength: maxTextLength } as const

const text = createSchema<object, string>(
  {},
  (value) =>
    isText(value)
      ? validResult(value)
      : invalidResult(`expected a string of 1 to ${maxTextLength} characters`),
  () => textSchema,
)

const optionalText = createSchema<object, string | undefined>(
  {},
  (value) =>
    value === undefined || isText(value) ? validResult(value) : invalidResult('expected a string'),
  () => textSchema,
)

/** `scope-token` (RFC 6749 §3.3) */
const scopePattern = '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$'
const isScope = new RegExp(scopePattern)

const scopes = createSchema<object, string[]>(
  {},
  (value) => {
    if (value === undefined) return validResult([])
    const isValid =
      Array.isArray(value) &&
      value.length <= maxScopes &&
      value.every((scope) => isText(scope) && isScope.test(scope))
    return isValid
      ? validResult(value)
      : invalidResult(`expected an array of at most ${maxScopes} scopes, such as "books:read"`)
  },
  () => ({
    type: 'array',
    items: { ...textSchema, pattern: scopePattern },
    maxItems: maxScopes,
    default: [],
  }),
)

/** What `apiKeyFields()` declares, for instances. */
export interface ApiKeyValues {
  readonly id: string
  readonly name: string
  readonly scopes: string[]
  readonly expiresAt?: string | null | undefined
  start?: string | undefined
  digest?: string | undefined
}

/** The fields of `apiKeyFields()`. */
export interface ApiKeyFields {
  readonly name: ValueDefinition<Schema<string, string>, { readonly description: string }>
  readonly scopes: ValueDefinition<
    Schema<readonly string[] | undefined, string[]>,
    { readonly description: string }
  >
  readonly expiresAt: ValueDefinition<
    ScalarSchema<{ readonly optional: true }>,
    { readonly description: string }
  >
  readonly start: ValueDefinition<
    Schema<string | undefined, string | undefined>,
    { readonly readOnly: true }
  >
  readonly digest: ValueDefinition<
    Schema<string | undefined, string | undefined>,
    { readonly hidden: true }
  >
}

/**
 * Declares the fields of API keys, for a model of the service: `name`, `scopes` and `expiresAt`,
 * which clients set, `start`, the visible beginning of the key, and `digest`, the SHA-256 of the
 * key, which no client sees. The key itself is not stored.
 *
 * ```ts
 * class ApiKey extends model('apiKey', { ...apiKeyFields(), owner: z.string() }) {
 *   issue() {
 *     return issueApiKey(this, 'shop')
 *   }
 *   static {
 *     action(this, 'issue', { output: issuedKey })
 *   }
 * }
 * ```
 */
export function apiKeyFields(): ApiKeyFields {
  return {
    name: field(text as Schema<string, string>, {
      description: 'What the key is for',
      example: 'Nightly import',
    }),
    scopes: field(scopes as Schema<readonly string[] | undefined, string[]>, {
      description: 'What the key allows',
      example: ['books:read'],
    }),
    expiresAt: field(dateTime({ optional: true }), {
      description: 'When the key expires. Without it, the key does not expire',
      example: '2030-01-01T00:00:00Z',
    }),
    start: field(optionalText as Schema<string | undefined, string | undefined>, {
      readOnly: true,
      unique: true,
      description: 'The beginning of the key, by which people recognize it',
      example: 'shop_1f0c2a9b84de',
    }),
    digest: field(optionalText as Schema<string | undefined, string | undefined>, { hidden: true }),
  }
}
