import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { syncPath } from '../../store/sync-path.ts'
import { readManifest, refuseOtherPlace } from './backup-manifest.ts'
import { findChanges } from './check-sums.ts'
import { copyDurably, isThere } from './copy-files.ts'
import { backupPartsOf, type DataSource } from './data-source.ts'
import { type BackupPart, findDamages, findMissing } from './find-damages.ts'
import { refuseRoot } from './refuse-root.ts'
import { Renames } from './renames.ts'

export interface RestoreOptions {
  /** Replaces what is there, and keeps it under another name. Default: false. */
  readonly overwrite?: boolean
}

export interface RestoreReport {
  readonly madeAt: string
  /** What was there, under its new names. */
  readonly replaced: readonly string[]
}

/** What a part of a backup is put in the place of. */
interface Place {
  readonly from: string
  readonly path: string
  /** What belongs together there, the path itself last. */
  readonly suffixes: readonly string[]
  readonly part: BackupPart
}

/**
 * Puts a backup back. What it replaces keeps its content, under another name. If it fails, all is
 * as before.
 *
 * @throws Error if something is there already, or in use, or if the backup is damaged or has other
 * parts
 */
export async function restore(
  backup: string,
  target: DataSource,
  { overwrite = false }: RestoreOptions = {},
): Promise<RestoreReport> {
  const { madeAt, blobs, sums } = await readManifest(backup)
  refuseOtherPlace(blobs, target.blobsAre)
  const parts = backupPartsOf(target)
  refuseFaults(await findMissing(backup, parts))
  refuseFaults(await findChanges(backup, parts, sums))
  const [items, ...others] = parts.map((part) => placeOf(backup, part)) as [Place, ...Place[]]
  // Items come last, so that none is there before its blobs.
  const places = [...others, items]
  for (const { path } of places) await refuseRoot(path)
  if (!overwrite) for (const place of places) await refuseExisting(place)
  for (const [, files] of parts) await files.refuseUse()

  const suffix = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const restoredPath = ({ path }: Place) => `${path}.restored-${suffix}`
  const renames = new Renames()
  try {
    for (const place of places) {
      await mkdir(dirname(place.path), { recursive: true, mode: 0o700 })
      await copyDurably(place.from, restoredPath(place))
      refuseFaults(await findDamages(place.part, restoredPath(place)))
    }
    await target.items.at(restoredPath(items)).files?.renameLog()
    const replaced: string[] = []
    try {
      for (const place of places) {
        replaced.push(...(await moveAway(place, suffix, renames)))
        await renames.rename(restoredPath(place), place.path)
        await syncPath(dirname(place.path))
      }
    } catch (error) {
      await renames.undo(error)
      throw error
    }
    return { madeAt, replaced }
  } finally {
    for (const place of places)
      for (const path of pathsOf(place, restoredPath(place)))
        await rm(path, { recursive: true, force: true })
  }
}

function placeOf(backup: string, part: BackupPart): Place {
  const [name, { path, companionSuffixes }] = part
  return {
    from: join(backup, name),
    path: resolve(path),
    suffixes: [...companionSuffixes, ''],
    part,
  }
}

function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\nNothing was restored.`)
}

function pathsOf({ suffixes }: Place, path: string): readonly string[] {
  return suffixes.map((suffix) => path + suffix)
}

async function refuseExisting(place: Place): Promise<void> {
  for (const path of pathsOf(place, place.path))
    if (await isThere(path))
      throw new Error(
        `There is something at '${path}' already. Use --overwrite to replace it; it is kept under another name.`,
      )
}

/** Returns what was there, without what belongs to another file that was there. */
async function moveAway(
  { path, suffixes }: Place,
  suffix: string,
  renames: Renames,
): Promise<readonly string[]> {
  const replaced = `${path}.replaced-${suffix}`
  const moved: string[] = []
  for (const companion of suffixes) {
    if (!(await isThere(path + companion))) continue
    await renames.rename(path + companion, replaced + companion)
    moved.push(replaced + companion)
  }
  return moved.includes(replaced) ? [replaced] : moved
}
