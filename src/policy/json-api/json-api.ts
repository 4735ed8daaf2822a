import type { Policy } from '../policy.ts'
import { batchRules } from './batch-rules.ts'
import { jsonApiErrors } from './errors.ts'
import { jsonApiRules } from './rules.ts'

/**
 * JSON:API 1.1: `application/vnd.api+json`, resource objects with links, compound documents, relationships at their own addresses, the
 * Cursor Pagination profile, and the Atomic Operations extension at `/operations`.
 *
 * ```ts
 * const router = createRouter({ policy: jsonApi(), basePath: '/json-api', store: memory() })
 * ```
 */
export function jsonApi(): Policy {
  return Object.freeze({ name: 'json-api', serializer: jsonApiErrors, rules: jsonApiRules, routerRules: batchRules })
}
