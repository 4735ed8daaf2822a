import { availableParallelism } from 'node:os'
import { type OptionChecks, positiveMilliseconds, wholeNumber } from '../../model/check-options.ts'

export interface ScanLimits {
  readonly maxThreads: number
  /** How many may wait for a thread. */
  readonly maxWaiting: number
  /** How long one may wait for a thread, and then run. */
  readonly timeoutMs: number
}

export const defaultScanLimits: ScanLimits = Object.freeze({
  maxThreads: Math.max(1, Math.min(availableParallelism() - 1, 4)),
  maxWaiting: 200,
  timeoutMs: 10_000,
})

export interface ScanOptions {
  /**
   * How many threads may look through tables at a time: one fewer than there are cores unless
   * given, at least 1 and at most 4.
   */
  readonly maxScanThreads?: number
  /**
   * How many scans may wait for a thread, 200 unless given; further ones are answered with 503 and
   * `Retry-After`.
   */
  readonly maxWaitingScans?: number
  /**
   * How long a statement may take in a worker, and wait for one before, in milliseconds: 10 000
   * unless given. Then it is broken off (503).
   */
  readonly statementTimeoutMs?: number
}

export const scanOptions: OptionChecks<ScanOptions> = {
  maxScanThreads: wholeNumber(1),
  maxWaitingScans: wholeNumber(1),
  statementTimeoutMs: positiveMilliseconds,
}

export function scanLimits(options: ScanOptions): ScanLimits {
  return {
    maxThreads: options.maxScanThreads ?? defaultScanLimits.maxThreads,
    maxWaiting: options.maxWaitingScans ?? defaultScanLimits.maxWaiting,
    timeoutMs: options.statementTimeoutMs ?? defaultScanLimits.timeoutMs,
  }
}
