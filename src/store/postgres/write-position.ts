import type { Statement } from '../sql/statement-cache.ts'
import type { WritePositions } from '../store-call.ts'

/**
 * How far the write-ahead log is. A failover begins another timeline, which leaves out what only
 * the former primary had.
 */
export interface WritePosition {
  readonly timeline: number
  /** The log sequence number: two hexadecimal numbers. */
  readonly lsn: string
}

/** The timeline in hexadecimal digits, as in the names of the files of the log, and the number. */
const form = /^([0-9A-F]{1,8})-([0-9A-F]{1,8}\/[0-9A-F]{1,8})$/i

export const writePositions: WritePositions = { isValid: (text) => form.test(text) }

/** @param text a valid position */
export function parsePosition(text: string): WritePosition {
  const [, timeline, lsn] = form.exec(text)!
  return { timeline: Number.parseInt(timeline!, 16), lsn: lsn! }
}

/** Reads the position of a primary as text. */
export const primaryPosition: Statement = {
  sql: "select ltrim(left(pg_walfile_name(lsn), 8), '0') || '-' || lsn from pg_current_wal_insert_lsn() as lsn",
  parameters: [],
}

/**
 * Reads whether a replica has what was written before a position. One that still follows an earlier
 * timeline has other changes at the same number; only roles with `pg_read_all_stats` see that.
 */
export function reachedQuery({ timeline, lsn }: WritePosition): Statement {
  return {
    sql: 'select coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) and coalesce((select max(received_tli) >= $2::int from pg_stat_wal_receiver), true)',
    parameters: [lsn, timeline],
  }
}
