import {
  checkOptions,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../../model/check-options.ts'

/** When `serve` refuses requests, because the process has more to do than it can. */
export interface OverloadOptions {
  /**
   * The delay of the event loop that it keeps to, in milliseconds: how late a timer is, and so how
   * long each request waits before anything else. Default: 50.
   */
  readonly maxDelayMs?: number
  /** With fewer requests that wait it refuses none, however late timers are. Default: 32. */
  readonly minPending?: number
  /**
   * With more requests that wait for the head of their response it refuses some, however early
   * timers are: they may wait for a queue. Default: 256.
   */
  readonly maxPending?: number
}

const defaults: Required<OverloadOptions> = Object.freeze({
  maxDelayMs: 50,
  minPending: 32,
  maxPending: 256,
})

const optionChecks: OptionChecks<OverloadOptions> = {
  maxDelayMs: positiveMilliseconds,
  minPending: wholeNumber(1),
  maxPending: wholeNumber(1),
}

/**
 * Adds defaults; undefined where nothing is refused.
 * @throws RegistrationError for unknown or invalid options
 */
export function resolveOverload(
  overload: boolean | OverloadOptions = false,
): Required<OverloadOptions> | undefined {
  if (overload === false) return undefined
  const options = overload === true ? {} : overload
  checkOptions("the option 'overload' of serve()", options, optionChecks)
  return withDefaults<Required<OverloadOptions>>(defaults, options)
}
