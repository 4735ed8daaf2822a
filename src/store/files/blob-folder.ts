import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isBlobKey } from '../blobs/blob-key.ts'
import type { CopiedData, DataCopy, DataFiles } from '../data-files.ts'
import { ownerFolderMode } from '../file-modes.ts'
import { syncPath } from '../sync-path.ts'
import { folderOfBlob, isBlobFolder } from './blob-paths.ts'
import { type DeletionHold, holdDeletions } from './deletion-hold.ts'

/** Files that are copied at the same time. */
const parallelCopies = 8

/** The folder of `fileBlobs`. */
export function blobFolder<S>(root: string, at: (path: string) => S): DataFiles<S> {
  return {
    path: root,
    at,
    companionSuffixes: [],
    beginCopy: () => beginCopy(root),
    // Nothing says who reads a folder. The file of the items says whether a service runs.
    refuseUse: async () => undefined,
    // Only items know the hashes of blobs.
    findDamage: async () => [],
    renameLog: async () => undefined,
  }
}

async function beginCopy(root: string): Promise<DataCopy> {
  if (!(await stat(root).catch(() => undefined))) return emptyCopy
  const hold = await holdDeletions(root)
  return {
    pin: async () => undefined,
    copyTo: (target) => copyBlobs(root, target, hold),
    end: () => hold.end(),
  }
}

/**
 * The copy of a folder that is missing. It is not made: its path may be wrong, or its volume not
 * mounted.
 */
const emptyCopy: DataCopy = {
  pin: async () => undefined,
  async copyTo(target) {
    await mkdir(target, { mode: ownerFolderMode })
    return new BlobCopy(target).end()
  },
  end: async () => undefined,
}

/**
 * Copies all blobs, those last that were deleted meanwhile. A few of them may be without an item:
 * the service deletes them as after a crash.
 */
async function copyBlobs(root: string, target: string, hold: DeletionHold): Promise<CopiedData> {
  await mkdir(target, { mode: ownerFolderMode })
  const copy = new BlobCopy(target)
  for (const name of (await readdir(root)).filter(isBlobFolder))
    await copy.add((await readdir(join(root, name))).map((key) => [key, join(root, name, key)]))
  await copy.add(await hold.list())
  await hold.refuseEnded()
  return copy.end()
}

class BlobCopy {
  readonly #target: string
  readonly #folders = new Set<string>()
  #fileCount = 0
  #byteCount = 0

  constructor(target: string) {
    this.#target = target
  }

  /** Copies files by their keys. */
  async add(files: readonly (readonly [key: string, path: string])[]): Promise<void> {
    const blobs = files.filter(([key]) => isBlobKey(key))
    for (let start = 0; start < blobs.length; start += parallelCopies)
      await Promise.all(
        blobs.slice(start, start + parallelCopies).map(([key, path]) => this.#copy(key, path)),
      )
  }

  async #copy(key: string, path: string): Promise<void> {
    const folder = folderOfBlob(this.#target, key)
    if (!this.#folders.has(folder)) await mkdir(folder, { recursive: true, mode: ownerFolderMode })
    this.#folders.add(folder)
    const copied = join(folder, key)
    try {
      // File systems that can share the bytes of two files do.
      await copyFile(path, copied, constants.COPYFILE_FICLONE)
    } catch (error) {
      // It was deleted meanwhile: the held blobs have it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    const handle = await open(copied, 'r+')
    try {
      await handle.sync()
      this.#byteCount += (await handle.stat()).size
      this.#fileCount++
    } finally {
      await handle.close()
    }
  }

  /** Makes the names of the files durable. */
  async end(): Promise<CopiedData> {
    for (const folder of [...this.#folders, this.#target]) await syncPath(folder)
    return { fileCount: this.#fileCount, byteCount: this.#byteCount, hasBlobs: true }
  }
}
