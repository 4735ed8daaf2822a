import {
  checkOptions,
  days,
  type OptionChecks,
  wholeNumber,
  withDefaults,
} from '../../model/check-options.ts'
import {
  type ChangeFeedOptions,
  type ChangeFeedSettings,
  changeFeedSettings,
  defaultChangeFeed,
} from './feed/change-feed-options.ts'

/**
 * How a router logs what changed.
 *
 * ```ts
 * const router = createRouter({
 *   policy: rest(),
 *   store: memory(),
 *   changes: { keepDays: 30, maxEntries: 1_000_000 },
 * })
 * ```
 */
export interface ChangesOptions {
  /**
   * The models whose changes are logged: `all` but those that say no, or the `declared` ones, which
   * have the option `changes` themselves. Default: `all`.
   */
  readonly models?: 'all' | 'declared'
  /** How long changes are kept, from 1 to 36 500 days. Default: 7. */
  readonly keepDays?: number
  /** How many of the newest changes are kept. Default: 10 000 000. */
  readonly maxEntries?: number
  /** Are items of `router.load()` and bytes of `router.loadResource()` changes? Default: false. */
  readonly loads?: boolean
  /**
   * Can clients follow the changes that they may see, at `/<plural>/changes`? Default: true, with
   * the defaults of {@link ChangeFeedOptions}.
   */
  readonly feed?: boolean | ChangeFeedOptions
}

const changesOptions: OptionChecks<ChangesOptions> = {
  models: ['all', 'declared'],
  keepDays: days,
  maxEntries: wholeNumber(1),
  loads: 'boolean',
  feed: true,
}

/** What a router logs, and for how long. */
export interface ChangeLogSettings extends Required<Omit<ChangesOptions, 'feed'>> {
  /** Undefined where clients cannot follow changes. */
  readonly feed: ChangeFeedSettings | undefined
}

const defaultChanges: ChangeLogSettings = Object.freeze({
  models: 'all',
  keepDays: 7,
  maxEntries: 10_000_000,
  loads: false,
  feed: defaultChangeFeed,
})

/**
 * Where the router has no option, models may still have it.
 * @throws RegistrationError
 */
export function changeLogSettings(option: boolean | ChangesOptions | undefined): ChangeLogSettings {
  if (option === undefined || option === false) return { ...defaultChanges, models: 'declared' }
  if (option === true) return defaultChanges
  checkOptions("the option 'changes' of createRouter()", option, changesOptions)
  const { feed, ...others } = option
  return { ...withDefaults(defaultChanges, others), feed: changeFeedSettings(feed) }
}
