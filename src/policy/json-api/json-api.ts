import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import type { Policy } from '../policy.ts'
import { batchRules } from './batch-rules.ts'
import { createErrorSerializer } from './error-serializer.ts'
import { jsonApiRules } from './json-api-rules.ts'
import { atomicExtensionUri } from './media-types.ts'

export interface JsonApiOptions {
  /**
   * The address of a page that explains errors: each error then has a link of the relation `type`
   * to it, with its code as the fragment (JSON:API 1.1, error objects). Kinds of error that a
   * profile names keep their own.
   */
  readonly errorDocsUrl?: string
}

/**
 * JSON:API 1.1: `application/vnd.api+json`, resource objects with links, compound documents,
 * relationships at their own addresses, the Cursor Pagination profile, and the Atomic Operations
 * extension at `/operations`.
 *
 * ```ts
 * const router = createRouter({ policy: jsonApi(), basePath: '/json-api', store: memory() })
 * ```
 */
export function jsonApi(options: JsonApiOptions = {}): Policy {
  checkOptions('jsonApi()', options, jsonApiOptions)
  const { errorDocsUrl } = options
  const errorsIn = createErrorSerializer(errorDocsUrl)
  const errors = errorsIn([])
  const batchErrors = errorsIn([atomicExtensionUri])
  return Object.freeze<Policy>({
    name: 'json-api',
    serializer: errors,
    rules: (view, views, limits) => jsonApiRules(view, views, limits, errors),
    routerRules: (rules, views, limits) => batchRules(rules, views, limits, batchErrors),
  })
}

const jsonApiOptions: OptionChecks<JsonApiOptions> = { errorDocsUrl: true }
