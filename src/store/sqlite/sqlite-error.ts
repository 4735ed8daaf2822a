import { StoreUnavailable } from '../store.ts'

/** SQLite's result codes, of which the low byte is the class. */
export const codes = { busy: 5, primaryKey: 1555, unique: 2067 } as const

/** Another process holds the file, it cannot be read, written or opened, or the disk is full: all may pass. */
const passing = new Set([codes.busy, 6, 7, 8, 10, 13, 14, 15])

/** The extended result code; undefined when the error does not come from SQLite. */
export function errorCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : undefined
}

export function isBusy(error: unknown): boolean {
  return ((errorCode(error) ?? 0) & 0xff) === codes.busy
}

/** The same where a file is being opened: it is named, for there may be several, or one in a place that nobody thought of. */
export function toOpeningError(error: unknown, file: string): unknown {
  const code = errorCode(error) ?? systemCode(error)
  if (code === undefined) return error
  const message = `The SQLite file '${file}' cannot be opened: ${(error as Error).message}.`
  const isPassing = typeof code !== 'number' || passing.has(code & 0xff)
  return isPassing ? new StoreUnavailable(message, { cause: error }) : new Error(message, { cause: error })
}

/** Of the operating system: `EACCES`. */
function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** What the store's caller is told of an error: that the store is away, or the error itself. */
export function toStoreError(error: unknown): unknown {
  const code = errorCode(error)
  if (code === undefined || !passing.has(code & 0xff)) return error
  return new StoreUnavailable(`The SQLite file cannot be used for the moment: ${(error as Error).message}.`, {
    cause: error,
  })
}
