import { checkOptions, type KnownOptions } from '../../model/check-options.ts'
import { isBlobKey, makeBlobKey } from '../blob-key.ts'
import { BlobGone, type BlobStore, type ByteSpan } from '../blob-store.ts'
import { fairTurn } from '../fair-turn.ts'
import { inChunks } from '../in-chunks.ts'
import {
  type BlobRow,
  chunkBytes,
  dropSome,
  findBlob,
  finishBlob,
  insertBlob,
  insertChunk,
  leaveBlob,
  listBlobs,
  prepareBlobTables,
  readChunk,
} from './blob-tables.ts'
import type { Connection } from './connection.ts'
import { type GroupCommit, groupCommit } from './group-commit.ts'
import { checkFile, closeFile, openFile } from './open-file.ts'
import { opening } from './opening.ts'
import { toStoreError } from './sqlite-error.ts'

export interface SqliteBlobsOptions {
  /** What a settled write survives: `full` (unless given) a power cut, `normal` the end of the process. */
  readonly durability?: 'full' | 'normal'
}

interface Writer {
  readonly connection: Connection
  readonly commits: GroupCommit
}

interface Opened {
  readonly reader: Connection
  readonly writer: Writer
  /** Writes the last step of an upload. Its commit makes all before it durable, so those need not be so by themselves. */
  readonly finisher: Writer
}

const droppedAtOnce = 16
const listedAtOnce = 500

/**
 * Blobs in an SQLite file, which is made when it is missing, with its folder, in rows of 256 KiB. Other processes may use the file too. It may be
 * the file of the items; uploads and items then wait for each other's commits, which they do not in files of their own. What is deleted
 * makes room for later blobs, the file does not get smaller.
 *
 * ```ts
 * const blobs = sqliteBlobs('data/blobs.db')
 * ```
 * @throws TypeError when it names no file, such as `:memory:`; `memoryBlobs()` keeps blobs in memory
 */
export function sqliteBlobs(file: string, options: SqliteBlobsOptions = {}): BlobStore {
  checkFile(file)
  checkOptions('sqliteBlobs()', options, blobOptions)
  const connect = (): Promise<Opened> =>
    openFile(file, async (to) => {
      const writerWith = (synchronous: 'full' | 'normal'): Writer => {
        const made = to.writer(synchronous)
        return { connection: made, commits: groupCommit(made) }
      }
      const writer = writerWith('normal')
      await writer.commits.run(async () => prepareBlobTables(writer.connection))
      const finisher = options.durability === 'normal' ? writer : writerWith('full')
      return { writer, finisher, reader: to.reader() }
    })

  const disconnect = async ({ reader, writer, finisher }: Opened): Promise<void> => {
    const writers = new Set([writer, finisher])
    for (const { commits } of writers) await commits.idle()
    await closeFile(
      [reader],
      [...writers].map(({ connection }) => connection),
    )
  }

  const { ready, close } = opening('The store of blobs', connect, disconnect)

  const reading = async <T>(read: (from: Connection) => T): Promise<T> => {
    const { reader } = await ready()
    try {
      return read(reader)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  const writing = async <T>(write: (to: Connection) => T, by: 'writer' | 'finisher' = 'writer'): Promise<T> => {
    const { connection: to, commits } = (await ready())[by]
    return commits.run(async () => write(to))
  }

  const receive = async (key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    const blob = await writing((to) => insertBlob(to, key))
    let count = 0
    let size = 0
    for await (const chunk of inChunks(bytes, chunkBytes)) {
      const index = count++
      size += chunk.length
      if (!(await writing((to) => insertChunk(to, blob, index, chunk)))) throw new BlobGone(key)
    }
    if (!(await writing((to) => finishBlob(to, blob, size), 'finisher'))) throw new BlobGone(key)
  }

  const remove = async (key: string): Promise<void> => {
    const blob = await writing((to) => leaveBlob(to, key))
    if (blob === undefined) return
    while (await writing((to) => dropSome(to, blob, droppedAtOnce)));
  }

  async function* chunksOf(key: string, { number, size }: BlobRow, span: ByteSpan | undefined) {
    const end = Math.min(size, (span?.end ?? size) + 1)
    for (let at = span?.start ?? 0; at < end; ) {
      const index = Math.floor(at / chunkBytes)
      const chunk = await reading((from) => readChunk(from, number, index))
      if (!chunk) throw new BlobGone(key)
      const begin = index * chunkBytes
      yield chunk.subarray(at - begin, end - begin)
      at = begin + chunkBytes
      // A reader that is always ready for more must not keep the event loop to itself.
      await fairTurn()
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
      for (let start = 0; start < known.length; start += removedAtOnce)
        await Promise.all(known.slice(start, start + removedAtOnce).map(remove))
    },
    async *list() {
      for (let after = 0; ; ) {
        const rows = await reading((from) => listBlobs(from, after, listedAtOnce))
        for (const { key, writtenAt } of rows) yield { key, writtenAt }
        if (rows.length < listedAtOnce) return
        after = rows.at(-1)!.number
      }
    },
    close,
  }
}

const removedAtOnce = 100
const blobOptions: KnownOptions<SqliteBlobsOptions> = { durability: ['full', 'normal'] }
