import type { Context } from '../context/context.ts'
import type { IQuery } from '../query/iquery.ts'
import { isDerivedFrom, withoutPageRange } from '../query/query.ts'
import type { NamedQueryHook } from './named-hook.ts'

/**
 * Runs a query hook.
 * @param about whether the hook narrows a list in a response, which it can also limit and sort, or
 * decides about single items
 * @throws TypeError where the hook returns anything but a query derived from its own, such as a
 * promise
 */
export function runQueryHook(
  { name, run }: NamedQueryHook,
  query: IQuery,
  context: Context,
  about: 'list' | 'items',
): IQuery {
  const hookQuery =
    about === 'list' && mayLimitLists(name)
      ? query
      : withoutPageRange(query, () => limitRefusalReason(name))
  const returned: unknown = run(hookQuery, context)
  if (isDerivedFrom(hookQuery, returned)) return returned
  const returnType = returned instanceof Promise ? 'a promise' : 'something else'
  throw new TypeError(
    `The query hook '${name}' returned ${returnType}. Query hooks must be synchronous and return their query, or one derived from it.`,
  )
}

/** Hooks of other names guard single items, also in lists. */
function mayLimitLists(name: NamedQueryHook['name']): boolean {
  return name === 'any' || name === 'getList'
}

function limitRefusalReason(name: NamedQueryHook['name']): string {
  const scope =
    name === 'any' ? 'also runs for single items, as here' : 'decides about single items'
  return `the hook '${name}' ${scope}. Limit, skip and sort lists in a hook of 'getList'; none() hides every item.`
}
