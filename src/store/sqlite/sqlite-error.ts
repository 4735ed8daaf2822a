import { tablesChanged } from '../store-errors.ts'
import { StoreClosed, StoreUnavailable } from '../store-failures.ts'

/** SQLite's result codes; the low byte is the class. */
export const resultCodes = { busy: 5, primaryKey: 1555, unique: 2067 } as const

/** Classes of errors that say that the content of a file is damaged, or is no database. */
const damageCodes = new Set([11, 26])

/**
 * Classes of errors that may pass: the file is locked, unreadable or not writable, or the disk is
 * full.
 */
const transientCodes = new Set([resultCodes.busy, 6, 7, 8, 10, 13, 14, 15])

/** The extended result code; undefined for errors of other origin. */
export function sqliteErrorCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : undefined
}

export function isBusy(error: unknown): boolean {
  return ((sqliteErrorCode(error) ?? 0) & 0xff) === resultCodes.busy
}

export function isDamage(error: unknown): boolean {
  return damageCodes.has((sqliteErrorCode(error) ?? 0) & 0xff)
}

/** The error of opening a file, with the path of the file. */
export function toOpenError(error: unknown, file: string): unknown {
  const code = sqliteErrorCode(error) ?? systemCode(error)
  if (code === undefined) return error
  const message = `Cannot open the SQLite file '${file}': ${(error as Error).message}.`
  const isTransient = typeof code !== 'number' || transientCodes.has(code & 0xff)
  return isTransient
    ? new StoreUnavailable(message, { cause: error })
    : new Error(message, { cause: error })
}

/**
 * A table or column that is not there any more. SQLite has no code for it, and errors of a
 * statement that was prepared before have none at all.
 */
const vanished = /^no such (?:table|column):|^table .* has no column named /

/** What a trigger raises where a newer version of the program requires a value of its column. */
export const missingValue = 'a column requires a value that this version does not write'

/** The connection was closed while a list was read from it. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === 'database is not open'
}

/** An error code of the operating system, such as `EACCES`. */
function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/**
 * The error that the caller of the store gets: StoreUnavailable for errors that may pass, else the
 * error itself.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof Error && (vanished.test(error.message) || error.message === missingValue))
    return tablesChanged(error)
  if (isClosed(error)) return new StoreClosed('The store is closed.', { cause: error })
  const code = sqliteErrorCode(error)
  if (code === undefined || !transientCodes.has(code & 0xff)) return error
  return new StoreUnavailable(`The SQLite file is unavailable: ${(error as Error).message}.`, {
    cause: error,
  })
}
