import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import type { Policy } from '../policy.ts'
import { jsonLinesSerializer } from './json-lines-serializer.ts'
import { restRules } from './rest-rules.ts'
import { restSerializer } from './rest-serializer.ts'

export interface RestOptions {
  /**
   * Offers lists as JSON Lines too, to clients that would rather have `application/jsonl`
   * (`Accept`): each item on a line of its own, to be read one by one while more are on their way.
   * What `include` and `withCount` add has no place there (406). False unless given.
   */
  readonly jsonLines?: boolean
}

/**
 * Plain REST: `application/json`, an item under its singular, a list under its plural, errors as
 * RFC 9457 problems.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
 * ```
 */
export function rest(options: RestOptions = {}): Policy {
  checkOptions('rest()', options, restOptions)
  const { jsonLines = false } = options
  return Object.freeze<Policy>({
    name: 'rest',
    serializer: restSerializer,
    rules: (view, views, limits) =>
      restRules(view, views, limits, jsonLines ? jsonLinesSerializer : undefined),
  })
}

const restOptions: OptionChecks<RestOptions> = { jsonLines: 'boolean' }
