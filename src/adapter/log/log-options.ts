import { checkOptions, formatValue, type OptionChecks } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { LogEntry } from './log-entry.ts'

/** What gets entries of a log: pino has both methods, and so have most other libraries. */
export interface RequestLogger {
  info(entry: object, message: string): unknown
  error(entry: object, message: string): unknown
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

const logOptions: OptionChecks<LogOptions> = {
  to: true,
  withPath: 'boolean',
  callerId: 'function',
}

/** @throws RegistrationError for what is no log */
export function resolveLog(log: Exclude<RequestLog, false>, owner: string): LogOptions {
  if (log === true) return {}
  if (typeof log === 'function' || isLogger(log)) return { to: log }
  if (Object(log) !== log) throw notALog(log, `The option 'log' of ${owner} must be false, true`)
  const subject = `the option 'log' of ${owner}`
  checkOptions(subject, log, logOptions)
  const { to } = log
  if (to !== undefined && typeof to !== 'function' && !isLogger(to))
    throw notALog(to, `The option 'to' of ${subject} must be undefined`)
  return log
}

/** Does the log say that the service listens? A function gets requests alone. */
export function logsStart(log: RequestLog | undefined): boolean {
  if (log === undefined || log === false) return false
  if (log === true || isLogger(log)) return true
  return typeof log !== 'function' && typeof log.to !== 'function'
}

function notALog(value: unknown, beginning: string): RegistrationError {
  return new RegistrationError(
    `${beginning}, a function, or a logger with the methods 'info' and 'error', such as pino(); got ${formatValue(value)}.`,
  )
}

function isLogger(value: unknown): value is RequestLogger {
  const { info, error } = Object(value) as Partial<RequestLogger>
  return typeof info === 'function' && typeof error === 'function'
}
