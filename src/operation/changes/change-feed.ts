import type { Clock } from '../../context/context.ts'
import type { ChangePositionCodec } from '../../query/change-position.ts'
import type { ChangeEntry, ReadChanges } from '../../store/change-log.ts'
import type { FollowingChanges } from './following-changes.ts'

/** The log of changes, as the requests of one router follow it. */
export interface ChangeFeed {
  readonly positions: ChangePositionCodec
  /** The time of the service. */
  readonly clock: Clock
  /** Are changes of the model in the log? */
  isLogged(modelName: string): boolean
  /** The position after all committed changes. */
  end(): Promise<string>
  /** The same, or an earlier one that costs less. */
  knownEnd(): Promise<string>
  /** As the log does. */
  read(after: string | undefined, limit: number): Promise<ReadChanges>
  /** The same as `read`, maybe without what has not arrived yet. */
  readArrived(after: string | undefined, limit: number): Promise<ReadChanges>
  /**
   * All that is committed after a part of the log, also what others may still commit before. It is
   * read once for all who ask, and may have what was erased a short time ago: it decides, and is
   * never sent.
   * @returns undefined if that is too much, or cannot be read
   */
  following(part: LogPart): Promise<FollowingChanges | undefined>
  /** Counts how often changes have come. Ask it before a read, and then wait for the next ones. */
  readonly arrivals: number
  /** Waits for changes after those that were counted. Ends early when the router closes. */
  wait(arrivals: number, timeoutMs: number): ChangeWait
  /**
   * For one who waits for what others wait for too: it is read and decided once for all of them.
   * @param key of what they wait for
   */
  shareWaits<P extends SharedPart>(key: string, reader: SharedReader<P>): SharedWaits
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

/** A part of the log that is read. */
export interface LogPart {
  /** The position before it; undefined for the first change that is kept. */
  readonly after: string | undefined
  readonly entries: readonly ChangeEntry[]
  /** The position after it. */
  readonly next: string
}

/** What follows a position, as text. */
export interface SharedPart {
  /** Empty where the client sees nothing of it. */
  readonly text: string
  /** The position after it, in the log. */
  readonly next: string
  /** Is this all so far? */
  readonly isEnd: boolean
}

/** One who waits for what others wait for too. Promises for each would be slow. */
export interface SharedReader<P extends SharedPart> {
  /** For all of them, or for this one where others have left. */
  read(after: string): Promise<P>
  /** Ends a wait. @param part has a text; undefined if the wait ended before there was one */
  take(part: P | undefined): void
  /** Ends a wait whose part cannot be read. */
  fail(error: unknown): void
}

/** The waits of one reader, one after the other. */
export interface SharedWaits {
  /** Waits for what follows a position. */
  waitAfter(after: string): void
  /** Ends the wait, if there is one. */
  end(): void
}

/** One who waits for changes. A listener for each would be slow where thousands wait. */
export interface ChangeWait {
  /** Resolves to whether there may be changes. */
  readonly ended: Promise<boolean>
  end(): void
}
