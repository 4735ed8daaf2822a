import type { Policy } from '../policy.ts'
import { restRules } from './rules.ts'
import { restSerializer } from './serializer.ts'

/**
 * Plain REST: `application/json`, an item under its singular, a list under its plural, errors as RFC 9457 problems.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
 * ```
 */
export function rest(): Policy {
  return Object.freeze({ name: 'rest', serializer: restSerializer, rules: restRules })
}
