import { createSchema } from '../model/declare/struct-schema.ts'
import { invalidResult, validResult } from '../model/declare/struct-validation.ts'
import type { Schema } from '../schema/standard-schema.ts'
import { createApiKey } from './api-key.ts'
import type { ApiKeyValues } from './api-key-fields.ts'

/** The response of the action that issues a key. */
export interface IssuedKey {
  /** The whole key, which is shown once. */
  readonly key: string
}

/**
 * The schema of the response of the action that issues a key, for its option `output`.
 *
 * ```ts
 * const options: ActionOptions<undefined, typeof issuedKey> = { output: issuedKey }
 * ```
 */
export const issuedKey: Schema<IssuedKey, IssuedKey> = createSchema<object, IssuedKey>(
  {},
  (value) =>
    typeof (value as Partial<IssuedKey> | null)?.key === 'string'
      ? validResult(value)
      : invalidResult('expected an object with the member "key"'),
  () => ({
    type: 'object',
    properties: {
      key: { type: 'string', description: 'The key. It is shown once and cannot be read again.' },
    },
    required: ['key'],
    additionalProperties: false,
  }),
) as Schema<IssuedKey, IssuedKey>

const prefixPattern = /^[a-z][a-z0-9]{0,31}$/

/**
 * Makes a new key for an item with the fields of `apiKeyFields()`, and returns it: for an action of
 * the model. The item keeps its beginning and its SHA-256. The item's former key is no longer
 * accepted.
 *
 * ```ts
 * const item: ApiKeyValues = { id: '1', name: 'Nightly import', scopes: [] }
 * issueApiKey(item, 'shop').key // shop_1f0c2a9b84de_… with 256 random bits
 * ```
 *
 * @param prefix says whose key it is: a lower-case letter, then up to 31 letters and digits
 * @throws TypeError for another prefix
 */
export function issueApiKey(item: ApiKeyValues, prefix: string): IssuedKey {
  if (!prefixPattern.test(prefix))
    throw new TypeError(
      `The prefix of an API key must have lower-case letters and digits, such as 'shop'; got '${prefix}'.`,
    )
  const { key, start, digest } = createApiKey(prefix)
  item.start = start
  item.digest = digest
  return { key }
}
