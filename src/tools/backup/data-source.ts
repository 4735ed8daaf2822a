import type { BlobStore, DataFiles, Store } from '../../store/public.ts'
import { isSameFile } from '../../store/same-file.ts'
import type { BackupPart } from './find-damages.ts'
import { blobsName, itemsName } from './part-names.ts'

/** Where blobs are; `none` if they are left out, or if there are none. */
export type BlobPlace = 'with items' | 'separate' | 'none'

/** The files of a service that are backed up or restored. */
export interface DataSource {
  readonly items: DataFiles<Store>
  /** Undefined if there are none. */
  readonly blobs: DataFiles<BlobStore> | undefined
  readonly blobsAre: BlobPlace
}

/**
 * Where a store and its blob store have their data.
 *
 * @param withoutBlobs leaves out the blobs
 * @throws Error if they have no files that can be copied
 */
export function dataSourceOf(
  store: Store,
  blobStore: BlobStore | undefined,
  withoutBlobs = false,
): DataSource {
  const { files: items } = store
  if (!items)
    throw new Error(
      'Expected a store of SQLite. Use pg_dump or pgBackRest for PostgreSQL, and the tools of other databases for theirs.',
    )
  if (blobStore === undefined || withoutBlobs) return { items, blobs: undefined, blobsAre: 'none' }
  const { files: blobs } = blobStore
  if (!blobs)
    throw new Error(
      'Expected blobs in files or SQLite. Back up these with the tools of their store, and add --without-blobs.',
    )
  return isSameFile(items.path, blobs.path)
    ? { items, blobs, blobsAre: 'with items' }
    : { items, blobs, blobsAre: 'separate' }
}

/** The blobs, if they are not in the file of the items. */
export function separateBlobsOf({ blobs, blobsAre }: DataSource): DataSource['blobs'] {
  return blobsAre === 'separate' ? blobs : undefined
}

/** The parts of a backup of these files, those with blobs last. */
export function backupPartsOf(source: DataSource): readonly BackupPart[] {
  const blobs = separateBlobsOf(source)
  return [[itemsName, source.items], ...(blobs ? [[blobsName, blobs] as const] : [])]
}
