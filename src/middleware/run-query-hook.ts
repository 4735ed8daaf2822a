import type { Context } from '../context/context.ts'
import type { IQuery } from '../query/iquery.ts'
import { isDerivedFrom, withoutPageRange } from '../query/query.ts'
import type { NamedQueryHook } from './hooks.ts'

/**
 * What a query hook makes of a query.
 * @param about whether it narrows a list that is answered, which it can then limit and sort, or
 * decides about single items
 * @throws TypeError where it returns anything else, such as a promise: what it was to hide must not
 * be shown.
 */
export function runQueryHook(
  { name, run }: NamedQueryHook,
  query: IQuery,
  context: Context,
  about: 'list' | 'items',
): IQuery {
  const given =
    about === 'list' && mayLimitLists(name)
      ? query
      : withoutPageRange(query, limitRefusalReason(name))
  const returned: unknown = run(given, context)
  if (isDerivedFrom(given, returned)) return returned
  const what =
    returned instanceof Promise
      ? 'a promise, but runs inside transactions and decides at once'
      : 'no query made from it'
  throw new TypeError(
    `The query hook '${name}' returned ${what}; it must return the query it was given, or one made from that.`,
  )
}

/** Hooks of other names guard single items, in lists too. */
function mayLimitLists(name: NamedQueryHook['name']): boolean {
  return name === 'any' || name === 'getList'
}

function limitRefusalReason(name: NamedQueryHook['name']): string {
  const runs = name === 'any' ? 'also runs for single items, as here' : 'decides about single items'
  return `the hook '${name}' ${runs}. Limit, skip and sort lists in a hook of 'getList'; none() hides every item.`
}
