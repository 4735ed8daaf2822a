import {
  checkOptions,
  formatValue,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'

/** When `serve` refuses requests, because the process has more of them than it can answer soon. */
export interface OverloadOptions {
  /**
   * How long a turn of the event loop may admit requests, in milliseconds: those that arrive
   * meanwhile wait for its end. Default: 50.
   */
  readonly maxDelayMs?: number
  /**
   * So many requests of a turn are admitted, however long it takes: one slow request makes nobody
   * else refused. Default: 32.
   */
  readonly minPerTurn?: number
  /**
   * With so many calls in a queue of a store it refuses requests that would join it. Default: 256.
   */
  readonly maxWaiting?: number
}

export const defaultOverload: Required<OverloadOptions> = Object.freeze({
  maxDelayMs: 50,
  minPerTurn: 32,
  maxWaiting: 256,
})

const optionChecks: OptionChecks<OverloadOptions> = {
  maxDelayMs: positiveMilliseconds,
  minPerTurn: wholeNumber(1),
  maxWaiting: wholeNumber(1),
}

/**
 * Adds defaults; undefined where nothing is refused.
 * @throws RegistrationError for unknown or invalid options
 */
export function resolveOverload(
  overload: boolean | OverloadOptions = false,
): Required<OverloadOptions> | undefined {
  if (overload === false) return undefined
  if (overload !== true && Object(overload) !== overload)
    throw new RegistrationError(
      `The option 'overload' of serve() must be true, false or an object; got ${formatValue(overload)}.`,
    )
  const options = overload === true ? {} : overload
  checkOptions("the option 'overload' of serve()", options, optionChecks)
  return withDefaults<Required<OverloadOptions>>(defaultOverload, options)
}
