import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'resourcery'
import { afterEachFile } from './after-tests.ts'
import type { TestDatabase } from './postgres/postgres-server.ts'

/**
 * A kind of store that every feature test runs on: `describe.each(stores)('… on $name', ({ make })
 * => …)`.
 */
export interface StoreKind {
  readonly name: string
  /**
   * `documents` keep values as they were written. In `tables` NULL has one meaning, a date-time is
   * an instant with microseconds, and JSON has no order.
   */
  readonly layout: 'documents' | 'tables'
  /** A new, empty store; it is closed at the end of the file. */
  make(): Promise<Store>
  /** New, empty data; each call of the function is a process that starts on it. */
  makeData(): Promise<() => Store>
}

const openStores = new Set<Store>()
let folder: Promise<string> | undefined
let database: Promise<TestDatabase> | undefined
const schemasAtOnce = 10
let schemaCount = 0
let fileCount = 0
let created: Promise<unknown> | undefined

const memoryStore = storeKind('the memory store', 'documents', async () => {
  const store = (await import('resourcery/memory')).memory()
  return () => remember(store)
})

/** For tests of what only this store does. */
export const sqliteStore: StoreKind = storeKind('the SQLite store', 'documents', async () => {
  const { sqlite } = await import('resourcery/sqlite')
  const file = await newFile()
  return () => remember(sqlite(file, { durability: 'normal' }))
})

const sqliteTablesStore = storeKind('the SQLite store with ordinary tables', 'tables', async () => {
  const { sqlite } = await import('resourcery/sqlite')
  const file = await newFile()
  return () => remember(sqlite(file, { durability: 'normal', layout: 'tables' }))
})

/**
 * Each store has a schema of its own in one database, which costs less than a database. A schema
 * takes less time than the connection that creates it, so several are created at once.
 */
const postgresStore = storeKind('the PostgreSQL store', 'tables', async () => {
  const { newDatabase, sharedServer } = await import('./postgres/shared-server.ts')
  const { postgres } = await import('resourcery/postgres')
  database ??= newDatabase()
  const { name, url } = await database
  const number = schemaCount++
  if (number % schemasAtOnce === 0) {
    const schemas = Array.from(
      { length: schemasAtOnce },
      (_, index) => `create schema store_${number + index}`,
    )
    created = sharedServer().then((server) => server.run(schemas.join('; '), [], name))
  }
  await created
  const schema = `store_${number}`
  const options = encodeURIComponent(`-c search_path=${schema}`)
  return () =>
    remember(postgres(`${url}&options=${options}`, { maxConnections: 4, idleTimeoutMs: 500 }))
})

/** Stores of runs of their own, `npm run test:postgres` and `test:tables`, which take longer. */
const otherStores: Readonly<Record<string, StoreKind>> = {
  postgres: postgresStore,
  'sqlite-tables': sqliteTablesStore,
}

/** The store of such a run. */
export const otherStore: StoreKind | undefined = otherStores[process.env.TEST_STORE ?? '']

/** The stores of a run. */
export const stores: readonly StoreKind[] = otherStore ? [otherStore] : [memoryStore, sqliteStore]

function storeKind(
  name: string,
  layout: StoreKind['layout'],
  makeData: StoreKind['makeData'],
): StoreKind {
  return { name, layout, makeData, make: async () => (await makeData())() }
}

async function newFile(): Promise<string> {
  folder ??= mkdtemp(join(tmpdir(), 'resourcery-'))
  return join(await folder, `${fileCount++}.db`)
}

function remember(store: Store): Store {
  openStores.add(store)
  const close = store.close.bind(store)
  // A property test closes hundreds of stores, which would else stay in memory with their items.
  store.close = () => {
    openStores.delete(store)
    return close()
  }
  return store
}

/**
 * Waits until all transactions of now have ended, those of the server itself too: PostgreSQL shows
 * in the log of changes what stands below the oldest of them.
 */
export async function transactionsEnded(): Promise<void> {
  if (!database) return
  const { transactionsEndedIn } = await import('./postgres/transactions-ended.ts')
  await transactionsEndedIn((await database).name)
}

afterEachFile(async () => {
  // At the same time, because stores that close together share a garbage collection.
  await Promise.all([...openStores].map((store) => store.close()))
  await (await database)?.drop()
  if (folder) await rm(await folder, { recursive: true, force: true })
  database = created = folder = undefined
  schemaCount = 0
})
