import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobPlace } from './data-source.ts'

/** What stands in a backup, in its file `backup.json`. */
export interface BackupManifest {
  readonly format: 'resourcery-backup'
  readonly version: 1
  /** When the copied state was the present one, in the form of RFC 3339. */
  readonly madeAt: string
  /** Where blobs are in the backup. */
  readonly blobs: BlobPlace
  /** The SHA-256 of its file `SHA256SUMS`. */
  readonly sums: string
}

export const manifestName = 'backup.json'

/** @throws Error if the folder has no complete backup */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((cause) => {
    throw new Error(
      `Expected a folder that 'resourcery backup' wrote; '${folder}' has no ${manifestName}.`,
      { cause },
    )
  })
  const manifest = parsedManifest(text)
  if (
    manifest?.format === 'resourcery-backup' &&
    manifest.version === 1 &&
    typeof manifest.sums === 'string'
  )
    return manifest as BackupManifest
  throw new Error(
    `'${join(folder, manifestName)}' is damaged, or of another version; expected the format 'resourcery-backup' in version 1, got ${JSON.stringify(text.slice(0, 100))}.`,
  )
}

function parsedManifest(text: string): Partial<BackupManifest> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @throws Error if the backup has its blobs where the service does not look for them */
export function refuseOtherPlace(backup: BlobPlace, service: BlobPlace): void {
  // Blobs in the file of the items are copied with it, also where nothing reads them.
  if (backup === service || (service === 'none' && backup === 'with items')) return
  const advice =
    service === 'separate' && backup === 'none'
      ? ' Add --without-blobs if you restore the blobs by other means.'
      : ''
  throw new Error(
    `The backup has ${places[backup]}, and the store has ${places[service]}.${advice}`,
  )
}

const places: Readonly<Record<BlobPlace, string>> = {
  'with items': 'blobs in the file of the items',
  separate: 'blobs in a file or folder of their own',
  none: 'no blobs',
}
