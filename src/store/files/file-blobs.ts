import nodeFiles from 'node:fs/promises'
import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import type { BlobStore } from '../blob-store.ts'
import { blobFolder } from './blob-folder.ts'
import { endAbandonedHold } from './deletion-hold.ts'
import { createDisk } from './disk.ts'
import { type FileBlobsOptions, fileBlobsOnDisk } from './file-blobs-on-disk.ts'

export type { FileBlobsOptions } from './file-blobs-on-disk.ts'

/**
 * Blobs as files in a folder, which is created if it is missing. Several processes may share it. An
 * upload is written to `incoming/`, made durable, and then moved to one of 256 folders, which hold
 * complete files only. Links are not followed. Only the user of the process can read the files
 * (mode 0600, folders 0700).
 *
 * ```ts
 * const blobs = fileBlobs('data/blobs')
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function fileBlobs(directory: string, options: FileBlobsOptions = {}): BlobStore {
  checkOptions('fileBlobs()', options, blobOptions)
  const blobs = fileBlobsOnDisk(createDisk(nodeFiles), directory, options)
  return {
    ...blobs,
    async open() {
      await blobs.open()
      await endAbandonedHold(directory)
    },
    files: blobFolder(directory, (path) => fileBlobs(path, options)),
  }
}

const blobOptions: OptionChecks<FileBlobsOptions> = { durability: ['full', 'normal'] }
