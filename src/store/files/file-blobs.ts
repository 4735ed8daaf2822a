import nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { BlobGone, type BlobStore, type ByteRange, type ListedBlob } from '../blob-store.ts'
import { isBlobKey, makeBlobKey } from '../blobs/blob-key.ts'
import { rechunk } from '../blobs/rechunk.ts'
import { createDisk, type Disk } from './disk.ts'

export interface FileBlobsOptions {
  /**
   * What a settled write survives: `full` (unless given) a power cut, `normal` the end of the
   * process.
   */
  readonly durability?: 'full' | 'normal'
}

const chunkBytes = 262_144
const folderPattern = /^[\da-f]{2}$/

/**
 * Blobs as files in a folder, which is made when it is missing. Other processes may use the folder
 * too. A file is written under `incoming/`, made durable, and then moved to its place, so what is
 * in place is whole. Places are spread over 256 folders; links among them are not followed. What is
 * made is readable for the user of the process alone (0600, folders 0700).
 *
 * ```ts
 * const blobs = fileBlobs('data/blobs')
 * ```
 */
export function fileBlobs(directory: string, options: FileBlobsOptions = {}): BlobStore {
  checkOptions('fileBlobs()', options, blobOptions)
  return fileBlobsOnDisk(createDisk(nodeFiles), directory, options)
}

/** The same, on a disk that a test can make fail. */
export function fileBlobsOnDisk(
  disk: Disk,
  directory: string,
  { durability = 'full' }: FileBlobsOptions = {},
): BlobStore {
  const isDurable = durability === 'full'
  let opened: string | undefined

  const root = (): string => {
    if (opened !== undefined) return opened
    throw new Error(`The folder of blobs '${directory}' was not opened.`)
  }
  // The end of a key is random, its beginning is a time.
  const folderOf = (key: string) => join(root(), key.slice(-2))
  const placeOf = (key: string) => join(folderOf(key), key)
  const incomingOf = (key: string) => join(root(), 'incoming', key)

  const receive = async (key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    const file = await disk.create(incomingOf(key))
    let writing: Promise<void> | undefined
    try {
      for await (const chunk of rechunk(bytes, chunkBytes)) {
        await writing
        // The next chunk is read, and hashed by whoever gives it, while this one is written.
        writing = file.write(chunk)
        writing.catch(() => {})
      }
      await writing
      if (isDurable) await file.sync()
    } finally {
      await writing?.catch(() => {})
      await file.close()
    }
  }

  const moveIntoPlace = async (key: string): Promise<void> => {
    const folder = folderOf(key)
    await disk.makeFolder(folder)
    if (!(await disk.move(incomingOf(key), placeOf(key)))) throw new BlobGone(key)
    if (!isDurable) return
    await disk.syncFolder(folder)
    await disk.syncFolder(root())
  }

  const remove = async (path: string): Promise<void> => {
    if (await disk.exists(path)) await disk.remove(path)
  }

  const removeEverywhere = async (key: string): Promise<void> => {
    await remove(incomingOf(key))
    await remove(placeOf(key))
  }

  async function* chunksOf(
    key: string,
    span: ByteRange | undefined,
  ): AsyncGenerator<Uint8Array, void> {
    const file = await disk.open(placeOf(key))
    if (!file) throw new BlobGone(key)
    try {
      const end = Math.min(file.size, (span?.end ?? file.size) + 1)
      for (let at = span?.start ?? 0; at < end; at += chunkBytes)
        yield await file.read(at, Math.min(chunkBytes, end - at))
    } finally {
      await file.close()
    }
  }

  async function* listIn(folder: string): AsyncGenerator<ListedBlob, void> {
    for (const key of (await disk.listNames(folder)).filter(isBlobKey)) {
      const writtenAt = await disk.writtenAt(join(folder, key))
      if (writtenAt !== undefined) yield { key, writtenAt }
    }
  }

  return {
    async open() {
      opened = await disk.makeRoot(directory)
      await disk.makeFolder(join(opened, 'incoming'))
    },
    async write(bytes) {
      const key = makeBlobKey()
      try {
        await receive(key, bytes)
        await moveIntoPlace(key)
        return key
      } catch (error) {
        // What cannot be removed now is listed, and left to the sweep.
        await removeEverywhere(key).catch(() => {})
        throw error
      }
    },
    async read(key, span) {
      if (!isBlobKey(key) || !(await disk.exists(placeOf(key)))) return undefined
      return chunksOf(key, span)
    },
    async delete(keys) {
      for (const key of keys) if (isBlobKey(key)) await removeEverywhere(key)
    },
    async *list() {
      for (const name of await disk.listNames(root()))
        if (folderPattern.test(name)) yield* listIn(join(root(), name))
      // Last, so that an upload that ends meanwhile is not listed twice.
      yield* listIn(join(root(), 'incoming'))
    },
    async close() {},
  }
}

const blobOptions: OptionChecks<FileBlobsOptions> = { durability: ['full', 'normal'] }
