import type { ChangeLog, ChangeRetention } from '../change-log.ts'
import type { ChangeLogStatements, LogPosition } from '../sql/change-log-statements.ts'
import { isAfter, later, positionIn, stateIn } from './change-positions.ts'
import type { SqlDatabase } from './sql-database.ts'

/** Removes the oldest changes of a log in small transactions. */
export function changeRemoval(
  statements: ChangeLogStatements,
  database: Pick<SqlDatabase, 'read' | 'transaction'>,
): ChangeLog['removeOldest'] {
  /** The last change that is one too many, until it is removed: it takes long to find. */
  let excess: { readonly maxEntries: number; readonly last: LogPosition } | undefined

  const lastInExcess = async (
    maxEntries: number,
    oldest: LogPosition,
  ): Promise<LogPosition | undefined> => {
    if (excess?.maxEntries === maxEntries) return excess.last
    if (!Number.isSafeInteger(maxEntries)) return undefined
    const [end] = await database.read([statements.end])
    const lastBefore = (count: number) => statements.lastBeforeNewest(count, positionIn(end!)!)
    const newest = positionIn((await database.read([lastBefore(0)]))[0]!)
    // Changes are numbered one by one, with gaps at most.
    if (!newest || newest.change - oldest.change < BigInt(maxEntries)) return undefined
    const [found] = await database.read([lastBefore(maxEntries)])
    const last = positionIn(found!)
    excess = last && { maxEntries, last }
    return last
  }

  /** The last change to remove, among the oldest ones. */
  const lastToRemove = async (
    { beforeMs, maxEntries }: ChangeRetention,
    limit: number,
    removed: LogPosition,
  ): Promise<LogPosition | undefined> => {
    const results = await database.read([
      statements.nth(removed, 0),
      statements.nth(removed, limit - 1),
      statements.lastExpired(removed, beforeMs, limit),
    ])
    const [oldest, nth, expired] = results.map(positionIn)
    if (!oldest) return undefined
    if (expired && nth && !isAfter(nth, expired)) return expired
    const last = await lastInExcess(maxEntries, oldest)
    if (!last) return expired
    return later(expired, nth && isAfter(last, nth) ? nth : last)
  }

  return async (retention, limit) => {
    // From there, because a database may read over many rows that it has just deleted.
    const [state] = await database.read([statements.state])
    const { removed: after } = stateIn(state!)
    const upTo = await lastToRemove(retention, limit, after)
    if (!upTo) return 0
    const [removed] = await database.transaction((session) =>
      session.run(statements.remove({ after, upTo })),
    )
    if (excess && !isAfter(excess.last, upTo)) excess = undefined
    return removed!.count
  }
}
