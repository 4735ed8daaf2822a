import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ownerFileMode, ownerFolderMode } from '../file-modes.ts'
import { orUnavailable } from './disk.ts'

/** While this folder is there, deleted blobs are moved to it. */
const folderName = 'held'
/** Before a hold begins, and after its end. */
const unnamedPrefix = `${folderName}-`
/** The errors of a rename to a folder that is not empty. */
const takenCodes: ReadonlySet<string | undefined> = new Set(['EEXIST', 'ENOTEMPTY', 'EPERM'])
/** Names the process that made the folder. Its time says that the process is alive. */
const signName = '.process'
const signMs = 5_000
const abandonedMs = 60_000

/** Where a deleted blob goes while deletions are held. */
export function heldPathOf(root: string, key: string): string {
  return join(root, folderName, key)
}

/**
 * Keeps the blobs of a folder from being deleted by any process.
 *
 * @returns what deletes them, and lets later deletions delete again
 * @throws Error if another process holds deletions
 */
export async function holdDeletions(root: string): Promise<() => Promise<void>> {
  await endAbandonedHold(root)
  const folder = join(root, folderName)
  // It gets its name with the sign in it: without one, a killed process would seem to be alive.
  const unnamed = unnamedPath(root)
  await mkdir(unnamed, { mode: ownerFolderMode })
  await writeFile(join(unnamed, signName), ownName(), { mode: ownerFileMode })
  try {
    await rename(unnamed, folder)
  } catch (cause) {
    await rm(unnamed, { recursive: true, force: true })
    if (!takenCodes.has((cause as NodeJS.ErrnoException).code)) throw cause
    throw new Error(`Another backup of '${root}' is running, or ended a moment ago.`, { cause })
  }
  const sign = join(folder, signName)
  const timer = setInterval(() => {
    const now = new Date()
    utimes(sign, now, now).catch(() => undefined)
  }, signMs)
  return async () => {
    clearInterval(timer)
    await endHold(root)
  }
}

/** Under its former name the folder would get further blobs while it is deleted. */
async function endHold(root: string): Promise<void> {
  const unnamed = unnamedPath(root)
  await rename(join(root, folderName), unnamed)
  await rm(unnamed, { recursive: true, force: true })
}

function unnamedPath(root: string): string {
  return join(root, unnamedPrefix + randomUUID())
}

/**
 * Deletes what a backup left that was killed.
 * @throws StoreUnavailable if the folder cannot be read or changed
 */
export function endAbandonedHold(root: string): Promise<void> {
  return orUnavailable(deleteAbandoned(root))
}

async function deleteAbandoned(root: string): Promise<void> {
  const names = await readdir(root)
  for (const name of names)
    if (name.startsWith(unnamedPrefix)) await rm(join(root, name), { recursive: true, force: true })
  if (names.includes(folderName) && (await isAbandoned(join(root, folderName)))) await endHold(root)
}

async function isAbandoned(folder: string): Promise<boolean> {
  const sign = join(folder, signName)
  const { mtimeMs } = await stat(sign).catch(() => stat(folder))
  if (Date.now() - mtimeMs > abandonedMs) return true
  const [host, pid] = (await readFile(sign, 'utf8').catch(() => '')).split(' ')
  return host === hostname() && !isRunning(Number(pid))
}

function ownName(): string {
  return `${hostname()} ${process.pid}`
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user has the process.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The names of the blobs that were deleted since the hold began. */
export function heldNames(root: string): Promise<readonly string[]> {
  return readdir(join(root, folderName))
}
