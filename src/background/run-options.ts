import { type OptionChecks, positiveMilliseconds, wholeNumber } from '../model/check-options.ts'

/** How a function of the service runs beside requests, and again when it has failed. */
export interface RunOptions {
  readonly inTransaction: boolean
  readonly attempts: number
  readonly pauseMs: number
  readonly maxPauseMs: number
}

export const runOptionChecks: OptionChecks<RunOptions> = {
  inTransaction: 'boolean',
  attempts: wholeNumber(1, 1_000),
  pauseMs: positiveMilliseconds,
  maxPauseMs: positiveMilliseconds,
}

export const runDefaults: RunOptions = Object.freeze({
  inTransaction: false,
  attempts: 10,
  pauseMs: 1_000,
  maxPauseMs: 600_000,
})
