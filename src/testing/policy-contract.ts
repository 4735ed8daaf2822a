import { describe, expect, test } from 'vitest'
import { checking } from './policy/checking.ts'
import { conditions } from './policy/conditions.ts'
import { errors } from './policy/errors.ts'
import { type OpenPolicy, suiteOf } from './policy/harness.ts'
import { reading } from './policy/reading.ts'
import { registration } from './policy/registration.ts'
import { relationships } from './policy/relationships.ts'
import { secrets } from './policy/secrets.ts'
import { writing } from './policy/writing.ts'

/**
 * The contract of policies. `open` returns the policy, and how its documents hold items. Tests of
 * operations that the policy does not have are skipped; lists and items it must have. Every response
 * is compared with the OpenAPI document. Other parts that the policy does not support are listed in
 * `skips`, with the reason.
 *
 * ```ts
 * policyContract('bare arrays', () => ({
 *   policy: bareArrays(),
 *   itemDocument: ({ id, values, relations }) => ({ id, ...values, ...relations }),
 *   readItem: (document) => document,
 *   readList: (document) => document,
 *   readErrorCodes: ({ code }) => [code],
 * }))
 * ```
 */
export function policyContract(
  name: string,
  open: OpenPolicy,
  skips: Readonly<Record<string, string>> = {},
): void {
  describe(`${name} satisfies the contract of policies`, () => {
    const suite = suiteOf(open, skips)
    for (const part of [
      registration,
      reading,
      writing,
      conditions,
      relationships,
      errors,
      secrets,
      checking,
    ])
      part(suite)
    test('skips only optional parts of the contract', () => {
      expect(Object.keys(skips).filter((title) => !suite.titles.has(title))).toEqual([])
    })
  })
}
