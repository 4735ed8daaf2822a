import { problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { Selection } from '../selection.ts'

/** A parameter that is `true` or `false`. */
export function booleanParameter(
  name: string,
  description: string,
  componentName: string,
  select: (value: boolean) => Partial<Selection>,
): QueryParameter {
  return {
    baseNames: [name],
    describe: () => [
      {
        name,
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
        return acceptParameter(select(value === 'true'))
      return refuseParameter([
        problem('invalid-value', `'${name}' must be true or false; got '${truncate(value)}'.`, {
          parameter: key,
        }),
      ])
    },
  }
}
