import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory } from '../../store/memory/memory.ts'
import type { Store } from '../../store/public.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'

/** A kind of store that a policy is tested on, because its lists are read in another way. */
export interface StoreKind {
  /** Follows the title of a test. */
  readonly suffix: string
  /** Passes a new store to the test. The test closes it. */
  use(test: (store: Store) => Promise<void>): Promise<void>
}

export const withItems: StoreKind = { suffix: '', use: (test) => test(memory()) }

export const withRawJson: StoreKind = {
  suffix: ', on a store with raw JSON',
  async use(test) {
    const folder = await mkdtemp(join(tmpdir(), 'resourcery-policy-'))
    try {
      await test(sqlite(join(folder, 'items.db'), { durability: 'normal' }))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
