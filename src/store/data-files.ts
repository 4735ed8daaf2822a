/**
 * The file or folder in which a store keeps all of its data, for `resourcery backup` and
 * `resourcery restore`.
 */
export interface DataFiles<S> {
  readonly path: string
  /**
   * The ends of the names of files beside the path that belong to the data, such as `-wal`. Some or
   * all of them may be missing, and one may be there without the path.
   */
  readonly companionSuffixes: readonly string[]
  /** The same store, with the same options, over another file or folder. */
  at(path: string): S
  /**
   * Begins a copy, while the store is used. Until it ends, the store keeps what it would delete, or
   * lets deletions wait.
   *
   * @throws StoreUnavailable if the file cannot be read; Error if another copy is under way
   */
  beginCopy(): Promise<DataCopy>
  /** @throws Error if a process uses the files, as far as that can be known */
  refuseUse(): Promise<void>
  /** What is damaged in the files themselves, in sentences; empty if nothing is. */
  findDamage(): Promise<readonly string[]>
  /**
   * The keys of the blobs that items in the files name. A backup checks that it has these blobs.
   * Undefined if the files have no items.
   */
  readonly findBlobKeys?: (() => Promise<readonly string[]>) | undefined
  /**
   * Gives a log of changes in the files a new name, so that its positions become unknown. Called
   * while nothing has the files open. Does nothing where there is no log.
   */
  renameLog(): Promise<void>
}

/** A copy that is under way. */
export interface DataCopy {
  /** What is there now will be in the copy. A database is copied as it is now. */
  pin(): Promise<void>
  /**
   * Writes the copy, and makes it durable. Called once, after `pin`.
   *
   * @param path does not exist yet
   */
  copyTo(path: string): Promise<CopiedData>
  /** Lets the store delete again. Called in any case. */
  end(): Promise<void>
}

/** How much was copied. */
export interface CopiedData {
  readonly fileCount: number
  readonly byteCount: number
  /** Is a blob store in it, perhaps without a blob? */
  readonly hasBlobs: boolean
}
