import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { LogEntry } from './log-entry.ts'

/** What gets entries of a log: pino has both methods, and so have most other libraries. */
export interface RequestLogger {
  info(entry: object, message: string): void
  error(entry: object, message: string): void
}

/** Gets each entry of a log. */
export type WriteLogEntry = (entry: LogEntry) => void

/** What the entries of a log hold, and where they go. */
export interface LogOptions {
  /**
   * A function, or a logger with `info` and `error`, such as that of pino. Default: standard
   * output, as lines to read on a terminal, and as lines of JSON elsewhere.
   */
  readonly to?: WriteLogEntry | RequestLogger
  /**
   * Has an entry the path of the request, with the ids in it? Default: false, because ids can be
   * personal data, and paths of files can be secrets.
   */
  readonly withPath?: boolean
  /** Says who sent a request that is not anonymous. Default: entries name no callers. */
  readonly callerId?: (caller: unknown) => string | undefined
}

/**
 * What a host logs: nothing (`false`), or an entry for each request, to standard output (`true`), a
 * function, a logger such as that of pino, or as `LogOptions` say.
 */
export type RequestLog = boolean | WriteLogEntry | RequestLogger | LogOptions

const logOptions: OptionChecks<LogOptions> = { to: true, withPath: 'boolean', callerId: true }

/** @throws RegistrationError for what is no log */
export function resolveLog(log: Exclude<RequestLog, false>, owner: string): LogOptions {
  if (log === true) return {}
  if (typeof log === 'function' || isLogger(log)) return { to: log }
  const subject = `the option 'log' of ${owner}`
  if (typeof log === 'object' && log !== null) checkOptions(subject, log as LogOptions, logOptions)
  const options = log as LogOptions
  if (
    typeof options !== 'object' ||
    options === null ||
    !(options.to === undefined || typeof options.to === 'function' || isLogger(options.to))
  )
    throw new RegistrationError(
      `Entries of ${subject} go to true (standard output), a function, or a logger with the methods 'info' and 'error', such as pino().`,
    )
  return options
}

function isLogger(value: unknown): value is RequestLogger {
  const { info, error } = Object(value) as Partial<RequestLogger>
  return typeof info === 'function' && typeof error === 'function'
}
