import { checkOptions, milliseconds, type OptionChecks } from '../../model/check-options.ts'
import { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import type { Store } from '../store.ts'
import {
  type TablesOptions,
  tablesOptionChecks,
  tablesStoreOptions,
} from '../tables/tables-options.ts'
import { tablesStore } from '../tables/tables-store.ts'
import { postgresEngine } from './engine.ts'
import { openDatabase } from './open-database.ts'
import {
  connectionOptions,
  type PostgresConnectionOptions,
  type PostgresTimeOptions,
  timeOptions,
} from './options.ts'
import { type PostgresServers, readServers } from './read-servers.ts'
import { ReplicatedDatabase } from './replicated-database.ts'
import type { SessionHook } from './session-settings.ts'
import { writePositions } from './write-position.ts'

export interface PostgresOptions
  extends PostgresConnectionOptions,
    PostgresTimeOptions,
    TablesOptions {
  /** Chooses the role and the settings of the statements of a caller. Default: none. */
  readonly session?: SessionHook
  /**
   * How long a read waits for a replica to have what its client has written, in milliseconds. Then
   * it goes to the primary. Default: 100.
   */
  readonly replicaWaitMs?: number
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
 * @param servers the URL of the server, or those of a primary and its replicas; a URL with several
 * hosts, such as `postgres://db-1,db-2/bookstore`, is that of the one that is the primary
 *
 * @throws RegistrationError with a line for each invalid URL and host, and for each unknown or
 * invalid option
 */
export function postgres(servers: string | PostgresServers, options: PostgresOptions = {}): Store {
  const faults = new RegistrationFaults()
  faults.attempt(() => checkOptions('postgres()', options, postgresOptions))
  const urls = readServers(servers, options?.hosts, faults)
  const tablesOptions = faults.attempt(() => tablesStoreOptions('postgres()', options ?? {}))
  faults.throwAll()
  const database = openDatabase(urls!, options)
  const store = tablesStore(postgresEngine, database, tablesOptions!)
  if (!(database instanceof ReplicatedDatabase)) return store
  return { ...store, facts: { ...store.facts, writePositions } }
}

const postgresOptions: OptionChecks<PostgresOptions> = {
  ...connectionOptions,
  ...timeOptions,
  ...tablesOptionChecks,
  session: 'function',
  replicaWaitMs: milliseconds,
}
