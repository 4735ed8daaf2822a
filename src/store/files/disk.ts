import { constants } from 'node:fs'
import type nodeFiles from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { ownerFileMode, ownerFolderMode } from '../file-modes.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { syncPath } from '../sync-path.ts'

/** What a disk needs of `node:fs/promises`. Tests pass one that fails. */
export type FileSystem = Pick<
  typeof nodeFiles,
  'lstat' | 'mkdir' | 'open' | 'readdir' | 'realpath' | 'rename' | 'unlink'
>

/** The file operations of a blob store. Errors of the file system become StoreUnavailable. */
export interface Disk {
  /** Creates the folder if it is missing, and returns its path without links. */
  makeRoot(folder: string): Promise<string>
  makeFolder(folder: string): Promise<void>
  /** Does the path exist, without links in it? */
  exists(path: string): Promise<boolean>
  /** False if `from` does not exist. */
  move(from: string, to: string): Promise<boolean>
  remove(path: string): Promise<void>
  /** Makes the names in a folder durable. */
  syncFolder(folder: string): Promise<void>
  /** The names in a folder; empty if the folder does not exist. */
  listNames(folder: string): Promise<readonly string[]>
  writtenAt(path: string): Promise<number | undefined>
  create(path: string): Promise<WritableFile>
  /** Undefined if it does not exist, or is no file. */
  open(path: string): Promise<ReadableFile | undefined>
}

interface WritableFile {
  write(bytes: Uint8Array): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

interface ReadableFile {
  readonly size: number
  /** All bytes of a range within the size. */
  read(start: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

// Windows has none: creating links needs extra rights there.
const noFollow = constants.O_NOFOLLOW ?? 0

export function createDisk(files: FileSystem): Disk {
  const exists = async (path: string) => (await unlessMissing(files.realpath(path))) === path
  return {
    async makeRoot(folder) {
      await orUnavailable(files.mkdir(folder, { recursive: true, mode: ownerFolderMode }))
      return orUnavailable(files.realpath(folder))
    },
    async makeFolder(folder) {
      if (await exists(folder)) return
      await orUnavailable(files.mkdir(folder, { recursive: true, mode: ownerFolderMode }))
      if (!(await exists(folder)))
        throw new StoreUnavailable(`'${folder}' is a link to another folder.`)
    },
    exists,
    move: async (from, to) =>
      (await unlessMissing(files.rename(from, to).then(() => true))) ?? false,
    remove: (path) => unlessMissing(files.unlink(path)),
    syncFolder: (folder) => orUnavailable(syncPath(folder, files.open)),
    listNames: async (folder) => (await unlessMissing(files.readdir(folder))) ?? [],
    async writtenAt(path) {
      const stats = await unlessMissing(files.lstat(path))
      return stats?.isFile() ? stats.mtimeMs : undefined
    },
    create: async (path) =>
      writableFile(await orUnavailable(files.open(path, 'wx', ownerFileMode))),
    async open(path) {
      const handle = await unlessMissing(files.open(path, constants.O_RDONLY | noFollow))
      return handle && readableFile(handle, path)
    },
  }
}

function writableFile(handle: FileHandle): WritableFile {
  return {
    async write(bytes) {
      for (let offset = 0; offset < bytes.length; )
        offset += (await orUnavailable(handle.write(bytes, offset))).bytesWritten
    },
    sync: () => orUnavailable(handle.sync()),
    close: () => orUnavailable(handle.close()),
  }
}

async function readableFile(handle: FileHandle, path: string): Promise<ReadableFile> {
  const close = () => orUnavailable(handle.close())
  const { size } = await orUnavailable(handle.stat()).catch((error) =>
    close().then(() => Promise.reject(error)),
  )
  return {
    size,
    async read(start, length) {
      const bytes = Buffer.allocUnsafeSlow(length)
      for (let offset = 0; offset < length; ) {
        const { bytesRead } = await orUnavailable(
          handle.read(bytes, offset, length - offset, start + offset),
        )
        if (bytesRead === 0)
          throw new StoreUnavailable(`'${path}' was truncated while it was read.`)
        offset += bytesRead
      }
      return bytes
    },
    close,
  }
}

/** There is no such file, or the path leads to something else. */
const missingCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'])

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  return orUnavailable(
    call.catch((error) => (missingCodes.has(error.code) ? undefined : Promise.reject(error))),
  )
}

/** Any error, such as a full disk or too many open files, may be temporary. */
export function orUnavailable<T>(call: Promise<T>): Promise<T> {
  return call.catch((cause) => {
    throw new StoreUnavailable(`The blob folder is unavailable: ${cause.message}.`, { cause })
  })
}
