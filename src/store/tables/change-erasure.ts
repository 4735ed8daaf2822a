import { setImmediate } from 'node:timers/promises'
import type { ChangeLog } from '../change-log.ts'
import type {
  ChangeLogStatements,
  ChangeSelection,
  LogPosition,
  LogRange,
} from '../sql/change-log-statements.ts'
import { isAfter, parsePosition, positionIn, start } from './change-positions.ts'
import type { SqlDatabase } from './sql-database.ts'

/** No statement looks at more changes, and others get a turn in between. */
const changesPerStatement = 2_000

/** Erases what a log keeps of items, in small transactions. */
export function changeErasure(
  statements: ChangeLogStatements,
  database: Pick<SqlDatabase, 'read' | 'transaction'>,
  format: (position: LogPosition) => Promise<string>,
): Pick<ChangeLog, 'erase' | 'eraseOld'> {
  const eraseIn = async (range: LogRange, selection: ChangeSelection): Promise<number> => {
    const [found] = await database.read([statements.contains(range, selection)])
    if (found!.rows.length === 0) return 0
    const [erased] = await database.transaction((session) =>
      session.run([statements.erase(range, selection)]),
    )
    return erased!.count
  }
  return {
    async erase(model, id) {
      let erased = 0
      let after: LogPosition = start
      for (;;) {
        const [next] = await database.read([statements.nth(after, changesPerStatement - 1)])
        const upTo = positionIn(next!)
        erased += await eraseIn({ after, upTo }, { kind: 'item', model, id })
        if (!upTo) return erased
        after = upTo
        // A read may need no turn of the event loop.
        await setImmediate()
      }
    },
    async eraseOld({ models, beforeMs, after }, limit) {
      // Where it cannot go on, it begins again.
      const position = (after === undefined ? undefined : parsePosition(after)) ?? start
      const results = await database.read([
        statements.lastExpired(position, beforeMs, limit),
        statements.nth(position, limit - 1),
      ])
      const [upTo, nth] = results.map(positionIn)
      if (!upTo) return { erased: 0, next: after, isEnd: true }
      const erased = await eraseIn({ after: position, upTo }, { kind: 'models', models })
      return { erased, next: await format(upTo), isEnd: !nth || isAfter(nth, upTo) }
    },
  }
}
