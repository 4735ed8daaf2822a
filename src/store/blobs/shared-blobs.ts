import { lazy } from '../../cache/lazy.ts'
import { memoizeBy } from '../../cache/memoize-by.ts'
import { BlobGone, type BlobStore, type ByteRange } from '../blob-store.ts'
import type { SweepableBlobs } from './sweep.ts'

/**
 * The blobs of a router: those that are being read are deleted only when their last reader of this
 * process is done.
 */
export interface SharedBlobs {
  readonly store: BlobStore
  /** @throws StoreUnavailable, or whatever the bytes throw; nothing stays then */
  write(bytes: AsyncIterable<Uint8Array>): Promise<string>
  /**
   * Counts as a reader of the blob until the answer is called: what an item lets go of meanwhile
   * stays as long.
   */
  retain(key: string): () => void
  /**
   * The bytes, of which the first chunk is read already; undefined where there is no such blob any
   * more. Whoever takes them reads them to the end or lets go.
   */
  read(key: string, span?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
  /**
   * Deletes blobs that no item holds any more. What cannot be deleted now is left to the sweep, and
   * reported.
   */
  deleteUnreferenced(keys: readonly string[]): Promise<void>
  /** What a sweep works on: it deletes nothing that is being read, nor leaves it for good. */
  readonly sweepable: SweepableBlobs
}

/**
 * One for each store: its readers are known to all who share it. @param report told of what cannot
 * be deleted
 */
export const sharedBlobs: (store: BlobStore, report: (error: unknown) => void) => SharedBlobs =
  memoizeBy(createSharedBlobs)

function createSharedBlobs(store: BlobStore, report: (error: unknown) => void): SharedBlobs {
  const readers = new Map<string, number>()
  const doomed = new Set<string>()

  const remove = async (keys: readonly string[]): Promise<void> => {
    try {
      if (keys.length > 0) await store.delete(keys)
    } catch (error) {
      report(error)
    }
  }
  const enter = (key: string): void => {
    readers.set(key, (readers.get(key) ?? 0) + 1)
  }
  const leave = (key: string): void => {
    const left = (readers.get(key) ?? 1) - 1
    if (left > 0) return void readers.set(key, left)
    readers.delete(key)
    if (doomed.delete(key)) void remove([key])
  }

  const hold = (key: string): (() => void) => {
    enter(key)
    return lazy(() => leave(key))
  }
  /** Those that nobody reads; the others are deleted by their last reader. */
  const unread = (keys: readonly string[]): readonly string[] => {
    const isRead = (key: string) => readers.has(key)
    for (const key of keys.filter(isRead)) doomed.add(key)
    return keys.filter((key) => !isRead(key))
  }

  return {
    store,
    retain: hold,
    write: (bytes) => store.write(bytes),
    async read(key, span) {
      const release = hold(key)
      try {
        const bytes = await store.read(key, span)
        if (bytes) return await readFirstChunk(bytes[Symbol.asyncIterator](), release)
      } catch (error) {
        release()
        // Deleted by another process since it was found: it is not there, as if it had been deleted
        // before.
        if (!(error instanceof BlobGone)) throw error
      }
      release()
      return undefined
    },
    deleteUnreferenced: (keys) => remove(unread(keys)),
    sweepable: { list: () => store.list(), delete: (keys) => store.delete(unread(keys)) },
  }
}

/**
 * Reads the first chunk, so that a blob that cannot be read fails while the request can still be
 * answered otherwise.
 */
async function readFirstChunk(
  reading: AsyncIterator<Uint8Array>,
  left: () => void,
): Promise<AsyncIterable<Uint8Array>> {
  let first: IteratorResult<Uint8Array> | undefined = await reading.next()
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        const next = first ?? (await reading.next())
        first = undefined
        if (next.done) left()
        return next
      } catch (error) {
        left()
        throw error
      }
    },
    async return() {
      first = undefined
      try {
        await reading.return?.()
      } finally {
        left()
      }
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
