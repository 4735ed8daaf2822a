import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { BlobGone, type BlobStore, type ByteRange } from '../blob-store.ts'
import { isBlobKey } from '../blobs/blob-key.ts'
import { rechunk } from '../blobs/chunks.ts'
import { writeNewBlob } from '../blobs/write-new-blob.ts'
import {
  type BlobRow,
  chunkBytes,
  deleteChunks,
  findBlob,
  finishBlob,
  insertBlob,
  insertChunk,
  listBlobs,
  markBlobDeleting,
  prepareBlobTables,
  readChunk,
} from './blob-tables.ts'
import type { Connection } from './connection.ts'
import { databaseFiles } from './database-files.ts'
import { type GroupCommit, groupCommit } from './group-commit.ts'
import { lazyConnection } from './lazy-connection.ts'
import { checkDatabaseFile, closeDatabaseFile, openDatabaseFile } from './open-database-file.ts'
import { toStoreError } from './sqlite-error.ts'

export interface SqliteBlobsOptions {
  /**
   * What a settled write survives: `full` a power cut, `normal` the end of the process. Default:
   * `full`.
   */
  readonly durability?: 'full' | 'normal'
}

interface Writer {
  readonly connection: Connection
  readonly commits: GroupCommit
}

interface OpenBlobStore {
  readonly reader: Connection
  readonly writer: Writer
  /** Writes the last step of an upload. Its commit makes all steps before it durable too. */
  readonly durableWriter: Writer
}

const deleteChunkCount = 16
const listBatchSize = 500

/**
 * Stores blobs in an SQLite file, in rows of 256 KiB. Creates the file and its folder where they
 * are missing. Other processes may use the file too. It may also be the file of the items, but
 * uploads and items then wait for each other's commits. Deleted blobs free space for later blobs;
 * the file does not shrink.
 *
 * ```ts
 * const blobs = sqliteBlobs('data/blobs.db')
 * ```
 *
 * @throws TypeError for `:memory:`; use `memoryBlobs()` to keep blobs in memory. Also for an
 * address, such as `sqlite:data/shop.db`
 * @throws RegistrationError for an unknown or invalid option
 */
export function sqliteBlobs(file: string, options: SqliteBlobsOptions = {}): BlobStore {
  checkDatabaseFile(file)
  checkOptions('sqliteBlobs()', options, blobOptions)
  const connect = (): Promise<OpenBlobStore> =>
    openDatabaseFile(file, async (factory) => {
      const openWriter = (synchronous: 'full' | 'normal'): Writer => {
        const connection = factory.openWriter(synchronous)
        return { connection, commits: groupCommit(connection) }
      }
      const writer = openWriter('normal')
      await writer.commits.run(async () => prepareBlobTables(writer.connection))
      const durableWriter = options.durability === 'normal' ? writer : openWriter('full')
      return { writer, durableWriter, reader: factory.openReader() }
    })

  const disconnect = async ({ reader, writer, durableWriter }: OpenBlobStore): Promise<void> => {
    const writers = new Set([writer, durableWriter])
    for (const { commits } of writers) await commits.idle()
    await closeDatabaseFile(
      file,
      [reader],
      [...writers].map(({ connection }) => connection),
    )
  }

  const { ready, close } = lazyConnection('The blob store', connect, disconnect)

  const reading = async <T>(read: (connection: Connection) => T): Promise<T> => {
    const { reader } = await ready()
    try {
      return read(reader)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  const writing = async <T>(
    write: (connection: Connection) => T,
    by: 'writer' | 'durableWriter' = 'writer',
  ): Promise<T> => {
    const { connection, commits } = (await ready())[by]
    return commits.run(async () => write(connection))
  }

  const receive = async (key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    const blob = await writing((connection) => insertBlob(connection, key))
    let count = 0
    let size = 0
    for await (const chunk of rechunk(bytes, chunkBytes)) {
      const index = count++
      size += chunk.length
      if (!(await writing((connection) => insertChunk(connection, blob, index, chunk))))
        throw new BlobGone(key)
    }
    if (!(await writing((connection) => finishBlob(connection, blob, size), 'durableWriter')))
      throw new BlobGone(key)
  }

  const remove = async (key: string): Promise<void> => {
    const blob = await writing((connection) => markBlobDeleting(connection, key))
    if (blob === undefined) return
    while (await writing((connection) => deleteChunks(connection, blob, deleteChunkCount)));
  }

  async function* chunksOf(key: string, { number, size }: BlobRow, range: ByteRange | undefined) {
    const end = Math.min(size, (range?.end ?? size) + 1)
    for (let position = range?.start ?? 0; position < end; ) {
      const index = Math.floor(position / chunkBytes)
      const chunk = await reading((connection) => readChunk(connection, number, index))
      if (!chunk) throw new BlobGone(key)
      const chunkStart = index * chunkBytes
      yield chunk.subarray(position - chunkStart, end - chunkStart)
      position = chunkStart + chunkBytes
      // A fast reader must not block the event loop.
      await yieldToEventLoop()
    }
  }

  return {
    async open() {
      await ready()
    },
    write: (bytes) => writeNewBlob({ receive, remove }, bytes),
    async read(key, range) {
      if (!isBlobKey(key)) return undefined
      const row = await reading((connection) => findBlob(connection, key))
      return row && chunksOf(key, row, range)
    },
    async delete(keys) {
      const validKeys = keys.filter(isBlobKey)
      // The queue of writes is limited.
      for (let start = 0; start < validKeys.length; start += deleteBatchSize)
        await Promise.all(validKeys.slice(start, start + deleteBatchSize).map(remove))
    },
    async *list() {
      for (let after = 0; ; ) {
        const rows = await reading((connection) => listBlobs(connection, after, listBatchSize))
        for (const { key, writtenAt } of rows) yield { key, writtenAt }
        if (rows.length < listBatchSize) return
        after = rows.at(-1)!.number
      }
    },
    files: databaseFiles(file, (path) => sqliteBlobs(path, options), 'wait'),
    close,
  }
}

const deleteBatchSize = 100
const blobOptions: OptionChecks<SqliteBlobsOptions> = { durability: ['full', 'normal'] }
