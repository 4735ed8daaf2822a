import { join } from 'node:path'
import { BlobGone, type BlobStore, type ByteRange, type ListedBlob } from '../blob-store.ts'
import { isBlobKey } from '../blobs/blob-key.ts'
import { rechunk } from '../blobs/chunks.ts'
import { writeNewBlob } from '../blobs/write-new-blob.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { folderOfBlob, isBlobFolder } from './blob-paths.ts'
import { heldPathOf } from './deletion-hold.ts'
import type { Disk } from './disk.ts'

export interface FileBlobsOptions {
  /**
   * What a settled write survives: `full` a power cut, `normal` the end of the process. Default:
   * `full`.
   */
  readonly durability?: 'full' | 'normal'
}

const chunkBytes = 262_144

/** The blob store of `fileBlobs`, over any disk, so that tests can make a disk fail. */
export function fileBlobsOnDisk(
  disk: Disk,
  directory: string,
  { durability = 'full' }: FileBlobsOptions = {},
): BlobStore {
  const isDurable = durability === 'full'
  let openedRoot: string | undefined

  const root = (): string => {
    if (openedRoot !== undefined) return openedRoot
    throw new Error(`Call open() first: the blob folder '${directory}' is not open.`)
  }
  const folderOf = (key: string) => folderOfBlob(root(), key)
  const pathOf = (key: string) => join(folderOf(key), key)
  const incomingFolder = () => join(root(), 'incoming')
  const incomingPathOf = (key: string) => join(incomingFolder(), key)

  /**
   * A folder that is gone is not made again: uploads to one whose volume is not mounted would be
   * lost once it is.
   */
  const refuseMissingFolder = async (): Promise<void> => {
    if (await disk.exists(incomingFolder())) return
    throw new StoreUnavailable(
      `The blob folder '${directory}' is gone, or has another content. Mount or restore it; a service that starts makes a new one.`,
    )
  }

  const receive = async (key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    const file = await disk.create(incomingPathOf(key)).catch(async (error) => {
      await refuseMissingFolder()
      throw error
    })
    let writing: Promise<void> | undefined
    try {
      for await (const chunk of rechunk(bytes, chunkBytes)) {
        await writing
        // Reads the next chunk, and lets the source hash it, while this one is written.
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

  const publish = async (key: string): Promise<void> => {
    const folder = folderOf(key)
    await disk.makeFolder(folder)
    if (!(await disk.move(incomingPathOf(key), pathOf(key)))) throw new BlobGone(key)
    if (!isDurable) return
    await disk.syncFolder(folder)
    await disk.syncFolder(root())
  }

  const remove = async (path: string): Promise<void> => {
    if (await disk.exists(path)) await disk.remove(path)
  }

  /** While a backup is made, blobs are moved to where it finds them. */
  const removeBlob = async (key: string): Promise<void> => {
    const path = pathOf(key)
    if (!(await disk.exists(path))) return
    if (!(await disk.move(path, heldPathOf(root(), key)))) await disk.remove(path)
  }

  const removeEverywhere = async (key: string): Promise<void> => {
    await remove(incomingPathOf(key))
    await removeBlob(key)
  }

  async function* chunksOf(
    key: string,
    range: ByteRange | undefined,
  ): AsyncGenerator<Uint8Array, void> {
    const file = await disk.open(pathOf(key))
    if (!file) throw new BlobGone(key)
    try {
      const end = Math.min(file.size, (range?.end ?? file.size) + 1)
      for (let offset = range?.start ?? 0; offset < end; offset += chunkBytes)
        yield await file.read(offset, Math.min(chunkBytes, end - offset))
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

  const receiveAndPublish = async (key: string, bytes: AsyncIterable<Uint8Array>) => {
    await receive(key, bytes)
    await publish(key)
  }

  return {
    async open() {
      openedRoot = await disk.makeRoot(directory)
      await disk.makeFolder(incomingFolder())
    },
    write: (bytes) => writeNewBlob({ receive: receiveAndPublish, remove: removeEverywhere }, bytes),
    async read(key, range) {
      if (!isBlobKey(key)) return undefined
      if (await disk.exists(pathOf(key))) return chunksOf(key, range)
      await refuseMissingFolder()
      return undefined
    },
    async delete(keys) {
      for (const key of keys) if (isBlobKey(key)) await removeEverywhere(key)
    },
    async *list() {
      for (const name of await disk.listNames(root()))
        if (isBlobFolder(name)) yield* listIn(join(root(), name))
      // Last, so that an upload that finishes meanwhile is not listed twice.
      yield* listIn(incomingFolder())
    },
    async close() {},
  }
}
