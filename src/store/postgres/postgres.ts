// The public names of `resourcery/postgres`.
export type { PostgresConnectionOptions } from './options.ts'
export { postgresBlobs } from './postgres-blobs.ts'
