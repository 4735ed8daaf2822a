import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ownerFileMode, ownerFolderMode } from '../file-modes.ts'
import { orUnavailable } from './disk.ts'

/** Keeps the blobs of a folder from being deleted by any process. */
export interface DeletionHold {
  /**
   * The blobs that were deleted since it began, by their keys, with their paths.
   * @throws Error if the folder cannot be read: the backup would lack them
   */
  list(): Promise<readonly (readonly [key: string, path: string])[]>
  /** @throws Error if another process has ended the hold: blobs may be deleted since */
  refuseEnded(): Promise<void>
  /**
   * Deletes these blobs, and lets later deletions delete again.
   * @throws Error if the folder cannot be read or changed
   */
  end(): Promise<void>
}

/** While this folder is there, deleted blobs are moved to it. */
const folderName = 'held'
/** Its names before a hold begins, and after its end. */
const temporaryPrefix = `${folderName}-`
/** The errors of a rename to a folder that is not empty. */
const takenCodes: ReadonlySet<string | undefined> = new Set(['EEXIST', 'ENOTEMPTY', 'EPERM'])
/** Names the process that made the folder. The time of the file says when it ran last. */
const ownerName = '.process'
const renewalMs = 5_000
const abandonedMs = 60_000

/** Where a deleted blob goes while deletions are held. */
export function heldPathOf(root: string, key: string): string {
  return join(root, folderName, key)
}

/** @throws Error if another process holds deletions */
export async function holdDeletions(root: string): Promise<DeletionHold> {
  await endAbandonedHold(root)
  const folder = join(root, folderName)
  const owner = `${hostname()} ${process.pid} ${randomUUID()}`
  // It gets its name with its owner in it: without one, a killed process would seem to be alive.
  const temporary = temporaryPath(root)
  await mkdir(temporary, { mode: ownerFolderMode })
  await writeFile(join(temporary, ownerName), owner, { mode: ownerFileMode })
  try {
    await rename(temporary, folder)
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true })
    if (!takenCodes.has((cause as NodeJS.ErrnoException).code)) throw cause
    throw new Error(
      `Another backup of '${root}' is running, or was killed on another machine less than a minute ago. Wait until it has ended, or for a minute, and back up again.`,
      { cause },
    )
  }
  const ownerFile = join(folder, ownerName)
  const timer = setInterval(() => {
    const now = new Date()
    utimes(ownerFile, now, now).catch(() => undefined)
  }, renewalMs)
  const isHeld = async () => (await unlessMissing(readFile(ownerFile, 'utf8'))) === owner
  return {
    async list() {
      const names = (await unlessMissing(readdir(folder))) ?? []
      return names.map((key) => [key, heldPathOf(root, key)])
    },
    async refuseEnded() {
      if (await isHeld()) return
      throw new Error(
        `Another process has deleted blobs of '${root}' that the backup needs, because this one had not run for a minute. Back up again.`,
      )
    },
    async end() {
      clearInterval(timer)
      if (await isHeld()) await endHold(root)
    },
  }
}

/** Under its former name the folder would get further blobs while it is deleted. */
async function endHold(root: string): Promise<void> {
  const temporary = temporaryPath(root)
  // Processes that start at the same time end what was abandoned.
  await unlessMissing(rename(join(root, folderName), temporary))
  await rm(temporary, { recursive: true, force: true })
}

/** Other errors, such as too many open files, do not say that another process has ended it. */
async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

function temporaryPath(root: string): string {
  return join(root, temporaryPrefix + randomUUID())
}

/**
 * Deletes what a backup left that was killed.
 * @throws StoreUnavailable if the folder cannot be read or changed
 */
export function endAbandonedHold(root: string): Promise<void> {
  return orUnavailable(deleteAbandoned(root))
}

async function deleteAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const isTemporary = name.startsWith(temporaryPrefix)
    if (!isTemporary && name !== folderName) continue
    if (!(await isAbandoned(join(root, name)))) continue
    if (isTemporary) await rm(join(root, name), { recursive: true, force: true })
    else await endHold(root)
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const ownerFile = join(folder, ownerName)
  const stats = await stat(ownerFile).catch(() => stat(folder).catch(() => undefined))
  // Its process has renamed or deleted it meanwhile.
  if (!stats) return false
  if (Date.now() - stats.mtimeMs > abandonedMs) return true
  const [host, pid] = (await readFile(ownerFile, 'utf8').catch(() => '')).split(' ')
  return host === hostname() && !isRunning(Number(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user has the process.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
