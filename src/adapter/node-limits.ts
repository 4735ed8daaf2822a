import { defaultUnfinishedBodyBytes } from '../http/unfinished-bodies.ts'
import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../model/check-options.ts'
import type { BodyLimits } from './node-body.ts'

/**
 * Limits of the time and resources that a client may use, as integers. Times are in milliseconds,
 * and at most 2³¹ - 1.
 */
export interface ServerLimits {
  /** Time to receive the headers of a request, at least 1. Default: 10 000. */
  readonly headersTimeoutMs: number
  /**
   * Time between two chunks of a body, and time to receive a JSON body, at least 1. Default:
   * 30 000.
   */
  readonly requestTimeoutMs: number
  /** Time to receive a whole request, at least 1. Default: 300 000. */
  readonly uploadTimeoutMs: number
  /** Time that an idle connection stays open. Default: 5 000. */
  readonly idleTimeoutMs: number
  /** Time that a client may read nothing of a waiting response, at least 1. Default: 30 000. */
  readonly stalledWriteTimeoutMs: number
  /**
   * Average rate at which a client must read a waiting response, after the first
   * `stalledWriteTimeoutMs`. It stops readers that take a byte now and then, and would hold rows,
   * files and temporary tables forever. 0 means no limit. Default: 1 024.
   */
  readonly minReadBytesPerSecond: number
  /** Size of the headers of a request in bytes, at least 1. Default: 16 384 (16 KiB). */
  readonly maxHeaderBytes: number
  /** Number of open connections, at least 1; further ones are closed at once. Default: 10 000. */
  readonly maxConnections: number
  /**
   * Bytes of all JSON bodies in memory that have not arrived completely, in the whole process.
   * Beyond it, the one whose last bytes are the oldest is refused with 503 `overloaded`. Default:
   * 67 108 864 (64 MiB).
   */
  readonly maxUnfinishedBodyBytes: number
}

/** The limits that hold whatever server a request comes from. */
export type HandlerLimits = Pick<
  ServerLimits,
  'requestTimeoutMs' | 'stalledWriteTimeoutMs' | 'minReadBytesPerSecond' | 'maxUnfinishedBodyBytes'
>

export const defaultServerLimits: ServerLimits = Object.freeze({
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 300_000,
  idleTimeoutMs: 5_000,
  stalledWriteTimeoutMs: 30_000,
  minReadBytesPerSecond: 1_024,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 10_000,
  maxUnfinishedBodyBytes: defaultUnfinishedBodyBytes,
})

const handlerLimitOptions: OptionChecks<HandlerLimits> = {
  requestTimeoutMs: positiveMilliseconds,
  stalledWriteTimeoutMs: positiveMilliseconds,
  minReadBytesPerSecond: wholeNumber(0),
  maxUnfinishedBodyBytes: wholeNumber(0),
}

const limitOptions: OptionChecks<ServerLimits> = {
  ...handlerLimitOptions,
  headersTimeoutMs: positiveMilliseconds,
  uploadTimeoutMs: positiveMilliseconds,
  idleTimeoutMs: milliseconds,
  maxHeaderBytes: wholeNumber(1),
  maxConnections: wholeNumber(1),
}

/** Adds defaults for missing limits. @throws RegistrationError for unknown or invalid limits */
export function resolveServerLimits(limits: Partial<ServerLimits> = {}): ServerLimits {
  checkOptions("the option 'limits' of serve()", limits, limitOptions)
  return withDefaults(defaultServerLimits, limits)
}

/** Adds defaults for missing limits. @throws RegistrationError for unknown or invalid limits */
export function resolveHandlerLimits(limits: Partial<HandlerLimits> = {}): HandlerLimits {
  checkOptions("the option 'limits' of nodeHandler()", limits, handlerLimitOptions)
  return withDefaults<HandlerLimits>(defaultServerLimits, limits)
}

export function bodyLimits(limits: HandlerLimits): BodyLimits {
  return {
    timeoutMs: limits.requestTimeoutMs,
    maxUnfinishedBytes: limits.maxUnfinishedBodyBytes,
  }
}
