import { problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'

/**
 * `withCount=true`: how many items there are on all pages together. Never counted unasked, for
 * counting can cost more than the page.
 */
export const withCountParameter: QueryParameter = {
  baseNames: ['withCount'],
  describe: () => [
    {
      name: 'withCount',
      description: 'Adds the number of items on all pages as `meta.page.total`.',
      schema: { type: 'boolean', default: false },
      style: 'plain',
      componentName: 'WithCount',
    },
  ],
  errors: ['invalid-value'],
  read: ([entry]) => {
    const { key, path, value } = entry!
    if (path.length === 0 && (value === 'true' || value === 'false'))
      return acceptParameter({ withCount: value === 'true' })
    return refuseParameter([
      problem('invalid-value', `withCount is true or false, not '${truncate(value)}'.`, {
        parameter: key,
      }),
    ])
  },
}
