import type { Context } from '../context/context.ts'
import type { IQuery } from '../query/iquery.ts'
import { isMadeFrom } from '../query/query.ts'
import type { NamedQueryHook } from './hooks.ts'

/**
 * What a query hook makes of a query.
 * @throws TypeError where it returns anything else, such as a promise: what it was to hide must not be shown.
 */
export function runQueryHook({ name, run }: NamedQueryHook, given: IQuery, context: Context): IQuery {
  const returned: unknown = run(given, context)
  if (isMadeFrom(given, returned)) return returned
  const what =
    returned instanceof Promise
      ? 'a promise, but runs inside transactions and decides at once'
      : 'no query made from it'
  throw new TypeError(
    `The query hook '${name}' returned ${what}; it must return the query it was given, or one made from that.`,
  )
}
