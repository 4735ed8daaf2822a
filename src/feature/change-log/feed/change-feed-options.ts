import {
  checkOptions,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../../../model/check-options.ts'

/**
 * How clients follow changes.
 *
 * ```ts
 * const router = createRouter({
 *   policy: rest(),
 *   store: memory(),
 *   changes: { feed: { connectionMs: 60_000, maxSubscribers: 20_000 } },
 * })
 * ```
 */
export interface ChangeFeedOptions {
  /**
   * How long one stream lasts, in milliseconds. Browsers connect again by themselves, and sign in
   * anew. Default: 300 000 (5 minutes).
   */
  readonly connectionMs?: number
  /**
   * The time between two comments of a stream without changes, in milliseconds: proxies close
   * connections that are silent. Default: 15 000.
   */
  readonly heartbeatMs?: number
  /** Clients that wait for changes at once, in this process, at least 1. Default: 10 000. */
  readonly maxSubscribers?: number
  /** Those of one caller, or of one address without a caller, at least 1. Default: 100. */
  readonly maxSubscribersPerCaller?: number
}

const changeFeedOptions: OptionChecks<ChangeFeedOptions> = {
  connectionMs: positiveMilliseconds,
  heartbeatMs: positiveMilliseconds,
  maxSubscribers: wholeNumber(1),
  maxSubscribersPerCaller: wholeNumber(1),
}

export type ChangeFeedSettings = Required<ChangeFeedOptions>

export const defaultChangeFeed: ChangeFeedSettings = Object.freeze({
  connectionMs: 300_000,
  heartbeatMs: 15_000,
  maxSubscribers: 10_000,
  maxSubscribersPerCaller: 100,
})

/**
 * Undefined if clients cannot follow changes.
 * @throws RegistrationError
 */
export function changeFeedSettings(
  option: boolean | ChangeFeedOptions = true,
): ChangeFeedSettings | undefined {
  if (typeof option === 'boolean') return option ? defaultChangeFeed : undefined
  checkOptions("'changes.feed' of createRouter()", option, changeFeedOptions)
  return withDefaults(defaultChangeFeed, option)
}
