import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '../../store/public.ts'
import { syncPath } from '../../store/sync-path.ts'
import { countOf } from '../../text/message-text.ts'
import { isThere } from './copy-files.ts'
import { backupPartsOf, type DataSource, separateBlobsOf } from './data-source.ts'
import { findDamages } from './find-damages.ts'
import { blobsName, itemsName } from './part-names.ts'

/**
 * Checks what was copied into a folder, and leaves it as it was.
 *
 * @returns the keys of blobs that items name, and that were not copied
 * @throws Error if a file is damaged, or if no blob is where the service has its blobs
 */
export async function checkCopy(folder: string, source: DataSource): Promise<readonly string[]> {
  const parts = backupPartsOf(source)
  try {
    const damages: string[] = []
    for (const part of parts) damages.push(...(await findDamages(part, join(folder, part[0]))))
    if (damages.length > 0)
      throw new Error(
        `The data of the service is damaged, and was not backed up:\n${damages.join('\n')}`,
      )
    return await findMissingKeys(folder, source)
  } finally {
    for (const [name, { companionSuffixes }] of parts)
      for (const suffix of companionSuffixes) await rm(join(folder, name + suffix), { force: true })
    await syncPath(folder)
  }
}

/** Blobs in the file of the items are copied with it, in one state. */
async function findMissingKeys(folder: string, source: DataSource): Promise<readonly string[]> {
  const blobs = separateBlobsOf(source)
  const keys = blobs && (await source.items.at(join(folder, itemsName)).files?.findBlobKeys?.())
  if (!keys || keys.length === 0) return []
  if (!(await isThere(blobs.path)))
    throw new Error(
      `There is nothing at '${blobs.path}', and items have ${countOf(keys.length, 'blob')} there. Check the path and what is mounted, or add --without-blobs.`,
    )
  return keysWithoutBlob(blobs.at(join(folder, blobsName)), keys)
}

async function keysWithoutBlob(
  blobs: BlobStore,
  keys: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = []
  try {
    await blobs.open()
    for (const key of keys) if (!(await blobs.read(key))) missing.push(key)
  } finally {
    await blobs.close()
  }
  return missing
}
