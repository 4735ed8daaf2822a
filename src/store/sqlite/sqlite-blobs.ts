import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { BlobGone, type BlobStore, type ByteRange } from '../blob-store.ts'
import { isBlobKey, makeBlobKey } from '../blobs/blob-key.ts'
import { rechunk } from '../blobs/rechunk.ts'
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
import { type GroupCommit, groupCommit } from './group-commit.ts'
import { lazyConnection } from './lazy-connection.ts'
import { checkDatabaseFile, closeDatabaseFile, openDatabaseFile } from './open-database-file.ts'
import { toStoreError } from './sqlite-error.ts'

export interface SqliteBlobsOptions {
  /**
   * What a settled write survives: `full` (unless given) a power cut, `normal` the end of the
   * process.
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
  /**
   * Writes the last step of an upload. Its commit makes all before it durable, so those need not be
   * so by themselves.
   */
  readonly finisher: Writer
}

const deleteChunkCount = 16
const listBatchSize = 500

/**
 * Blobs in an SQLite file, which is made when it is missing, with its folder, in rows of 256 KiB.
 * Other processes may use the file too. It may be the file of the items; uploads and items then
 * wait for each other's commits, which they do not in files of their own. What is deleted makes
 * room for later blobs, the file does not get smaller.
 *
 * ```ts
 * const blobs = sqliteBlobs('data/blobs.db')
 * ```
 * @throws TypeError when it names no file, such as `:memory:`; `memoryBlobs()` keeps blobs in
 * memory
 */
export function sqliteBlobs(file: string, options: SqliteBlobsOptions = {}): BlobStore {
  checkDatabaseFile(file)
  checkOptions('sqliteBlobs()', options, blobOptions)
  const connect = (): Promise<OpenBlobStore> =>
    openDatabaseFile(file, async (to) => {
      const writerWith = (synchronous: 'full' | 'normal'): Writer => {
        const made = to.openWriter(synchronous)
        return { connection: made, commits: groupCommit(made) }
      }
      const writer = writerWith('normal')
      await writer.commits.run(async () => prepareBlobTables(writer.connection))
      const finisher = options.durability === 'normal' ? writer : writerWith('full')
      return { writer, finisher, reader: to.openReader() }
    })

  const disconnect = async ({ reader, writer, finisher }: OpenBlobStore): Promise<void> => {
    const writers = new Set([writer, finisher])
    for (const { commits } of writers) await commits.idle()
    await closeDatabaseFile(
      [reader],
      [...writers].map(({ connection }) => connection),
    )
  }

  const { ready, close } = lazyConnection('The store of blobs', connect, disconnect)

  const reading = async <T>(read: (from: Connection) => T): Promise<T> => {
    const { reader } = await ready()
    try {
      return read(reader)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  const writing = async <T>(
    write: (to: Connection) => T,
    by: 'writer' | 'finisher' = 'writer',
  ): Promise<T> => {
    const { connection: to, commits } = (await ready())[by]
    return commits.run(async () => write(to))
  }

  const receive = async (key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    const blob = await writing((to) => insertBlob(to, key))
    let count = 0
    let size = 0
    for await (const chunk of rechunk(bytes, chunkBytes)) {
      const index = count++
      size += chunk.length
      if (!(await writing((to) => insertChunk(to, blob, index, chunk)))) throw new BlobGone(key)
    }
    if (!(await writing((to) => finishBlob(to, blob, size), 'finisher'))) throw new BlobGone(key)
  }

  const remove = async (key: string): Promise<void> => {
    const blob = await writing((to) => markBlobDeleting(to, key))
    if (blob === undefined) return
    while (await writing((to) => deleteChunks(to, blob, deleteChunkCount)));
  }

  async function* chunksOf(key: string, { number, size }: BlobRow, span: ByteRange | undefined) {
    const end = Math.min(size, (span?.end ?? size) + 1)
    for (let at = span?.start ?? 0; at < end; ) {
      const index = Math.floor(at / chunkBytes)
      const chunk = await reading((from) => readChunk(from, number, index))
      if (!chunk) throw new BlobGone(key)
      const begin = index * chunkBytes
      yield chunk.subarray(at - begin, end - begin)
      at = begin + chunkBytes
      // A reader that is always ready for more must not keep the event loop to itself.
      await yieldToEventLoop()
    }
  }

  return {
    async open() {
      await ready()
    },
    async write(bytes) {
      const key = makeBlobKey()
      try {
        await receive(key, bytes)
        return key
      } catch (error) {
        // What cannot be removed now is listed, and left to the sweep.
        await remove(key).catch(() => {})
        throw error
      }
    },
    async read(key, span) {
      if (!isBlobKey(key)) return undefined
      const found = await reading((from) => findBlob(from, key))
      return found && chunksOf(key, found, span)
    },
    async delete(keys) {
      const known = keys.filter(isBlobKey)
      // Only so many writes may wait for the file.
      for (let start = 0; start < known.length; start += deleteBatchSize)
        await Promise.all(known.slice(start, start + deleteBatchSize).map(remove))
    },
    async *list() {
      for (let after = 0; ; ) {
        const rows = await reading((from) => listBlobs(from, after, listBatchSize))
        for (const { key, writtenAt } of rows) yield { key, writtenAt }
        if (rows.length < listBatchSize) return
        after = rows.at(-1)!.number
      }
    },
    close,
  }
}

const deleteBatchSize = 100
const blobOptions: OptionChecks<SqliteBlobsOptions> = { durability: ['full', 'normal'] }
