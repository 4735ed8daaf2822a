// Measured with an SQLite file of 10 000 books (8 MB) and random writes.

/**
 * At so many pages of 4 KiB the next commit copies the WAL into the database, so the WAL stays near
 * 16 MiB. A checkpoint syncs twice, and copies a page once however often it is in the WAL: for 1
 * 000 pages, SQLite's default, it takes 5 ms of processor time, for 4 000 pages 11 ms, and the
 * syncs take as long for both. From 8 000 pages on, requests wait noticeably longer for a
 * checkpoint, and reads look up more frames.
 */
export const autoCheckpointPages = 4_000

export const autoCheckpointPragma: string = `wal_autocheckpoint = ${autoCheckpointPages}`

/** Large transactions wait for a checkpoint from here on. */
export const maxWalBytes = 67_108_864

/** A WAL that was longer is cut when SQLite writes from its start again. */
export const walSizeLimitPragma = 'journal_size_limit = 16777216'

/** The page cache of a reader: the index pages of many lists. */
export const readerCachePragma = 'cache_size = -16000'

/**
 * The page cache of the writer. The default of 2 MB is less than the index pages that random writes
 * touch: a create then reads two pages more. What a large transaction changed stands in the cache
 * until its COMMIT writes it, on the main thread: 16 MB took up to 265 ms.
 */
export const writerCachePragma = 'cache_size = -4000'
