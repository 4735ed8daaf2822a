import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import type { Store } from '../store.ts'
import { tablesStore } from '../tables/tables-store.ts'
import { PostgresDatabase } from './database.ts'
import { postgresEngine } from './engine.ts'
import { checkPostgresUrl, connectionOptions, type PostgresConnectionOptions } from './options.ts'
import type { SessionHook } from './session-settings.ts'

export interface PostgresOptions extends PostgresConnectionOptions {
  /**
   * May the store change tables? With `false` it sends no statement that changes a schema, and
   * opens only if the tables fit the models. Default: true, unless a table of the models exists
   * that the store did not make.
   */
  readonly manage?: boolean
  /**
   * Keeps clients from verifying guesses of hidden values against the versions of items. All
   * processes need the same. Default: a random one, kept in the table `resourcery_settings`; where
   * the store changes no tables, each process makes one, and its tags differ from those of others.
   */
  readonly versionSecret?: string
  /**
   * Does the store add foreign keys for relations? Databases that spread tables over several
   * machines may not have them. Default: true.
   */
  readonly foreignKeys?: boolean
  /** Chooses the role and the settings of the statements of a caller. Default: none. */
  readonly session?: SessionHook
}

/**
 * Stores items in ordinary tables of a PostgreSQL database, which any other program may read and
 * write. Adds missing tables, columns and indexes, and drops nothing; tables of other programs it
 * does not change. Needs the package `pg`.
 *
 * ```ts
 * const store = postgres('postgres://localhost/bookstore')
 * ```
 *
 * @throws RegistrationError for an invalid URL, and for an unknown or invalid option
 */
export function postgres(url: string, options: PostgresOptions = {}): Store {
  checkPostgresUrl('postgres()', url)
  checkOptions('postgres()', options, postgresOptions)
  const { manage, versionSecret, foreignKeys = true, ...connection } = options
  return tablesStore(postgresEngine, new PostgresDatabase(url, connection), {
    manages: manage,
    versionSecret,
    addsForeignKeys: foreignKeys,
  })
}

const postgresOptions: OptionChecks<PostgresOptions> = {
  ...connectionOptions,
  manage: 'boolean',
  versionSecret: true,
  foreignKeys: 'boolean',
  session: true,
}
