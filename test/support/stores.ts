import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'resourcery'
import { afterAll } from 'vitest'

/**
 * A kind of store that every feature test runs on: `describe.each(stores)('… on $name', ({ make })
 * => …)`.
 */
export interface StoreKind {
  readonly name: string
  /** A new, empty store; it is closed at the end of the file. */
  make(): Promise<Store>
}

const openStores: Store[] = []
let folder: Promise<string> | undefined

export const stores: readonly StoreKind[] = [
  {
    name: 'the memory store',
    make: async () => remember((await import('resourcery/memory')).memory()),
  },
  {
    name: 'the SQLite store',
    make: async () => {
      folder ??= mkdtemp(join(tmpdir(), 'resourcery-'))
      const { sqlite } = await import('resourcery/sqlite')
      return remember(
        sqlite(join(await folder, `${openStores.length}.db`), { durability: 'normal' }),
      )
    },
  },
]

function remember(store: Store): Store {
  openStores.push(store)
  return store
}

afterAll(async () => {
  for (const store of openStores) await store.close()
  if (folder) await rm(await folder, { recursive: true, force: true })
})
