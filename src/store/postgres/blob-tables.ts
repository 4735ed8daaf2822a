import type { Statement } from '../sql/statement-cache.ts'
import type { PostgresDatabase } from './database.ts'

/** The states of a blob. Readers see only complete blobs. */
const blobStates = { uploading: 0, complete: 1, deleting: 2 } as const

/** Larger chunks need more memory for each reader and writer. */
export const chunkBytes = 262_144

/**
 * Creates the tables where they are missing. The bytes of chunks are neither compressed nor kept in
 * the rows: most files are compressed already.
 */
export async function prepareBlobTables(database: PostgresDatabase): Promise<void> {
  if (await haveTables(database)) return
  const creation = database.transaction(async (transaction) => {
    await transaction.run(
      [
        'create table if not exists resourcery_blobs (key uuid primary key, state smallint not null,' +
          ' size bigint not null, written_at timestamptz not null)',
        'create table if not exists resourcery_blob_chunks (key uuid, number integer,' +
          ' bytes bytea not null, primary key (key, number))',
        'alter table resourcery_blob_chunks alter column bytes set storage external',
      ].map((sql) => statement(sql)),
    )
  })
  try {
    await creation
  } catch (error) {
    // Of two that create a table at once, one gets an error, even with `if not exists`, once the
    // other has ended. There may be no lock for that: poolers and other servers lack some.
    if (!(await haveTables(database))) throw error
  }
}

async function haveTables(database: PostgresDatabase): Promise<boolean> {
  const [tables] = await database.read([
    statement(`select 1 from to_regclass('resourcery_blob_chunks') as name where name is not null`),
  ])
  return tables!.count > 0
}

/** Begins an upload. */
export function insertBlob(key: string): Statement {
  return statement(
    `insert into resourcery_blobs values ($1, ${blobStates.uploading}, 0, now())`,
    key,
  )
}

/** Adds a chunk. No row is inserted if the upload was deleted in the meantime. */
export function insertChunk(key: string, number: number, bytes: Uint8Array): Statement {
  return statement(
    'with upload as (update resourcery_blobs set written_at = now()' +
      ` where key = $1 and state = ${blobStates.uploading} returning key)` +
      ' insert into resourcery_blob_chunks select key, $2::integer, $3::bytea from upload',
    key,
    number,
    bytes,
  )
}

/**
 * Ends an upload. No row is updated if it was deleted in the meantime, or if a crash of the server
 * has lost one of its chunks, whose commits do not wait for the disk.
 */
export function finishBlob(key: string, size: number, chunkCount: number): Statement {
  return statement(
    `update resourcery_blobs set state = ${blobStates.complete}, size = $2, written_at = now()` +
      ` where key = $1 and state = ${blobStates.uploading}` +
      ' and (select count(*) from resourcery_blob_chunks where key = $1) = $3',
    key,
    size,
    chunkCount,
  )
}

/** The size of a complete blob. */
export function findBlob(key: string): Statement {
  return statement(
    `select size from resourcery_blobs where key = $1 and state = ${blobStates.complete}`,
    key,
  )
}

/** The bytes of a chunk as Base64, which is shorter and decoded faster than hexadecimal text. */
export function findChunk(key: string, number: number): Statement {
  return statement(
    "select encode(bytes, 'base64') from resourcery_blob_chunks where key = $1 and number = $2",
    key,
    number,
  )
}

/** Hides a blob or an upload from readers and writers. */
export function markBlobDeleting(key: string): Statement {
  return statement(`update resourcery_blobs set state = ${blobStates.deleting} where key = $1`, key)
}

/** Deletes some chunks of a blob. */
export function deleteChunks(key: string, count: number): Statement {
  return statement(
    'delete from resourcery_blob_chunks where key = $1 and number in' +
      ' (select number from resourcery_blob_chunks where key = $1 order by number limit $2)',
    key,
    count,
  )
}

/** Deletes a blob that has no chunks any more. */
export function deleteBlob(key: string): Statement {
  return statement(
    'delete from resourcery_blobs where key = $1' +
      ' and not exists (select 1 from resourcery_blob_chunks where key = $1)',
    key,
  )
}

/** Keys and times (in milliseconds) in all states, after a key. */
export function listBlobs(after: string, count: number): Statement {
  return statement(
    'select key, floor(extract(epoch from written_at) * 1000)::bigint from resourcery_blobs' +
      ' where key > $1 order by key limit $2',
    after,
    count,
  )
}

/**
 * For steps of an upload before the last one: its commit makes them durable too, so that none of
 * them waits for a disk.
 */
export const withoutWaitingForDisk: Statement = statement(
  "select set_config('synchronous_commit', 'off', true)",
)

function statement(sql: string, ...parameters: readonly unknown[]): Statement {
  return { sql, parameters }
}
