import type { Connection } from './connection.ts'
import { hasTable } from './has-table.ts'

/** The states of a blob. Readers see only complete blobs. */
const blobStates = { uploading: 0, complete: 1, deleting: 2 } as const

/** Larger chunks write faster, but block other writes for longer. */
export const chunkBytes = 262_144

// The chunks of a blob have consecutive numbers from `number * maxChunks` on, which no other blob
// ever has.
const maxChunks = 2 ** 20

/**
 * Creates the tables; call it inside a transaction. `autoincrement` never reuses a number, so a
 * reader of a deleted blob cannot get the bytes of another.
 */
export function prepareBlobTables(connection: Connection): void {
  connection.exec(
    'create table if not exists "_blob" (number integer primary key autoincrement, key text not null unique,' +
      ' state integer not null, size integer not null, written_at integer not null)',
  )
  connection.exec(
    'create table if not exists "_blob_chunk" (number integer primary key, bytes blob not null)',
  )
}

export function hasBlobTables(connection: Pick<Connection, 'prepare'>): boolean {
  return hasTable(connection, '_blob')
}

export interface BlobRow {
  readonly number: number
  readonly size: number
}

/** Finds a complete blob. */
export function findBlob(connection: Connection, key: string): BlobRow | undefined {
  const sql = `select number, size from "_blob" where key = ? and state = ${blobStates.complete}`
  const [number, size] = (connection.prepare(sql).get([key]) ?? []) as number[]
  return number === undefined || size === undefined ? undefined : { number, size }
}

export function readChunk(
  connection: Connection,
  blob: number,
  index: number,
): Uint8Array | undefined {
  const row = connection
    .prepare('select bytes from "_blob_chunk" where number = ?')
    .get([chunkNumber(blob, index)])
  return row?.[0] as Uint8Array | undefined
}

/** Begins an upload and returns its number. */
export function insertBlob(connection: Connection, key: string): number {
  const sql = `insert into "_blob" (key, state, size, written_at) values (?, ${blobStates.uploading}, 0, ?) returning number`
  return connection.prepare(sql).get([key, Date.now()])![0] as number
}

/** False when the upload was deleted in the meantime. */
export function insertChunk(
  connection: Connection,
  blob: number,
  index: number,
  bytes: Uint8Array,
): boolean {
  if (index >= maxChunks)
    throw new Error(`A blob must have at most ${maxChunks * chunkBytes} bytes.`)
  if (!updateUpload(connection, blob, blobStates.uploading, 0)) return false
  connection
    .prepare('insert into "_blob_chunk" (number, bytes) values (?, ?)')
    .run([chunkNumber(blob, index), bytes])
  return true
}

/** False when the upload was deleted in the meantime. */
export function finishBlob(connection: Connection, blob: number, size: number): boolean {
  return updateUpload(connection, blob, blobStates.complete, size)
}

function updateUpload(connection: Connection, blob: number, state: number, size: number): boolean {
  const sql = `update "_blob" set state = ?, size = ?, written_at = ? where number = ? and state = ${blobStates.uploading}`
  return connection.prepare(sql).run([state, size, Date.now(), blob]) === 1
}

/**
 * Hides a blob or an upload from readers and writers. Returns its number until its row is deleted.
 */
export function markBlobDeleting(connection: Connection, key: string): number | undefined {
  const sql = `update "_blob" set state = ${blobStates.deleting} where key = ? returning number`
  return connection.prepare(sql).get([key])?.[0] as number | undefined
}

/** Deletes some chunks of a blob; false when none were left and the row itself was deleted. */
export function deleteChunks(connection: Connection, blob: number, count: number): boolean {
  const sql =
    'delete from "_blob_chunk" where number in (select number from "_blob_chunk" where number >= ? and number < ? limit ?)'
  const deleted = connection
    .prepare(sql)
    .run([chunkNumber(blob, 0), chunkNumber(blob + 1, 0), count])
  if (deleted === 0) connection.prepare('delete from "_blob" where number = ?').run([blob])
  return deleted > 0
}

export interface ListedBlobRow {
  readonly number: number
  readonly key: string
  readonly writtenAt: number
}

/** Rows in all states after a number. */
export function listBlobs(
  connection: Connection,
  after: number,
  count: number,
): readonly ListedBlobRow[] {
  const sql = 'select number, key, written_at from "_blob" where number > ? order by number limit ?'
  const rows = connection.prepare(sql).all([after, count]) as [number, string, number][]
  return rows.map(([number, key, writtenAt]) => ({ number, key, writtenAt }))
}

function chunkNumber(blob: number, index: number): number {
  return blob * maxChunks + index
}
