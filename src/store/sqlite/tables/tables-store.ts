import type { Store } from '../../store.ts'
import { tablesStoreOptions } from '../../tables/tables-options.ts'
import { tablesStore } from '../../tables/tables-store.ts'
import { databaseFiles } from '../database-files.ts'
import { scanLimits } from '../scan-limits.ts'
import { toOpenError } from '../sqlite-error.ts'
import type { SqliteTablesOptions } from '../sqlite-options.ts'
import { sqliteDatabase } from './database.ts'
import { sqliteEngine } from './engine.ts'

/** Keeps items in ordinary tables of an SQLite file, which any other program may read and write. */
export function sqliteTables(file: string, options: SqliteTablesOptions): Store {
  const tablesOptions = tablesStoreOptions('sqlite()', options)
  const { durability = 'full' } = options
  const database = sqliteDatabase(file, { durability, limits: scanLimits(options) })
  const store = tablesStore(sqliteEngine, database, tablesOptions)
  return {
    ...store,
    // It opens the tables of any database, and knows no file that an error could name.
    open: (models, openOptions) =>
      store.open(models, openOptions).catch((error) => {
        throw toOpenError(error, file)
      }),
    files: databaseFiles(file, (path) => sqliteTables(path, options), 'go on'),
  }
}
