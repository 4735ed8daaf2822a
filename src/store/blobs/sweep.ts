import type { BlobStore } from '../blob-store.ts'

const batchSize = 500

/** What a sweep needs of a blob store. */
export type SweepableBlobs = Pick<BlobStore, 'list' | 'delete'>

/**
 * Deletes the blobs that no item uses and the uploads that did not end, as far as nothing was
 * written to them for `olderThanMs`: what a crash left between an upload and its item. The grace
 * has to be longer than any upload takes together with the write of its item, for an upload is used
 * by nobody until then. Answers how many were deleted.
 *
 * The keys in use are read as a whole before the first blob is looked at, and held in memory, some
 * 100 bytes each. That they are a little old does no harm: a key comes into use once, within the
 * grace, and never again.
 */
export async function sweep(
  blobs: SweepableBlobs,
  usedKeys: AsyncIterable<string> | ReadonlySet<string>,
  olderThanMs: number,
): Promise<number> {
  const youngest = Date.now() - olderThanMs
  const used = 'has' in usedKeys ? usedKeys : await setOf(usedKeys)
  let unused: string[] = []
  let deleted = 0
  const deleteThem = async () => {
    await blobs.delete(unused)
    deleted += unused.length
    unused = []
  }
  for await (const { key, writtenAt } of blobs.list()) {
    if (writtenAt < youngest && !used.has(key)) unused.push(key)
    if (unused.length === batchSize) await deleteThem()
  }
  await deleteThem()
  return deleted
}

async function setOf(keys: AsyncIterable<string>): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const key of keys) found.add(key)
  return found
}
