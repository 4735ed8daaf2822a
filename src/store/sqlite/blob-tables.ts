import type { Connection } from './connection.ts'

/** What a blob's row says of it. It has bytes for readers while it is whole only. */
export const blobStates = { uploading: 0, complete: 1, deleting: 2 } as const

/** Larger ones write faster, and hold up others for longer. */
export const chunkBytes = 262_144

// The chunks of a blob lie together, under numbers that no other blob has ever had: its own times
// this, and so on.
const maxChunks = 2 ** 20

/**
 * Adds the tables. `autoincrement` never gives a number twice, so a reader of a blob that is gone
 * cannot meet the bytes of another. To be called inside a transaction.
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

export interface BlobRow {
  readonly number: number
  readonly size: number
}

/** The row of a whole blob. */
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

/** Begins an upload, and gives its number. */
export function insertBlob(connection: Connection, key: string): number {
  const sql = `insert into "_blob" (key, state, size, written_at) values (?, ${blobStates.uploading}, 0, ?) returning number`
  return connection.prepare(sql).get([key, Date.now()])![0] as number
}

/** False when the upload was deleted meanwhile. */
export function insertChunk(
  connection: Connection,
  blob: number,
  index: number,
  bytes: Uint8Array,
): boolean {
  if (index >= maxChunks)
    throw new Error(`A blob may have at most ${maxChunks * chunkBytes} bytes.`)
  if (!updateUpload(connection, blob, blobStates.uploading, 0)) return false
  connection
    .prepare('insert into "_blob_chunk" (number, bytes) values (?, ?)')
    .run([chunkNumber(blob, index), bytes])
  return true
}

/** False when the upload was deleted meanwhile. */
export function finishBlob(connection: Connection, blob: number, size: number): boolean {
  return updateUpload(connection, blob, blobStates.complete, size)
}

function updateUpload(connection: Connection, blob: number, state: number, size: number): boolean {
  const sql = `update "_blob" set state = ?, size = ?, written_at = ? where number = ? and state = ${blobStates.uploading}`
  return connection.prepare(sql).run([state, size, Date.now(), blob]) === 1
}

/**
 * Takes a blob, or an upload, out of the sight of readers and writers. Gives its number, until its
 * row is dropped.
 */
export function markBlobDeleting(connection: Connection, key: string): number | undefined {
  const sql = `update "_blob" set state = ${blobStates.deleting} where key = ? returning number`
  return connection.prepare(sql).get([key])?.[0] as number | undefined
}

/**
 * Drops some of the chunks of a blob that is leaving; false when there were none left, and so the
 * row was dropped.
 */
export function deleteChunks(connection: Connection, blob: number, count: number): boolean {
  const some =
    'delete from "_blob_chunk" where number in (select number from "_blob_chunk" where number >= ? and number < ? limit ?)'
  const dropped = connection
    .prepare(some)
    .run([chunkNumber(blob, 0), chunkNumber(blob + 1, 0), count])
  if (dropped === 0) connection.prepare('delete from "_blob" where number = ?').run([blob])
  return dropped > 0
}

export interface ListedBlobRow {
  readonly number: number
  readonly key: string
  readonly writtenAt: number
}

/** The rows of all states that follow a number. */
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
