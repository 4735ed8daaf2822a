import type { BlobStore } from '../blob-store.ts'

const batchSize = 500

/** What a sweep needs of a blob store. */
export type SweepableBlobs = Pick<BlobStore, 'list' | 'delete'>

/**
 * Deletes blobs that no item refers to, and unfinished uploads, if their last bytes were written
 * more than `olderThanMs` ago: a crash between an upload and the write of its item leaves them.
 * `olderThanMs` has to be longer than any upload takes, including the write of its item, because
 * until then no item refers to the blob. Returns the number of deleted blobs.
 *
 * All keys in use are read into memory first, about 100 bytes each. It does no harm that they are
 * slightly outdated: an item can refer to a blob only for the first time within `olderThanMs`.
 */
export async function sweep(
  blobs: SweepableBlobs,
  usedKeys: AsyncIterable<string> | ReadonlySet<string>,
  olderThanMs: number,
): Promise<number> {
  const writtenBefore = Date.now() - olderThanMs
  const used = 'has' in usedKeys ? usedKeys : await toSet(usedKeys)
  let batch: string[] = []
  let deletedCount = 0
  const deleteBatch = async () => {
    await blobs.delete(batch)
    deletedCount += batch.length
    batch = []
  }
  for await (const { key, writtenAt } of blobs.list()) {
    if (writtenAt < writtenBefore && !used.has(key)) batch.push(key)
    if (batch.length === batchSize) await deleteBatch()
  }
  await deleteBatch()
  return deletedCount
}

async function toSet(keys: AsyncIterable<string>): Promise<ReadonlySet<string>> {
  const set = new Set<string>()
  for await (const key of keys) set.add(key)
  return set
}
