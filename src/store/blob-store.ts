/** Byte positions from 0, both inclusive: `0 ≤ start ≤ end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A blob, or an upload that did not end, as a sweep finds it. */
export interface ListedBlob {
  readonly key: string
  /** When bytes of it were last written, in milliseconds since 1970. */
  readonly writtenAt: number
}

/**
 * Keeps the bytes of binary resources. A blob never changes: it is written once, under a key of its
 * own, and read until it is deleted. Items say which blob is theirs, of what type and size, and
 * with which hash; the store knows nothing of that. An implementation passes the suite of
 * `test/contract/blob-store.ts`.
 *
 * @throws StoreUnavailable from any method, and from the streams, while the bytes cannot be reached
 * or written (a server that is away or silent, a full disk); the next call tries again.
 */
export interface BlobStore {
  /** Makes room (a folder, tables), or fails. Called before anything else. */
  open(): Promise<void>
  /**
   * Takes the bytes until they end, as fast as it can put them away, and names them by a key of its
   * own making (UUIDv7), never by anything a client said. Settles when they are durable. It is done
   * with a chunk when it asks for the next. When the source throws, it fails with that error; when
   * the upload is deleted meanwhile, with {@link BlobGone}: nothing stays then.
   */
  write(bytes: AsyncIterable<Uint8Array>): Promise<string>
  /**
   * The bytes, or a span of them (what lies beyond the end is left out), in chunks of 1 byte to 1
   * MiB that belong to who takes them; undefined where there is no such blob, whatever the key
   * looks like. Nothing is held open until the first chunk is asked for; `return()` lets everything
   * go. A blob that is deleted while it is read is read to its end, or fails with {@link BlobGone}:
   * never fewer bytes, never others.
   */
  read(key: string, span?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Removes blobs, and uploads that did not end. Unknown keys are passed over. */
  delete(keys: readonly string[]): Promise<void>
  /**
   * All blobs, and all uploads that did not end, so that a sweep finds what a crash left. Not one
   * snapshot, in no order.
   */
  list(): AsyncIterable<ListedBlob>
  /** Lets go of files and connections. Called when nothing is under way any more. */
  close(): Promise<void>
}

/**
 * The blob was deleted while it was read, or written. A reader that finds its item again may find a
 * newer blob there.
 */
export class BlobGone extends Error {
  override readonly name = 'BlobGone'

  constructor(key: string) {
    super(`The blob ${key} was deleted while it was in use.`)
  }
}
