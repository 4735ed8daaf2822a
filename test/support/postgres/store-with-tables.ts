import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import { slotLocking } from '../../../src/store/postgres/lock-slots.ts'
import { postgres } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'

/**
 * A store whose tables are there before it opens: another store makes them.
 * @param url leads to the same database, without a double
 */
export function storeWithTables(store: Store, url: string): Store {
  return {
    ...store,
    async open(models, options) {
      const maker = postgres(url, { foreignKeys: false, manage: true })
      await maker.open(models)
      await maker.close()
      const database = new PostgresDatabase(url)
      await database.write(slotLocking.createLockTable.map((sql) => ({ sql, parameters: [] })))
      await database.close()
      await store.open(models, options)
    },
  }
}
