import { problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { canonicalDateTime } from '../../model/declare/date-time.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'

/** `deletedAt=…`: which one of several items in the trash that had the same id. */
export const deletedAtParameter: QueryParameter = {
  baseNames: ['deletedAt'],
  describe: () => [
    {
      name: 'deletedAt',
      description:
        'The `time` of the item in the trash, where several had the same id. Without it, the last deleted one.',
      schema: { type: 'string', format: 'date-time' },
      style: 'plain',
      componentName: 'DeletedAt',
    },
  ],
  errors: ['invalid-value'],
  read: ([entry]) => {
    const { key, path, value } = entry!
    const text = path.length === 0 ? canonicalDateTime(value) : undefined
    if (text !== undefined) return acceptParameter({ deletedMs: Date.parse(text) })
    return refuseParameter([
      problem('invalid-value', `'deletedAt' must be a date-time; got '${truncate(value)}'.`, {
        parameter: key,
      }),
    ])
  },
}
