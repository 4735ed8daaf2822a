import type { OpenedPolicy } from 'resourcery/contracts'
import type { ModelOperation, Serializer } from 'resourcery/policy'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { runOnStore, type TestBody } from '../../src/contracts/policy/harness.ts'
import { type StoreKind, withItems, withRawJson } from '../../src/contracts/policy/store-kinds.ts'
import { declarePolicyTests } from '../../src/contracts/policy-contract.ts'
import { leaveRoutersUnwatched } from '../support/truth/watching.ts'
import { withSerializer } from '../support/with-serializer.ts'
import { openRest } from './open-rest.ts'

// The faults are meant, so no other check of responses may find them first.
leaveRoutersUnwatched()

const bodies = new Map<string, TestBody>()
declarePolicyTests({
  titles: new Set(),
  alone: (title, body) => bodies.set(title, body),
  onEachStore: (title, body) => bodies.set(title, body),
})

const runTest = (title: string, opened: OpenedPolicy, kind: StoreKind = withItems): Promise<void> =>
  runOnStore(kind, opened, bodies.get(title)!, (note) => {
    throw new Error(`Skipped: ${note}`)
  })

const withoutOperation = (operation: ModelOperation): OpenedPolicy =>
  openRest({
    ...rest(),
    rules: (...context) =>
      rest()
        .rules(...context)
        .filter((rule) => rule.operation !== operation),
  })

const withoutDelete = withoutOperation('DeleteItem')

/** rest() with another serializer. */
const changed = (change: (serializer: Serializer) => Partial<Serializer>): OpenedPolicy =>
  openRest(withSerializer(rest(), change))

/** rest() that adds a member to each item. */
const withMember = (member: string) =>
  changed(({ writeItem }) => ({
    sendsRawJson: false,
    writeItem: (...item) => `${writeItem(...item).slice(0, -1)},${member}}`,
  }))

describe('The contract of policies refuses a policy', () => {
  it.each([
    ['that has lost an operation', withoutDelete, 'deletes an item'],
    [
      'that has lost an operation, also where no other test uses it',
      withoutDelete,
      'has all operations but those that are listed as missing',
    ],
    [
      'that has an operation which it lists as missing',
      {
        ...openRest(rest()),
        missingOperations: [...openRest(rest()).missingOperations, 'GetItem'],
      },
      'has all operations but those that are listed as missing',
    ],
    [
      'that sends another output than the action returns',
      changed(() => ({ writeOutput: () => '{"total":1}' })),
      'calls an action, and responds with its output',
    ],
    [
      'that has lost its actions',
      withoutOperation('ItemMethodApiOperation'),
      'responds with the item to an action without an output',
    ],
    [
      'that has lost the deletion of binary resources',
      withoutOperation('DeleteResource'),
      'deletes a resource',
    ],
    [
      'that serves binary resources with another media type',
      openRest({
        ...rest(),
        rules: (...context) =>
          rest()
            .rules(...context)
            .map((rule) =>
              rule.operation === 'GetResource'
                ? { ...rule, response: { ...rule.response, contents: () => ({}) } }
                : rule,
            ),
      }),
      'returns the bytes of a resource, whole and in part',
    ],
    [
      'that sends a hidden value',
      withMember('"costPrice":"hidden-4711"'),
      'sends no member that clients may not see',
    ],
    [
      'whose items do not match the OpenAPI document',
      withMember('"price":"1"'),
      'lists items by id, with their values and relations',
    ],
    [
      'that writes errors in another form',
      changed(() => ({ writeErrors: () => '{"errors":[]}' })),
      'sends errors of the catalog in its own form',
    ],
  ] as const)('%s', async (_, opened, title) => {
    await runTest(title, openRest(rest()))
    await expect(runTest(title, opened)).rejects.toThrow()
  })

  it.each([
    ['', withItems],
    [' with raw JSON', withRawJson],
  ])('that writes something into an empty list, on a store%s', async (_, kind) => {
    const title = 'lists nothing where there is nothing'
    await runTest(title, openRest(rest()), kind)
    const faulty = changed(({ listFrame }) => ({
      listFrame: (...about) => ({ ...listFrame(...about), emptyItems: 'null' }),
    }))
    await expect(runTest(title, faulty, kind)).rejects.toThrow()
  })
})
