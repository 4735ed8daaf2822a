import type { QueryParameter } from '../query-parameter.ts'
import { booleanParameter } from './true-or-false.ts'

/**
 * `withCount=true`: the number of items on all pages. Opt-in, because counting can be slow.
 *
 * ```ts
 * const listParameters = [pageParameter(limits), withCountParameter]
 * ```
 */
export const withCountParameter: QueryParameter = countParameter(
  'Adds the number of items on all pages as `meta.page.total`.',
  'WithCount',
)

/** The same for groups. */
export const withGroupCountParameter: QueryParameter = countParameter(
  'Adds the number of groups on all pages as `meta.page.total`.',
  'WithGroupCount',
)

function countParameter(description: string, componentName: string): QueryParameter {
  return booleanParameter('withCount', description, componentName, (withCount) => ({ withCount }))
}
