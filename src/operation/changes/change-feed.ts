import type { ChangePositionCodec } from '../../query/change-position.ts'
import type { ReadChanges } from '../../store/change-log.ts'

/** The log of changes, as the requests of one router follow it. */
export interface ChangeFeed {
  readonly positions: ChangePositionCodec
  /** Are changes of the model in the log? */
  isLogged(modelName: string): boolean
  /** The position after all committed changes. */
  end(): Promise<string>
  /** The same, or an earlier one that costs less. */
  knownEnd(): Promise<string>
  /** As the log does. */
  read(after: string | undefined, limit: number): Promise<ReadChanges>
  /** As the log does, with what others may still commit before. */
  readCommitted(after: string | undefined, limit: number): Promise<ReadChanges>
  /** The same as `read`, maybe without what has not arrived yet. */
  readArrived(after: string | undefined, limit: number): Promise<ReadChanges>
  /** Counts how often changes have come. Ask it before a read, and then wait for the next ones. */
  readonly arrivals: number
  /** Waits for changes after those that were counted. Ends early when the router closes. */
  wait(arrivals: number, timeoutMs: number): ChangeWait
  /**
   * Computes what several who follow need alike once for all of them, and keeps it until changes
   * arrive again. It fails for all if it fails for the first.
   * @param key of what they need
   */
  share<T>(key: string, compute: () => Promise<T>): Promise<T>
  /** Aborted when the host or the router closes, for those who wait now. */
  readonly closing: AbortSignal
  /**
   * Counts a client that waits, until the returned function is called.
   * @param client who it is, see `Context.client`
   * @throws ApiError `too-many-requests`
   */
  subscribe(client: string): () => void
  /** How long one stream lasts, in milliseconds. */
  readonly connectionMs: number
  /** The time between two comments of a stream without changes, in milliseconds. */
  readonly heartbeatMs: number
}

/** One who waits for changes. A listener for each would be slow where thousands wait. */
export interface ChangeWait {
  /** Resolves to whether there may be changes. */
  readonly ended: Promise<boolean>
  end(): void
}
