import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { readPageSize } from './read-page-size.ts'

/** In a schema: so many seconds later the response may come. Tools that make requests read it. */
const waitsKeyword = 'x-resourcery-waits'

/** The longest time that a client can wait for a change, in seconds. */
const maxWaitSeconds = 60

/**
 * Which changes a client asks for: `since` a position, at most `limit` of them, and how long to
 * `wait` for the first one, in seconds.
 *
 * ```ts
 * const parameters = [filterParameter(views, view, limits), changesParameter(limits)]
 * ```
 */
export function changesParameter(limits: RouterLimits): QueryParameter {
  const defaultLimit = defaultChangesLimit(limits)
  return {
    baseNames: ['since', 'limit', 'wait'],
    describe: () => [
      {
        name: 'since',
        description:
          'The position after which to read: `next` of an earlier response, `start` for the first change that is kept, or, for a single list, `Changes-Position` of the list or an item. Without it, changes from now on.',
        schema: { type: 'string', minLength: 1 },
        style: 'plain',
        componentName: 'Since',
      },
      {
        name: 'limit',
        description: 'The number of changes of a page.',
        schema: {
          type: 'integer',
          minimum: 1,
          maximum: limits.maxPageSize,
          default: defaultLimit,
        },
        example: defaultLimit,
        style: 'plain',
        componentName: 'ChangesLimit',
      },
      {
        name: 'wait',
        description:
          'How many seconds to wait for the first change, if there is none. A stream of events waits anyway.',
        schema: {
          type: 'integer',
          minimum: 0,
          maximum: maxWaitSeconds,
          default: 0,
          [waitsKeyword]: true,
        },
        example: 0,
        style: 'plain',
        componentName: 'Wait',
      },
    ],
    errors: ['invalid-value', 'page-too-large', 'invalid-page', 'limit-exceeded'],
    read: (entries) => {
      const problems: Problem[] = []
      const values = new Map<string, string>()
      for (const { key, path, baseName, value } of entries) {
        if (path.length === 0) values.set(baseName, value)
        else
          problems.push(
            problem('invalid-value', `Write '${baseName}' without brackets.`, { parameter: key }),
          )
      }
      const since = values.get('since')
      if (since === '')
        problems.push(
          problem('invalid-value', "'since' must be a position or 'start'; got ''.", {
            parameter: 'since',
          }),
        )
      const limit = readPageSize('limit', values.get('limit'), limits, problems)
      const waitMs = readWait(values.get('wait'), problems)
      if (problems.length > 0) return refuseParameter(problems)
      return acceptParameter({ changes: { since, limit: limit ?? defaultLimit, waitMs } })
    },
    absent: {
      changes: Object.freeze({ since: undefined, limit: defaultLimit, waitMs: 0 }),
    },
  }
}

/** A page of changes is small beside the request for it. */
function defaultChangesLimit({ maxPageSize }: RouterLimits): number {
  return Math.min(100, maxPageSize)
}

function readWait(text: string | undefined, problems: Problem[]): number {
  if (text === undefined) return 0
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= maxWaitSeconds) return seconds * 1_000
  problems.push(
    problem(
      'invalid-value',
      `'wait' must be an integer from 0 to ${maxWaitSeconds} (seconds); got '${truncate(text)}'.`,
      { parameter: 'wait' },
    ),
  )
  return 0
}
