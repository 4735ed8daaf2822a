import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What stands in a backup, in its file `backup.json`. */
export interface BackupManifest {
  readonly format: 'resourcery-backup'
  readonly version: 1
  /** When the copied state was the present one, in the form of RFC 3339. */
  readonly madeAt: string
  /** Where binary resources are: `none` if the backup has none, or the store has none. */
  readonly blobs: 'with items' | 'separate' | 'none'
}

export const manifestName = 'backup.json'
export const itemsName = 'items.db'
/** A file of SQLite, or a folder. */
export const blobsName = 'blobs'

/** @throws Error if the folder has no complete backup */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((cause) => {
    throw new Error(
      `Expected a folder that 'resourcery backup' wrote; '${folder}' has no ${manifestName}.`,
      { cause },
    )
  })
  const manifest = parsedManifest(text)
  if (manifest?.format === 'resourcery-backup' && manifest.version === 1)
    return manifest as BackupManifest
  throw new Error(
    `'${join(folder, manifestName)}' must have the format 'resourcery-backup' in version 1; got ${text.slice(0, 100)}.`,
  )
}

function parsedManifest(text: string): Partial<BackupManifest> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
