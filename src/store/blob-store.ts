import type { DataFiles } from './data-files.ts'

/** Byte offsets, both inclusive: `0 ≤ start ≤ end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A blob, or an unfinished upload. */
export interface ListedBlob {
  readonly key: string
  /** When its last bytes were written, in milliseconds since 1970. */
  readonly writtenAt: number
}

/** What a router knows of a blob store. */
export interface BlobStoreFacts {
  /**
   * Does it keep blobs in the memory of its process, so that no other process sees them? `serve`
   * refuses it with `workers`. Default: false.
   */
  readonly isProcessLocal?: boolean | undefined
}

/**
 * Keeps the bytes of binary resources. A blob is written once, under a key of its own, and never
 * changes. Media type, size and hash are part of the item that refers to the blob. An
 * implementation passes the suite `blobStoreContract` of `resourcery/contracts`.
 *
 * @throws StoreUnavailable from any method, and from the streams, while bytes cannot be read or
 * written (a server that does not respond, a full disk); the next call tries again. A store that
 * limits calls may also throw StoreOverloaded and StoreTimeout.
 */
export interface BlobStore {
  /** What a router knows of it. Default: nothing. */
  readonly facts?: BlobStoreFacts | undefined
  /** Creates what the store needs (a folder, tables). Called before any other method. */
  open(): Promise<void>
  /**
   * Writes all bytes as a new blob, and returns its key, which the store generates (UUIDv7).
   * Settles when the bytes are durable. The store does not use a chunk any more when it requests
   * the next one. If the source throws, `write` throws the same error; if the upload is deleted
   * meanwhile, it throws {@link BlobGone}. In both cases no bytes stay.
   */
  write(bytes: AsyncIterable<Uint8Array>): Promise<string>
  /**
   * The bytes of a blob, or a range of them, cut at the end of the blob. They come in chunks of 1
   * byte to 1 MiB, which belong to the reader. Undefined if there is no such blob, whatever the key
   * looks like. Files and connections are opened with the first chunk and closed by `return()`. A
   * blob that is deleted while it is read is read to its end, or the reader gets {@link BlobGone}.
   */
  read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Deletes blobs and unfinished uploads. Ignores unknown keys. */
  delete(keys: readonly string[]): Promise<void>
  /**
   * Lists all blobs and all unfinished uploads, in any order, so that a sweep finds what a crash
   * left. It is not a snapshot.
   */
  list(): AsyncIterable<ListedBlob>
  /** Closes files and connections. Called when no other call is under way. */
  close(): Promise<void>
  /** Where the blobs are, for stores that keep all of them in a file or a folder. */
  readonly files?: DataFiles<BlobStore> | undefined
}

/**
 * The blob was deleted while it was read or written. The item may refer to a newer blob meanwhile.
 *
 * ```ts
 * const deletedKeys = new Set<string>()
 * const checkKey = (key: string) => {
 *   if (deletedKeys.has(key)) throw new BlobGone(key)
 * }
 * ```
 */
export class BlobGone extends Error {
  override readonly name = 'BlobGone'

  constructor(key: string) {
    super(`The blob ${key} was deleted while it was in use.`)
  }
}
