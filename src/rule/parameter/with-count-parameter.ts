import { problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'

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
  return {
    baseNames: ['withCount'],
    describe: () => [
      {
        name: 'withCount',
        description,
        schema: { type: 'boolean', default: false },
        style: 'plain',
        componentName,
      },
    ],
    errors: ['invalid-value'],
    read: ([entry]) => {
      const { key, path, value } = entry!
      if (path.length === 0 && (value === 'true' || value === 'false'))
        return acceptParameter({ withCount: value === 'true' })
      return refuseParameter([
        problem('invalid-value', `'withCount' must be true or false; got '${truncate(value)}'.`, {
          parameter: key,
        }),
      ])
    },
  }
}
