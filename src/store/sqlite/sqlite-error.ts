import { StoreUnavailable } from '../store.ts'

/** SQLite's result codes, of which the low byte is the class. */
export const resultCodes = { busy: 5, primaryKey: 1555, unique: 2067 } as const

/**
 * Another process holds the file, it cannot be read, written or opened, or the disk is full: all
 * may pass.
 */
const transientCodes = new Set([resultCodes.busy, 6, 7, 8, 10, 13, 14, 15])

/** The extended result code; undefined when the error does not come from SQLite. */
export function sqliteErrorCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : undefined
}

export function isBusy(error: unknown): boolean {
  return ((sqliteErrorCode(error) ?? 0) & 0xff) === resultCodes.busy
}

/**
 * The same where a file is being opened: it is named, for there may be several, or one in a place
 * that nobody thought of.
 */
export function toOpenError(error: unknown, file: string): unknown {
  const code = sqliteErrorCode(error) ?? systemCode(error)
  if (code === undefined) return error
  const message = `The SQLite file '${file}' cannot be opened: ${(error as Error).message}.`
  const isPassing = typeof code !== 'number' || transientCodes.has(code & 0xff)
  return isPassing
    ? new StoreUnavailable(message, { cause: error })
    : new Error(message, { cause: error })
}

/** Of the operating system: `EACCES`. */
function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** What the store's caller is told of an error: that the store is away, or the error itself. */
export function toStoreError(error: unknown): unknown {
  const code = sqliteErrorCode(error)
  if (code === undefined || !transientCodes.has(code & 0xff)) return error
  return new StoreUnavailable(
    `The SQLite file cannot be used for the moment: ${(error as Error).message}.`,
    {
      cause: error,
    },
  )
}
