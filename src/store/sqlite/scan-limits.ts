import { availableParallelism } from 'node:os'
import { type OptionChecks, positiveMilliseconds, wholeNumber } from '../../model/check-options.ts'

export interface ScanLimits {
  readonly maxThreads: number
  /** The maximum number of scans that wait for a thread. */
  readonly maxWaiting: number
  /** How long a scan may wait for a thread, and then how long it may run. */
  readonly timeoutMs: number
}

export const defaultScanLimits: ScanLimits = Object.freeze({
  maxThreads: Math.max(1, Math.min(availableParallelism() - 1, 4)),
  maxWaiting: 200,
  timeoutMs: 10_000,
})

/**
 * How many lists without a page are read by workers at a time. Each has a temporary table until its
 * last item is read.
 */
export const maxOpenLists = 64

export interface ScanOptions {
  /**
   * The number of worker threads for long scans, at least 1. Default: one fewer than the cores, at
   * least 1 and at most 4.
   */
  readonly maxScanThreads?: number
  /**
   * The number of scans that may wait for a thread, at least 1. Further scans fail with 503 and
   * `Retry-After`. Default: 200.
   */
  readonly maxWaitingScans?: number
  /**
   * How long a statement may wait for a worker, and how long it may then run, in milliseconds, at
   * least 1. After that it is aborted (503). Default: 10 000.
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
