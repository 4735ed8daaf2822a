import { checkOptions, milliseconds, type OptionChecks } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Store } from '../store.ts'
import type { WritePositions } from '../store-call.ts'
import {
  type TablesOptions,
  tablesOptionChecks,
  tablesStoreOptions,
} from '../tables/tables-options.ts'
import { tablesStore } from '../tables/tables-store.ts'
import { PostgresDatabase } from './database.ts'
import { postgresEngine } from './engine.ts'
import {
  checkPostgresUrl,
  connectionOptions,
  type PostgresConnectionOptions,
  type PostgresTimeOptions,
  timeOptions,
} from './options.ts'
import { ReplicatedDatabase } from './replicated-database.ts'
import type { SessionHook } from './session-settings.ts'

/** A server that is written to, and servers that replicate it by streaming. */
export interface PostgresServers {
  /** The URL of the server that is written to. */
  readonly primary: string
  /** The URLs of the servers that requests read from. */
  readonly replicas: readonly string[]
}

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
 * @param servers the URL of the server, or those of a primary and its replicas
 *
 * @throws RegistrationError for an invalid URL, and for an unknown or invalid option
 */
export function postgres(servers: string | PostgresServers, options: PostgresOptions = {}): Store {
  if (typeof servers === 'object' && servers !== null)
    checkOptions('the servers of postgres()', servers, serverOptions)
  const { primary, replicas } =
    typeof servers === 'object' && servers !== null ? servers : { primary: servers, replicas: [] }
  if (!Array.isArray(replicas))
    throw new RegistrationError("The option 'replicas' of postgres() must be an array of URLs.")
  for (const url of [primary, ...replicas]) checkPostgresUrl('postgres()', url)
  checkOptions('postgres()', options, postgresOptions)
  const tablesOptions = tablesStoreOptions('postgres()', options)
  const { replicaWaitMs = 100 } = options
  const open = (url: string) => new PostgresDatabase(url, options)
  if (replicas.length === 0) return tablesStore(postgresEngine, open(primary), tablesOptions)
  const database = new ReplicatedDatabase(open(primary), replicas.map(open), replicaWaitMs)
  const store = tablesStore(postgresEngine, database, tablesOptions)
  return { ...store, facts: { ...store.facts, writePositions } }
}

/** Places in the write-ahead log: two hexadecimal numbers. */
const writePositions: WritePositions = {
  isValid: (text) => /^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i.test(text),
}

const serverOptions: OptionChecks<PostgresServers> = { primary: true, replicas: true }

const postgresOptions: OptionChecks<PostgresOptions> = {
  ...connectionOptions,
  ...timeOptions,
  ...tablesOptionChecks,
  session: true,
  replicaWaitMs: milliseconds,
}
