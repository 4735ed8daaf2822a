import { type DatabaseOptions, PostgresDatabase } from './database.ts'
import type { ServerUrls } from './read-servers.ts'
import { type Replica, ReplicatedDatabase } from './replicated-database.ts'
import { Servers } from './servers.ts'

interface OpenDatabaseOptions extends DatabaseOptions {
  /** As the option of `postgres()`. */
  readonly replicaWaitMs?: number
}

/** Connects when it is first used. */
export function openDatabase(
  { primary, replicas }: ServerUrls,
  { replicaWaitMs = 100, ...options }: OpenDatabaseOptions,
): PostgresDatabase | ReplicatedDatabase {
  const primaryServers = new Servers(primary, 'primary')
  const database = new PostgresDatabase(primaryServers, options)
  if (replicas !== 'standbys' && replicas.length === 0) return database
  // A read that a replica cannot serve goes on to the next one.
  const open = (urls: readonly string[]) =>
    new PostgresDatabase(new Servers(urls, 'any'), { ...options, failoverWaitMs: 0 })
  const all: readonly Replica[] =
    replicas === 'standbys'
      ? primary.map((url) => ({
          database: open([url]),
          isPrimary: () => primaryServers.currentUrl === url,
        }))
      : replicas.map((urls) => ({ database: open(urls), isPrimary: () => false }))
  return new ReplicatedDatabase(database, all, replicaWaitMs)
}
