import { checkOptions } from '../../model/check-options.ts'
import { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import { BlobGone, type BlobStore, type ByteRange } from '../blob-store.ts'
import { isBlobKey } from '../blobs/blob-key.ts'
import { rechunk } from '../blobs/chunks.ts'
import { writeNewBlob } from '../blobs/write-new-blob.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { OutcomeUnknown, StoreUnavailable } from '../store-failures.ts'
import {
  chunkBytes,
  deleteBlob,
  deleteChunks,
  findBlob,
  findChunk,
  finishBlob,
  insertBlob,
  insertChunk,
  listBlobs,
  markBlobDeleting,
  prepareBlobTables,
  withoutWaitingForDisk,
} from './blob-tables.ts'
import { PostgresDatabase } from './database.ts'
import { connectionOptions, type PostgresConnectionOptions } from './options.ts'
import { serverUrls } from './server-urls.ts'
import { Servers } from './servers.ts'

const deleteChunkCount = 64
const deleteConcurrency = 4
const listBatchSize = 500
const beforeAllKeys = '00000000-0000-0000-0000-000000000000'

/**
 * Stores blobs in a PostgreSQL database, in rows of 256 KiB of the tables `resourcery_blobs` and
 * `resourcery_blob_chunks`. Creates these where they are missing. Other processes may use them too.
 * A reader uses a connection only while it reads a chunk. Needs the package `pg`.
 *
 * ```ts
 * const blobs = postgresBlobs('postgres://bookstore@127.0.0.1/bookstore')
 * ```
 *
 * @throws RegistrationError for another URL, and for an unknown or invalid option
 */
export function postgresBlobs(url: string, options: PostgresConnectionOptions = {}): BlobStore {
  const faults = new RegistrationFaults()
  faults.attempt(() => checkOptions('postgresBlobs()', options, connectionOptions))
  const urls = faults.attempt(() => serverUrls('postgresBlobs()', url, options?.hosts))
  faults.throwAll()
  const database = new PostgresDatabase(new Servers(urls!, 'primary'), options)

  /** No item refers to bytes whose outcome is unknown, so they count as not written. */
  const write = (statements: readonly Statement[]) =>
    database.write(statements).catch((error: unknown) => {
      throw error instanceof OutcomeUnknown
        ? new StoreUnavailable(error.message, { cause: error })
        : error
    })

  const addChunk = async (key: string, number: number, bytes: Uint8Array): Promise<void> => {
    const results = await write([withoutWaitingForDisk, insertChunk(key, number, bytes)])
    if (results[1]!.count === 0) throw new BlobGone(key)
  }

  const receive = async (key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    await write([withoutWaitingForDisk, insertBlob(key)])
    let writing: Promise<void> | undefined
    let count = 0
    let size = 0
    try {
      for await (const chunk of rechunk(bytes, chunkBytes)) {
        await writing
        size += chunk.length
        // Reads the next chunk, and lets the source hash it, while this one is sent.
        writing = addChunk(key, count++, chunk)
        writing.catch(() => {})
      }
      await writing
    } finally {
      await writing?.catch(() => {})
    }
    const [finished] = await write([finishBlob(key, size, count)])
    if (finished!.count === 0) throw new BlobGone(key)
  }

  const remove = async (key: string): Promise<void> => {
    for (;;) {
      const [marked, , deleted] = await write([
        markBlobDeleting(key),
        deleteChunks(key, deleteChunkCount),
        deleteBlob(key),
      ])
      if (marked!.count === 0 || deleted!.count > 0) return
    }
  }

  const readChunk = async (key: string, number: number): Promise<Buffer> => {
    const [chunk] = await database.read([findChunk(key, number)])
    const base64 = chunk!.rows[0]?.[0]
    if (!base64) throw new BlobGone(key)
    return Buffer.from(base64, 'base64')
  }

  async function* chunksOf(key: string, size: number, range: ByteRange | undefined) {
    const start = range?.start ?? 0
    const end = Math.min(size, (range?.end ?? size) + 1)
    if (start >= end) return
    const last = Math.floor((end - 1) / chunkBytes)
    let number = Math.floor(start / chunkBytes)
    for (let reading = readChunk(key, number); number <= last; number++) {
      const bytes = await reading
      // The next chunk is read while this one is sent.
      if (number < last) reading = readChunk(key, number + 1)
      reading.catch(() => {})
      const chunkStart = number * chunkBytes
      yield bytes.subarray(Math.max(0, start - chunkStart), end - chunkStart)
    }
  }

  return {
    open: () => prepareBlobTables(database),
    write: (bytes) => writeNewBlob({ receive, remove }, bytes),
    async read(key, range) {
      if (!isBlobKey(key)) return undefined
      const [blob] = await database.read([findBlob(key)])
      const size = blob!.rows[0]?.[0]
      return size ? chunksOf(key, Number(size), range) : undefined
    },
    async delete(keys) {
      const pending = new Set(keys.filter(isBlobKey)).values()
      const worker = async (): Promise<void> => {
        for (const key of pending) await remove(key)
      }
      await Promise.all(Array.from({ length: deleteConcurrency }, worker))
    },
    async *list() {
      for (let after = beforeAllKeys; ; ) {
        const [blobs] = await database.read([listBlobs(after, listBatchSize)])
        for (const [key, writtenAt] of blobs!.rows)
          yield { key: key!, writtenAt: Number(writtenAt) }
        if (blobs!.rows.length < listBatchSize) return
        after = blobs!.rows.at(-1)![0]!
      }
    },
    close: () => database.close(),
  }
}
