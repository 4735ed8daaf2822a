import { describe, expect, test } from 'vitest'
import { actions } from './policy/actions.ts'
import { checking } from './policy/checking.ts'
import { conditions } from './policy/conditions.ts'
import { errors } from './policy/errors.ts'
import { type OpenPolicy, type PolicySuite, suiteOf } from './policy/harness.ts'
import { reading } from './policy/reading.ts'
import { registration } from './policy/registration.ts'
import { relationships } from './policy/relationships.ts'
import { resources } from './policy/resources.ts'
import { secrets } from './policy/secrets.ts'
import { writing } from './policy/writing.ts'

/**
 * The contract of policies. `open` returns the policy, and how its documents hold items. Tests of
 * the operations in `missingOperations` are skipped; any other operation that the policy lacks
 * fails. Every response is compared with the OpenAPI document. Other parts that the policy does not
 * support are listed in `skips`, with the reason.
 *
 * ```ts
 * policyContract('bare arrays', () => ({
 *   policy: bareArrays(),
 *   itemDocument: ({ id, values, relations }) => ({ id, ...values, ...relations }),
 *   readItem: (document) => document,
 *   readList: (document) => document,
 *   readErrorCodes: ({ code }) => [code],
 *   action: { write: (input) => input, read: (document) => document },
 *   missingOperations: [
 *     'RelationshipGet', 'RelationshipPost', 'RelationshipPatch', 'RelationshipDelete',
 *   ],
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
    declarePolicyTests(suite)
    test('skips only optional parts of the contract', () => {
      expect(Object.keys(skips).filter((title) => !suite.titles.has(title))).toEqual([])
    })
  })
}

/** Declares all tests of the contract. */
export function declarePolicyTests(suite: PolicySuite): void {
  for (const part of [
    registration,
    reading,
    writing,
    conditions,
    relationships,
    actions,
    resources,
    errors,
    secrets,
    checking,
  ])
    part(suite)
}
