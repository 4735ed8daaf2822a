import { problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { type Parameter, read, refused } from '../parameter.ts'

/** `withCount=true`: how many items there are on all pages together. Never counted unasked, for counting can cost more than the page. */
export const withCountParameter: Parameter = {
  families: ['withCount'],
  documented: () => [
    {
      name: 'withCount',
      description: 'Adds the number of items on all pages as `meta.page.total`.',
      schema: { type: 'boolean', default: false },
      written: 'plain',
      shared: 'WithCount',
    },
  ],
  errors: ['invalid-value'],
  read: ([entry]) => {
    const { key, path, value } = entry!
    if (path.length === 0 && (value === 'true' || value === 'false')) return read({ withCount: value === 'true' })
    return refused([
      problem('invalid-value', `withCount is true or false, not '${shortened(value)}'.`, { parameter: key }),
    ])
  },
}
