import { randomBytes } from 'node:crypto'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** A change of one item, as it is added to the log. */
export interface LoggedChange {
  readonly kind: 'create' | 'update' | 'delete'
  /** The name of the model. */
  readonly model: string
  readonly id: string
  /** In milliseconds since 1970. */
  readonly timeMs: number
  /** The id of the caller; null for the service itself. */
  readonly caller: string | null
  /** As it was stored, with hidden members; null for a new item. */
  readonly before: StoredItem | null
  /** As it is stored since; null for a deleted item. */
  readonly after: StoredItem | null
}

/** What is left of a change whose item was erased. */
export interface ErasedChange {
  readonly kind: 'erased'
  readonly model: string
  readonly timeMs: number
}

/** Where a change stands in the log. */
export interface LoggedAt {
  /** A text that only the store reads. The order of changes is that of their commits. */
  readonly position: string
  /** The same for all changes of one transaction, which stand together. */
  readonly transaction: string
}

export type ChangeEntry = (LoggedChange | ErasedChange) & LoggedAt

/** What follows a position. */
export type ReadChanges =
  | {
      readonly kind: 'changes'
      readonly entries: readonly ChangeEntry[]
      /** The position after them, from which to read on. */
      readonly next: string
      /** Were these all that were committed? */
      readonly isEnd: boolean
    }
  /** Changes after the position have been removed. */
  | { readonly kind: 'expired' }
  /** The position is malformed, or one of another log. */
  | { readonly kind: 'unknown' }

/** Which changes the log keeps. */
export interface ChangeRetention {
  /** Older changes go, in milliseconds since 1970. */
  readonly beforeMs: number
  /** Only so many of the newest changes stay. */
  readonly maxEntries: number
}

/**
 * The changes of items in the order of their commits: whoever reads on from a position misses
 * nothing that is committed later.
 */
export interface ChangeLog {
  /** Has the data a place for it? Known once the store is open. */
  areKept(): boolean
  /** The position after all changes that are committed. */
  end(): Promise<string>
  /**
   * Reads at most `limit` changes after the position, as they are written at the moment: never from
   * a replica.
   * @param after undefined for the first change that is kept
   * @param extent `ordered`, which is the default, for those before which none can be committed any
   * more. `committed` adds the others: changes of one item are in order, but what is committed
   * later may stand before them, so their positions cannot be read on from.
   */
  read(
    after: string | undefined,
    limit: number,
    extent?: 'ordered' | 'committed',
  ): Promise<ReadChanges>
  /**
   * Calls the listener soon after each commit that may have added changes, of this process or
   * another, and again where they can be read only later. It may be called when there is nothing
   * new, and must not throw.
   * @returns stops it
   */
  watch(listener: () => void): () => void
  /** Removes the oldest changes, at most `limit`. @returns their number */
  removeOldest(retention: ChangeRetention, limit: number): Promise<number>
  /**
   * Erases what the log keeps of an item in the changes that are committed, a part after the other.
   * That something changed stays.
   * @returns the number of changes
   */
  erase(model: string, id: string): Promise<number>
  /** Erases what the next changes keep of items, at most of `limit` changes. */
  eraseOld(old: OldChanges, limit: number): Promise<ErasedOld>
  /**
   * Gives the log a new name, so that all positions become unknown. For a log that comes from a
   * backup: a position of a change after the backup would say something else.
   */
  rename(): Promise<void>
}

/** Changes of models that keep them for a shorter time than the log does. */
export interface OldChanges {
  /** Their names. */
  readonly models: readonly string[]
  /** Changes up to the last one that is older, in milliseconds since 1970. */
  readonly beforeMs: number
  /** Where to go on; undefined for the first change. */
  readonly after: string | undefined
}

export interface ErasedOld {
  /** How many changes. */
  readonly erased: number
  /** Where to go on, also once more have become old. */
  readonly next: string | undefined
  /** Are no more changes older? */
  readonly isEnd: boolean
}

/** The log within one transaction: what it adds is committed with its writes, or not at all. */
export interface ChangeLogWriter {
  /**
   * Called once, with all changes of the transaction in their order.
   * @param until at the latest it adds them; with the commit it may need no round trip of its own.
   * Default: `now`
   */
  add(changes: readonly LoggedChange[], until?: 'now' | 'commit'): Promise<void>
}

/** A name that no other log has: 12 hexadecimal digits. Positions begin with it. */
export function newLogName(): string {
  return randomBytes(6).toString('hex')
}
