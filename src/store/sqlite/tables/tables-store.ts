import type { Store } from '../../store.ts'
import { checkVersionSecret } from '../../tables/check-version-secret.ts'
import { tablesStore } from '../../tables/tables-store.ts'
import { scanLimits } from '../scan-limits.ts'
import type { SqliteTablesOptions } from '../sqlite-options.ts'
import { sqliteDatabase } from './database.ts'
import { sqliteEngine } from './engine.ts'

/** Keeps items in ordinary tables of an SQLite file, which any other program may read and write. */
export function sqliteTables(file: string, options: SqliteTablesOptions): Store {
  checkVersionSecret('sqlite()', options.versionSecret)
  const { durability = 'full', manage, versionSecret, foreignKeys = true } = options
  const database = sqliteDatabase(file, { durability, limits: scanLimits(options) })
  return tablesStore(sqliteEngine, database, {
    manages: manage,
    versionSecret,
    addsForeignKeys: foreignKeys,
  })
}
