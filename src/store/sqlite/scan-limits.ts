import { availableParallelism } from 'node:os'

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
  readonly maxScanThreads?: number
  readonly maxWaitingScans?: number
  readonly statementTimeoutMs?: number
}

export function scanLimits(options: ScanOptions): ScanLimits {
  return {
    maxThreads: options.maxScanThreads ?? defaultScanLimits.maxThreads,
    maxWaiting: options.maxWaitingScans ?? defaultScanLimits.maxWaiting,
    timeoutMs: options.statementTimeoutMs ?? defaultScanLimits.timeoutMs,
  }
}
