import { memoizeBy } from '../../cache/memoize-by.ts'
import { BlobGone, type BlobStore, type ByteRange } from '../blob-store.ts'
import type { SweepableBlobs } from './sweep.ts'

/** A blob store that deletes a blob only after its last reader in this process has finished. */
export interface SharedBlobs {
  readonly store: BlobStore
  /** @throws StoreUnavailable; any error of `bytes`. No bytes stay then. */
  write(bytes: AsyncIterable<Uint8Array>): Promise<string>
  /** Keeps the blob from being deleted until the returned function is called. */
  retain(key: string): () => void
  /**
   * The bytes of a blob; undefined if it does not exist any more. The first chunk has already been
   * read. The caller reads to the end or calls `return()`.
   */
  read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
  /**
   * Deletes blobs that no item refers to any more. Errors are reported; the sweep deletes the blobs
   * later.
   */
  deleteUnreferenced(keys: readonly string[]): Promise<void>
  /** For sweeps: blobs that are being read are deleted after their last reader has finished. */
  readonly sweepable: SweepableBlobs
}

/**
 * The shared blobs of a store: one object for each store, so that all routers know its readers.
 * @param report gets the errors of deletions
 */
export const sharedBlobs: (store: BlobStore, report: (error: unknown) => void) => SharedBlobs =
  memoizeBy(createSharedBlobs)

function createSharedBlobs(store: BlobStore, report: (error: unknown) => void): SharedBlobs {
  const readerCounts = new Map<string, number>()
  const unreferenced = new Set<string>()

  const remove = async (keys: readonly string[]): Promise<void> => {
    try {
      if (keys.length > 0) await store.delete(keys)
    } catch (error) {
      report(error)
    }
  }
  const release = (key: string): void => {
    const count = (readerCounts.get(key) ?? 1) - 1
    if (count > 0) return void readerCounts.set(key, count)
    readerCounts.delete(key)
    if (unreferenced.delete(key)) void remove([key])
  }
  const retain = (key: string): (() => void) => {
    readerCounts.set(key, (readerCounts.get(key) ?? 0) + 1)
    let isReleased = false
    return () => {
      if (!isReleased) release(key)
      isReleased = true
    }
  }
  /** The keys without a reader. The last readers of the others delete them. */
  const withoutReaders = (keys: readonly string[]): readonly string[] => {
    const hasReader = (key: string) => readerCounts.has(key)
    for (const key of keys.filter(hasReader)) unreferenced.add(key)
    return keys.filter((key) => !hasReader(key))
  }

  return {
    store,
    retain,
    write: (bytes) => store.write(bytes),
    async read(key, range) {
      const releaseBlob = retain(key)
      try {
        const bytes = await store.read(key, range)
        if (bytes) return await readFirstChunk(bytes[Symbol.asyncIterator](), releaseBlob)
      } catch (error) {
        releaseBlob()
        // Another process has just deleted the blob.
        if (!(error instanceof BlobGone)) throw error
      }
      releaseBlob()
      return undefined
    },
    deleteUnreferenced: (keys) => remove(withoutReaders(keys)),
    sweepable: { list: () => store.list(), delete: (keys) => store.delete(withoutReaders(keys)) },
  }
}

/** Reads the first chunk, so that an error occurs before the response has begun. */
async function readFirstChunk(
  chunks: AsyncIterator<Uint8Array>,
  onEnd: () => void,
): Promise<AsyncIterable<Uint8Array>> {
  let first: IteratorResult<Uint8Array> | undefined = await chunks.next()
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        const next = first ?? (await chunks.next())
        first = undefined
        if (next.done) onEnd()
        return next
      } catch (error) {
        onEnd()
        throw error
      }
    },
    async return() {
      first = undefined
      try {
        await chunks.return?.()
      } finally {
        onEnd()
      }
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
