import { constants } from 'node:fs'
import type nodeFiles from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { ownerFileMode, ownerFolderMode } from '../file-modes.ts'
import { StoreUnavailable } from '../store.ts'

/** What is asked of the file system: a test can give one that fails. */
export type FileSystem = Pick<
  typeof nodeFiles,
  'lstat' | 'mkdir' | 'open' | 'readdir' | 'realpath' | 'rename' | 'unlink'
>

/**
 * Files and folders, in the words that a blob store needs. What the file system refuses is
 * StoreUnavailable; what is missing is an answer.
 */
export interface Disk {
  /** The path without links in it, of a folder that is made when it is missing. */
  makeRoot(folder: string): Promise<string>
  makeFolder(folder: string): Promise<void>
  /** Is the path there, as itself, and not through a link that leads elsewhere? */
  exists(path: string): Promise<boolean>
  /** False when there was nothing to move. */
  move(from: string, to: string): Promise<boolean>
  remove(path: string): Promise<void>
  /** Makes the names in a folder survive a power cut. */
  syncFolder(folder: string): Promise<void>
  /** The names in a folder; none when it is missing. */
  listNames(folder: string): Promise<readonly string[]>
  writtenAt(path: string): Promise<number | undefined>
  create(path: string): Promise<WritableFile>
  /** Undefined when it is missing, or no file. */
  open(path: string): Promise<ReadableFile | undefined>
}

export interface WritableFile {
  write(bytes: Uint8Array): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

export interface ReadableFile {
  readonly size: number
  /** All bytes of a span that lies within the size. */
  read(start: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

// Windows knows neither: links need rights of their own there, and folders are not synced.
const noFollow = constants.O_NOFOLLOW ?? 0
const canSyncFolders = process.platform !== 'win32'

export function createDisk(files: FileSystem): Disk {
  const isThere = async (path: string) => (await unlessMissing(files.realpath(path))) === path
  return {
    async makeRoot(folder) {
      await orUnavailable(files.mkdir(folder, { recursive: true, mode: ownerFolderMode }))
      return orUnavailable(files.realpath(folder))
    },
    async makeFolder(folder) {
      if (await isThere(folder)) return
      await orUnavailable(files.mkdir(folder, { recursive: true, mode: ownerFolderMode }))
      if (!(await isThere(folder)))
        throw new StoreUnavailable(`'${folder}' is a link to another folder.`)
    },
    exists: isThere,
    move: async (from, to) =>
      (await unlessMissing(files.rename(from, to).then(() => true))) ?? false,
    remove: (path) => unlessMissing(files.unlink(path)),
    async syncFolder(folder) {
      if (!canSyncFolders) return
      const handle = await orUnavailable(files.open(folder, 'r'))
      await orUnavailable(handle.sync().finally(() => handle.close()))
    },
    listNames: async (folder) => (await unlessMissing(files.readdir(folder))) ?? [],
    async writtenAt(path) {
      const found = await unlessMissing(files.lstat(path))
      return found?.isFile() ? found.mtimeMs : undefined
    },
    create: async (path) => newFile(await orUnavailable(files.open(path, 'wx', ownerFileMode))),
    async open(path) {
      const handle = await unlessMissing(files.open(path, constants.O_RDONLY | noFollow))
      return handle && openFile(handle, path)
    },
  }
}

function newFile(handle: FileHandle): WritableFile {
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; )
        at += (await orUnavailable(handle.write(bytes, at))).bytesWritten
    },
    sync: () => orUnavailable(handle.sync()),
    close: () => orUnavailable(handle.close()),
  }
}

async function openFile(handle: FileHandle, path: string): Promise<ReadableFile> {
  const close = () => orUnavailable(handle.close())
  const { size } = await orUnavailable(handle.stat()).catch((error) =>
    close().then(() => Promise.reject(error)),
  )
  return {
    size,
    async read(start, length) {
      const bytes = Buffer.allocUnsafeSlow(length)
      for (let at = 0; at < length; ) {
        const { bytesRead } = await orUnavailable(handle.read(bytes, at, length - at, start + at))
        if (bytesRead === 0)
          throw new StoreUnavailable(`'${path}' has become shorter while it was read.`)
        at += bytesRead
      }
      return bytes
    },
    close,
  }
}

/** Nothing by that name, or something in its place that cannot be it. */
const missingCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'])

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  return orUnavailable(
    call.catch((error) => (missingCodes.has(error.code) ? undefined : Promise.reject(error))),
  )
}

/** A full disk, a broken one, too many open files: whatever it is, it may pass. */
function orUnavailable<T>(call: Promise<T>): Promise<T> {
  return call.catch((cause) => {
    throw new StoreUnavailable(
      `The folder of blobs cannot be used for the moment: ${cause.message}.`,
      { cause },
    )
  })
}
