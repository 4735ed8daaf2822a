import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disposeTogether } from '../../test/support/dispose-together.ts'
import { declareParts, type StorePart } from '../contracts/store/parts.ts'
import { storeContract } from '../contracts/store-contract.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { idEquals, negate } from '../query/conditions.ts'
import { memory } from '../store/memory/memory.ts'
import { sqlite } from '../store/sqlite/sqlite.ts'
import { type FieldGuards, noFieldGuards } from './field-guards.ts'
import { maskedStore } from './masked-store.ts'

/** Every item passes through the masks, and none has a member that they hide. */
const showsEverything: FieldGuards = {
  ...noFieldGuards,
  isEmpty: false,
  hasMasks: () => true,
  masksOf: ({ fields }: ModelDescription) =>
    fields.slice(0, 1).map(({ name }) => ({
      name,
      condition: negate(idEquals('no such id')),
      decision: { kind: 'always' },
    })),
}

storeContract('memory behind masks that hide nothing', async () => {
  const store = maskedStore(memory(), showsEverything)
  return { store, dispose: () => store.close() }
})

/** Masks are for items that are read, and what is passed on to memory is passed on to SQLite. */
const partsThatReadOtherwise: readonly StorePart[] = [
  'listing',
  'relatedPages',
  'transactions',
  'oddNames',
  'random',
]

const openSqlite = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'masked-items-'))
  const items = sqlite(join(folder, 'contract.db'), { durability: 'normal' })
  const store = maskedStore(items, showsEverything)
  return {
    store,
    dispose: () =>
      disposeTogether(async () => {
        await store.close()
        rmSync(folder, { recursive: true })
      }),
  }
}

declareParts('sqlite behind masks that hide nothing', openSqlite, partsThatReadOtherwise)
