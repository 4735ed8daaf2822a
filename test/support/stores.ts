import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'resourcery'
import { afterAll } from 'vitest'
import type { TestDatabase } from './postgres/postgres-server.ts'

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
const databases: TestDatabase[] = []
let folder: Promise<string> | undefined

const embeddedStores: readonly StoreKind[] = [
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

const postgresStore: StoreKind = {
  name: 'the PostgreSQL store',
  make: async () => {
    const { newDatabase } = await import('./postgres/shared-server.ts')
    const { postgres } = await import('resourcery/postgres')
    const database = await newDatabase()
    databases.push(database)
    return remember(postgres(database.url, { maxConnections: 4 }))
  },
}

/**
 * The embedded stores, or PostgreSQL in a run of its own (`npm run test:postgres`), because it
 * takes longer.
 */
export const stores: readonly StoreKind[] =
  process.env.TEST_STORE === 'postgres' ? [postgresStore] : embeddedStores

function remember(store: Store): Store {
  openStores.push(store)
  return store
}

afterAll(async () => {
  for (const store of openStores) await store.close()
  for (const database of databases) await database.drop()
  if (folder) await rm(await folder, { recursive: true, force: true })
})
