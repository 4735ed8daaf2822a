import { checkOptions } from '../../model/check-options.ts'
import { charsetParameters } from '../../rule/media-type-parameters.ts'
import { createContents } from '../create-contents.ts'
import { feedRules } from '../feed-rules.ts'
import { flatItemSchemas } from '../flat-item-schemas.ts'
import { type ListOptions, listOptions } from '../list-alternatives.ts'
import type { Policy } from '../policy.ts'
import { mediaType } from './document-schemas.ts'
import { restRules } from './rest-rules.ts'
import { restSerializer } from './rest-serializer.ts'

export type { ListOptions }

export interface RestOptions extends ListOptions {}

/**
 * Plain REST: `application/json`, an item under its singular, a list under its plural, errors as
 * problem details (RFC 9457).
 *
 * ```ts
 * const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function rest(options: RestOptions = {}): Policy {
  checkOptions('rest()', options, listOptions)
  return Object.freeze<Policy>({
    name: 'rest',
    serializer: restSerializer,
    rules: (view, views, limits) => restRules(view, views, limits, options),
    routerRules: (rules, views, limits) =>
      feedRules(rules, views, limits, {
        serializer: restSerializer,
        parameters: charsetParameters,
        item: (view) => flatItemSchemas(view, views).response,
        pageContents: (page) => createContents([mediaType], page),
      }),
  })
}
