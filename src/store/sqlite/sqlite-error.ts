import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
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

/** The package of the driver loses the code of an error of a statement that returns rows. */
const codesOfMessages: Readonly<Record<string, number>> = {
  'database is locked': resultCodes.busy,
  'database table is locked': 6,
  'out of memory': 7,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'locking protocol': 15,
  'file is not a database': 26,
}

/** The extended result code, or its class; undefined for errors of other origin. */
export function sqliteErrorCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? errcode : codesOfMessages[error.message]
}

export function isBusy(error: unknown): boolean {
  return ((sqliteErrorCode(error) ?? 0) & 0xff) === resultCodes.busy
}

export function isDamage(error: unknown): boolean {
  return damageCodes.has((sqliteErrorCode(error) ?? 0) & 0xff)
}

const restoreAdvice = "Stop the service, and restore a backup with 'resourcery restore'."

/** What to do about classes of errors. */
const advice: Readonly<Record<number, string>> = {
  [resultCodes.busy]: 'Another program has locked it: end that program first.',
  11: restoreAdvice,
  13: 'Free space on its disk.',
  26: restoreAdvice,
}

/** The error of opening a file, with the path of the file, and what to do. */
export function toOpenError(thrown: unknown, file: string): unknown {
  const error = thrown instanceof StoreUnavailable ? (thrown.cause ?? thrown) : thrown
  const code = sqliteErrorCode(error) ?? systemCode(error)
  if (code === undefined) return thrown
  const reason = (error as Error).message
  const toDo = typeof code === 'number' ? (advice[code & 0xff] ?? accessFault(file)) : undefined
  const message = [`Cannot open the SQLite file '${file}': ${reason}.`, toDo]
    .filter((sentence) => sentence !== undefined)
    .join(' ')
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

/** Why the system does not let the process write the file, which SQLite does not say. */
function accessFault(file: string): string | undefined {
  try {
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
    // SQLite has files beside it.
    accessSync(dirname(file), constants.W_OK)
    return undefined
  } catch (error) {
    return `The system says: ${(error as Error).message}.`
  }
}

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
 * The error that the caller of the store gets: StoreUnavailable for errors that may pass, or after
 * which someone has to repair the file, else the error itself.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof Error && (vanished.test(error.message) || error.message === missingValue))
    return tablesChanged(error)
  if (isClosed(error)) return new StoreClosed('The store is closed.', { cause: error })
  const code = sqliteErrorCode(error)
  if (isDamage(error))
    return new StoreUnavailable(
      `The SQLite file is damaged: ${(error as Error).message}. ${restoreAdvice}`,
      { cause: error },
    )
  if (code === undefined || !transientCodes.has(code & 0xff)) return error
  return new StoreUnavailable(`The SQLite file is unavailable: ${(error as Error).message}.`, {
    cause: error,
  })
}
