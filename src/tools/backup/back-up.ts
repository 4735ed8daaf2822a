import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { CopiedData, DataCopy } from '../../store/public.ts'
import { syncPath } from '../../store/sync-path.ts'
import { type BackupManifest, manifestName } from './backup-manifest.ts'
import { checkCopy } from './check-copy.ts'
import { writeSums } from './check-sums.ts'
import { isThere } from './copy-files.ts'
import { type BlobPlace, type DataSource, separateBlobsOf } from './data-source.ts'
import { blobsName, itemsName } from './part-names.ts'

/** What a backup has. */
export interface BackupReport {
  readonly madeAt: Date
  readonly items: CopiedData
  /** Undefined if no blobs were copied by themselves. */
  readonly blobs: CopiedData | undefined
  /** The keys of blobs that items name, and that are nowhere. */
  readonly missingKeys: readonly string[]
}

/**
 * Copies the data of a service into a new folder, while the service writes. The folder has its name
 * once it is complete.
 *
 * @throws Error if there is something at the path, if the data is damaged, or if the blobs are gone
 */
export async function backUp(source: DataSource, folder: string): Promise<BackupReport> {
  const target = resolve(folder)
  await refuseExisting(target)
  await mkdir(dirname(target), { recursive: true })
  const unfinished = await mkdtemp(`${target}.partial-`)
  try {
    const { place, ...copied } = await copyInto(unfinished, source)
    // The copies have ended: these checks block for as long as they take.
    const missingKeys = await checkCopy(unfinished, source)
    const sums = await writeSums(unfinished, [itemsName, blobsName])
    await writeManifest(unfinished, copied.madeAt, place, sums)
    await refuseExisting(target)
    await rename(unfinished, target)
    await syncPath(dirname(target))
    return { ...copied, missingKeys }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

async function refuseExisting(path: string): Promise<void> {
  if (await isThere(path))
    throw new Error(`There is something at '${path}' already; expected a new folder.`)
}

/**
 * Deletions of blobs are held before the state of the items is pinned, so that a blob which an item
 * of that state has is there until it is copied.
 */
async function copyInto(
  folder: string,
  source: DataSource,
): Promise<Omit<BackupReport, 'missingKeys'> & { readonly place: BlobPlace }> {
  const copies: DataCopy[] = []
  try {
    const blobCopy = await separateBlobsOf(source)?.beginCopy()
    if (blobCopy) copies.push(blobCopy)
    const itemCopy = await source.items.beginCopy()
    copies.push(itemCopy)
    await itemCopy.pin()
    const madeAt = new Date()
    await blobCopy?.pin()
    const items = await itemCopy.copyTo(join(folder, itemsName))
    const blobs = await blobCopy?.copyTo(join(folder, blobsName))
    const place = blobs ? 'separate' : items.hasBlobs ? 'with items' : 'none'
    return { madeAt, items, blobs, place }
  } finally {
    for (const copy of copies) await copy.end()
  }
}

async function writeManifest(
  folder: string,
  madeAt: Date,
  blobs: BlobPlace,
  sums: string,
): Promise<void> {
  const manifest: BackupManifest = {
    format: 'resourcery-backup',
    version: 1,
    madeAt: madeAt.toISOString(),
    blobs,
    sums,
  }
  const file = join(folder, manifestName)
  await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 })
  await syncPath(file)
  await syncPath(folder)
}
