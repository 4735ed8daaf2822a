// The public names of `resourcery/postgres`.
export type { TablesOptions } from '../tables/tables-options.ts'
export type { PostgresConnectionOptions, PostgresTimeOptions } from './options.ts'
export { postgresBlobs } from './postgres-blobs.ts'
export { type PostgresOptions, postgres } from './postgres-store.ts'
export type { PostgresServers } from './read-servers.ts'
export type { SessionHook, SessionSettings } from './session-settings.ts'
