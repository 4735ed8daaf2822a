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
  /** The same, maybe without what has not arrived yet. */
  readArrived(after: string | undefined, limit: number): Promise<ReadChanges>
  /** Counts how often changes have come. Ask it before a read, and then wait for the next ones. */
  readonly arrivals: number
  /**
   * Waits for changes after those that were counted. Ends early when one of the signals is aborted.
   * @returns whether there may be changes
   */
  wait(arrivals: number, timeoutMs: number, signals: readonly AbortSignal[]): Promise<boolean>
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
