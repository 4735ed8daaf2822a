import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  positiveMilliseconds,
} from '../model/check-options.ts'

/** How long code of the service may take, in milliseconds. */
export interface TimeoutOptions {
  /**
   * Timeout of an asynchronous action (500, reported), and of its wait for other actions on the
   * same item (429), in milliseconds. Default: 30 000.
   */
  readonly actionMs?: number
  /**
   * How long code in a transaction may do nothing with items, in milliseconds, at least 1: hooks
   * around writes, functions of `transaction()`, and actions that use items. Then the transaction
   * is undone, and the request is a 503, reported. A response waits as long for hooks after the
   * commit; longer ones are reported, and the change stays. Default: 10 000.
   */
  readonly hookMs?: number
  /**
   * Timeout of all asynchronous schemas of one request (503, reported), in milliseconds, at least
   * 1. Default: 10 000.
   */
  readonly validationMs?: number
}

export const timeoutOptions: OptionChecks<TimeoutOptions> = {
  actionMs: milliseconds,
  hookMs: positiveMilliseconds,
  validationMs: positiveMilliseconds,
}

/** @throws RegistrationError for an unknown option, and for one that is not allowed */
export function timeoutsOf(timeouts: TimeoutOptions = {}): Required<TimeoutOptions> {
  checkOptions("the option 'timeouts' of createRouter()", timeouts, timeoutOptions)
  const { actionMs = 30_000, hookMs = 10_000, validationMs = 10_000 } = timeouts
  return { actionMs, hookMs, validationMs }
}
