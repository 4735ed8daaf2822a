import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Store } from '../../store/public.ts'
import { type BackupManifest, blobsName, itemsName, readManifest } from './backup-manifest.ts'
import { type DataSource, separateBlobsOf } from './data-source.ts'
import { copyDurably, isThere, syncPath } from './sync-files.ts'

export interface RestoreOptions {
  /** Replaces what is there, and keeps it under another name. Default: false. */
  readonly overwrite?: boolean
  /** Gets the store over the restored items before they get their name, and closes it. */
  readonly prepare?: ((store: Store) => Promise<void>) | undefined
}

export interface RestoreReport {
  readonly madeAt: string
  /** What was there, under its new names. */
  readonly replaced: readonly string[]
}

/**
 * Puts a backup back. What it replaces keeps its content, under another name.
 *
 * @throws Error if something is there already, or in use, or if the backup has other parts
 */
export async function restore(
  backup: string,
  target: DataSource,
  { overwrite = false, prepare }: RestoreOptions = {},
): Promise<RestoreReport> {
  const { madeAt, blobs } = await readManifest(backup)
  checkParts(blobs, target)
  const separateBlobs = separateBlobsOf(target)
  const parts = [
    ...(separateBlobs ? [{ from: join(backup, blobsName), files: separateBlobs }] : []),
    // Last, so that no item is there before its blobs.
    { from: join(backup, itemsName), files: target.items },
  ]
  for (const { files } of parts) await refuseExisting(resolve(files.path), overwrite)
  for (const { files } of parts) await files.refuseUse()

  const suffix = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const restoredPath = (path: string) => `${resolve(path)}.restored-${suffix}`
  try {
    for (const { from, files } of parts) {
      await mkdir(dirname(resolve(files.path)), { recursive: true, mode: 0o700 })
      await copyDurably(from, restoredPath(files.path))
    }
    await prepare?.(target.items.at(restoredPath(target.items.path)))
    const replaced: string[] = []
    for (const { files } of parts) {
      const path = resolve(files.path)
      replaced.push(...(await moveAway(path, suffix)))
      await rename(restoredPath(path), path)
      await syncPath(dirname(path))
    }
    return { madeAt, replaced }
  } catch (error) {
    for (const { files } of parts)
      await rm(restoredPath(files.path), { recursive: true, force: true })
    throw error
  }
}

/** @throws Error if the backup and the service keep their blobs in different places */
export function checkParts(blobs: BackupManifest['blobs'], { blobsAre }: DataSource): void {
  if (blobs === blobsAre) return
  throw new Error(`The backup has ${places[blobs]}, and the store has ${places[blobsAre]}.`)
}

const places: Readonly<Record<BackupManifest['blobs'], string>> = {
  'with items': 'blobs in the file of the items',
  separate: 'blobs in a file or folder of their own',
  none: 'no blobs',
}

async function refuseExisting(path: string, overwrite: boolean): Promise<void> {
  if (overwrite || !(await isThere(path))) return
  throw new Error(
    `There is something at '${path}' already. Use --overwrite to replace it; it is kept under another name.`,
  )
}

/** A file of SQLite may have others beside it, which belong to it. */
async function moveAway(path: string, suffix: string): Promise<readonly string[]> {
  if (!(await isThere(path))) return []
  const moved = `${path}.replaced-${suffix}`
  for (const beside of ['-wal', '-shm', ''])
    if (await isThere(path + beside)) await rename(path + beside, moved + beside)
  return [moved]
}
