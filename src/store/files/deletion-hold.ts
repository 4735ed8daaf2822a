import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ownerFileMode, ownerFolderMode } from '../file-modes.ts'
import { orUnavailable } from './disk.ts'

/** While this folder is there, deleted blobs are moved to it. */
const folderName = 'held'
const endedName = 'ended'
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
  await mkdir(folder, { mode: ownerFolderMode }).catch((cause) => {
    if (cause.code !== 'EEXIST') throw cause
    throw new Error(`Another backup of '${root}' is running, or ended a moment ago.`, { cause })
  })
  const sign = join(folder, signName)
  await writeFile(sign, ownName(), { mode: ownerFileMode })
  const timer = setInterval(() => {
    const now = new Date()
    utimes(sign, now, now).catch(() => undefined)
  }, signMs)
  return async () => {
    clearInterval(timer)
    await endHold(folder)
  }
}

/** Under its former name the folder would get further blobs while it is deleted. */
async function endHold(folder: string): Promise<void> {
  const ended = `${folder}.${endedName}-${randomUUID()}`
  await rename(folder, ended)
  await rm(ended, { recursive: true, force: true })
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
    if (name.startsWith(`${folderName}.${endedName}-`))
      await rm(join(root, name), { recursive: true, force: true })
  if (names.includes(folderName) && (await isAbandoned(join(root, folderName))))
    await endHold(join(root, folderName))
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
