import { onTestFinished } from 'vitest'
import { book, itemOf, models } from '../../../src/contracts/store/models.ts'
import type { LoggedChange } from '../../../src/store/change-log.ts'
import { postgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { newDatabase, sharedServer } from './shared-server.ts'

/** Stores with a log of changes over a new database, which all end with the test. */
export async function loggedStores() {
  const database = await newDatabase()
  const server = await sharedServer()
  const stores: Store[] = []
  onTestFinished(async () => {
    for (const store of stores) await store.close()
    await database.drop()
  })
  return {
    database,
    server,
    run: (sql: string) => server.run(sql, [], database.name),
    async open(url = database.url): Promise<Store> {
      const store = postgres(url)
      stores.push(store)
      await store.open(models, { keepsChanges: true })
      return store
    },
  }
}

export function bookCreated(id: string): LoggedChange {
  const after = itemOf(book, { id })
  return { kind: 'create', model: 'book', id, timeMs: 0, caller: null, before: null, after }
}

/** Adds the change of a new book in a transaction, which may wait before it ends. */
export function logBook(
  store: Store,
  id: string,
  beforeEnd: () => Promise<void> = async () => {},
): Promise<void> {
  return store.write(async (transaction) => {
    await transaction.changes!.add([bookCreated(id)])
    await beforeEnd()
  })
}
