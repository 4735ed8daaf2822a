import { describe, expect, test } from 'vitest'
import { changes } from './changes.ts'
import { comparing } from './comparing.ts'
import { grouping } from './grouping.ts'
import { guards } from './guards.ts'
import { type OpenStore, type Suite, suiteOf } from './harness.ts'
import { leaving } from './leaving.ts'
import { listing } from './listing.ts'
import { oddNames } from './odd-names.ts'
import { opening } from './opening.ts'
import { ordering } from './ordering.ts'
import { random } from './random.ts'
import { randomGroups } from './random-groups.ts'
import { relatedPages } from './related-pages.ts'
import { relations } from './relations.ts'
import { requestRecords } from './request-records.ts'
import { searching } from './searching.ts'
import { transactions } from './transactions.ts'
import { uniqueSets } from './unique-sets.ts'
import { writing } from './writing.ts'

/** The parts of the contract of stores. */
export type StorePart =
  | 'comparing'
  | 'searching'
  | 'relations'
  | 'guards'
  | 'ordering'
  | 'listing'
  | 'grouping'
  | 'leaving'
  | 'relatedPages'
  | 'writing'
  | 'uniqueSets'
  | 'transactions'
  | 'requestRecords'
  | 'changes'
  | 'opening'
  | 'oddNames'
  | 'random'
  | 'randomGroups'

export const storeParts: Readonly<Record<StorePart, (suite: Suite) => void>> = {
  comparing,
  searching,
  relations,
  guards,
  ordering,
  listing,
  grouping,
  leaving,
  relatedPages,
  writing,
  uniqueSets,
  transactions,
  requestRecords,
  changes,
  opening,
  oddNames,
  random,
  randomGroups,
}

/** The parts that a store may skip as a whole, because it may leave out what they test. */
const optionalParts: readonly StorePart[] = ['requestRecords', 'changes']

/**
 * Declares parts of the contract. For a store behind a wrapper they are those that the wrapper can
 * change, because the store itself satisfies all of them.
 */
export function declareParts(
  name: string,
  open: OpenStore,
  parts: readonly StorePart[],
  skips: Readonly<Record<string, string>> = {},
): void {
  describe(`${name} satisfies the contract of stores`, () => {
    const suites = parts.map((part) => {
      const suite = suiteOf(open, (title) => skips[part] ?? skips[title])
      storeParts[part](suite)
      return suite
    })
    test('skips only optional parts of the contract', () => {
      const known = new Set<string>([
        ...optionalParts,
        ...suites.flatMap(({ titles }) => [...titles]),
      ])
      expect(Object.keys(skips).filter((name) => !known.has(name))).toEqual([])
    })
  })
}
