import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import { timeZoneHint } from '../../model/time-zone-hint.ts'
import { isTimeZone } from '../../model/time-zone-name.ts'
import type { DocumentedParameter } from '../query-parameter.ts'
import { withoutBrackets } from './parameter-statements.ts'

const parameter = 'timeZone'

export const describeTimeZone: DocumentedParameter = {
  name: parameter,
  description:
    'The time zone of the parts of date-times in `groupBy`, by its IANA name, as in `timeZone=Europe/Berlin`. Default: UTC. A date without a time has the same parts everywhere.',
  schema: { type: 'string', default: 'UTC' },
  style: 'plain',
  componentName: 'GroupTimeZone',
}

/** The time zone of a request; undefined for UTC. */
export function readTimeZone(
  entries: readonly QueryParameterEntry[],
  problems: Problem[],
): string | undefined {
  let timeZone: string | undefined
  for (const { key, path, value } of entries)
    if (path.length > 0) problems.push(withoutBrackets(key))
    else if (isTimeZone(value)) timeZone = value
    else
      problems.push(
        problem(
          'invalid-value',
          `Expected the IANA name of a time zone, such as Europe/Berlin; got '${truncate(value)}'.${timeZoneHint(value)}`,
          { parameter: key },
        ),
      )
  return timeZone === undefined || timeZone.toUpperCase() === 'UTC' ? undefined : timeZone
}
