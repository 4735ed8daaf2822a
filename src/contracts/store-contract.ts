import { describe, expect, test } from 'vitest'
import { comparing } from './store/comparing.ts'
import { guards } from './store/guards.ts'
import { type OpenStore, suiteOf } from './store/harness.ts'
import { leaving } from './store/leaving.ts'
import { listing } from './store/listing.ts'
import { oddNames } from './store/odd-names.ts'
import { opening } from './store/opening.ts'
import { ordering } from './store/ordering.ts'
import { random } from './store/random.ts'
import { relatedPages } from './store/related-pages.ts'
import { relations } from './store/relations.ts'
import { requestRecords } from './store/request-records.ts'
import { searching } from './store/searching.ts'
import { transactions } from './store/transactions.ts'
import { uniqueSets } from './store/unique-sets.ts'
import { writing } from './store/writing.ts'

/**
 * The contract of stores. `open` returns an empty store that was not opened yet, and `dispose`
 * closes it, even if it is closed already. A store that does not support a part lists the test and
 * the reason in `skips`.
 *
 * ```ts
 * storeContract('memory', async () => {
 *   const store = memory()
 *   return { store, dispose: () => store.close() }
 * })
 * ```
 */
export function storeContract(
  name: string,
  open: OpenStore,
  skips: Readonly<Record<string, string>> = {},
): void {
  describe(`${name} satisfies the contract of stores`, () => {
    const suite = suiteOf(open, skips)
    for (const part of [
      comparing,
      searching,
      relations,
      guards,
      ordering,
      listing,
      leaving,
      relatedPages,
      writing,
      uniqueSets,
      transactions,
      requestRecords,
      opening,
      oddNames,
      random,
    ]) {
      part(suite)
    }
    test('skips only optional parts of the contract', () => {
      expect(Object.keys(skips).filter((title) => !suite.titles.has(title))).toEqual([])
    })
  })
}
