import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../model/check-options.ts'

/** What a client may take of the server's time and room before it is cut off. */
export interface ServerLimits {
  /** How long the head of a request may take to arrive: 10 s. */
  readonly headersTimeoutMs: number
  /** How long a body may stall, and one that is read as a whole may take: 30 s. */
  readonly requestTimeoutMs: number
  /** How long a whole request may take to arrive, however steadily it does: 5 min. */
  readonly uploadTimeoutMs: number
  /** How long a connection is kept between two requests: 5 s. */
  readonly idleTimeoutMs: number
  /**
   * How long a client may read nothing of an answer that waits for it, whatever it sends meanwhile:
   * 30 s.
   */
  readonly stalledWriteTimeoutMs: number
  /**
   * How fast a client has to read an answer that waits for it, on average and after the first
   * `stalledWriteTimeoutMs`: 1 024 bytes per second. A reader that takes a byte now and then is cut, and
   * holds no rows, files or temporary tables for ever. 0 is no bound.
   */
  readonly minReadBytesPerSecond: number
  /** How large the head of a request may be: 16 KiB. */
  readonly maxHeaderBytes: number
  /** How many connections are taken at a time; further ones are closed at once. */
  readonly maxConnections?: number
}

export const defaultServerLimits: ServerLimits = Object.freeze({
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 300_000,
  idleTimeoutMs: 5_000,
  stalledWriteTimeoutMs: 30_000,
  minReadBytesPerSecond: 1_024,
  maxHeaderBytes: 16 * 1024,
})

const limitOptions: OptionChecks<ServerLimits> = {
  headersTimeoutMs: positiveMilliseconds,
  requestTimeoutMs: positiveMilliseconds,
  uploadTimeoutMs: positiveMilliseconds,
  idleTimeoutMs: milliseconds,
  stalledWriteTimeoutMs: positiveMilliseconds,
  minReadBytesPerSecond: wholeNumber(0),
  maxHeaderBytes: wholeNumber(1),
  maxConnections: wholeNumber(1),
}

/**
 * The limits, those that are not given at their defaults. @throws RegistrationError where one is no
 * limit, or no number that it can be
 */
export function resolveServerLimits(given: Partial<ServerLimits> = {}): ServerLimits {
  checkOptions("the option 'limits' of serve()", given, limitOptions)
  return withDefaults(defaultServerLimits, given)
}
