import { memoizeBy } from '../../cache/memoize-by.ts'
import type { TableName } from '../../model/storage.ts'
import { formatNumber } from '../../text/message-text.ts'
import type { ChangeLog, ChangeLogWriter } from '../change-log.ts'
import { newLogName } from '../change-log.ts'
import type { ChangeSignal } from '../change-signal.ts'
import {
  type ChangeLogStatements,
  changeLogStatements,
  type LogPosition,
  maxRowsPerStatement,
} from '../sql/change-log-statements.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { nothingCaptured, type ReadCaptured } from './captured-items.ts'
import { changeErasure } from './change-erasure.ts'
import {
  formatPosition,
  isAfter,
  parsePosition,
  positionIn,
  start,
  stateIn,
} from './change-positions.ts'
import { changeRemoval } from './change-removal.ts'
import type { Engine } from './engine.ts'
import { logEntries } from './log-entries.ts'
import type { SchemaStep } from './plan/schema-step.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import type { SqlDatabase, SqlSession, StatementResult } from './sql-database.ts'

/** Where the store keeps the log of changes. */
export const changeTable: TableName = { schema: undefined, name: 'resourcery_changes' }

/** Where triggers keep changes of other programs until the end of their transaction. */
export const pendingTable: TableName = { schema: undefined, name: `${changeTable.name}_pending` }

/** What the log has lost, and its name. */
export const changeStateTable: TableName = { schema: undefined, name: `${changeTable.name}_state` }

export const changeStatements: (engine: Engine) => ChangeLogStatements = memoizeBy(
  ({ dialect, quoteTable, changeOrder }: Engine) =>
    changeLogStatements(
      dialect,
      changeOrder,
      quoteTable(changeTable),
      quoteTable(changeStateTable),
    ),
)

/** Creates the tables where the database lacks them. */
export function changeTableSteps(engine: Engine, schema: DatabaseSchema): readonly SchemaStep[] {
  if (findTable(schema, changeTable)) return []
  const summary = `Create the tables '${changeTable.name}' and '${changeStateTable.name}', in which the store keeps the log of changes.`
  return [{ kind: 'instant', summary, sql: changeStatements(engine).createTables }]
}

/** Begins the log where it has not begun, or cannot go on. */
export async function beginChangeLog(
  statements: ChangeLogStatements,
  session: Pick<SqlSession, 'run'>,
): Promise<void> {
  const log = newLogName()
  await session.run([statements.begin(log), ...statements.beginAgain(log)])
}

/**
 * The log of a database.
 * @param areKept whether the store has opened the tables
 * @param readCaptured reads rows that triggers have logged
 */
export function tableChangeLog(
  statements: ChangeLogStatements,
  database: Pick<SqlDatabase, 'read' | 'transaction'>,
  signal: ChangeSignal,
  areKept: () => boolean,
  readCaptured: ReadCaptured = nothingCaptured,
): ChangeLog {
  // Where the writer numbers changes, their order is that of these numbers alone.
  const isBeyond = (position: LogPosition, end: LogPosition): boolean =>
    statements.order.numbers === undefined ? position.change > end.change : isAfter(position, end)
  return {
    areKept,
    async end() {
      const [end, state] = await database.read([statements.end, statements.state])
      return formatPosition(stateIn(state!).log, positionIn(end!)!)
    },
    async read(after, limit, extent = 'ordered') {
      const position = after === undefined ? start : parsePosition(after)
      if (!position) return { kind: 'unknown' }
      // The state is read last: it tells of changes that were removed in between.
      const [rows, end, state] = await database.read([
        statements.read(position, limit, extent),
        statements.end,
        statements.state,
      ])
      const { log, removed } = stateIn(state!)
      const changesAfter = async (from: LogPosition) => ({
        kind: 'changes' as const,
        entries: await logEntries(
          rows!.rows as readonly Row[],
          statements.order,
          log,
          readCaptured,
        ),
        next: formatPosition(log, rows!.rows.length === 0 ? from : lastPosition(rows!)),
        isEnd: rows!.rows.length < limit,
      })
      if (after === undefined) return changesAfter(removed)
      if (position.log !== log || isBeyond(position, positionIn(end!)!)) return { kind: 'unknown' }
      if (isAfter(removed, position)) return { kind: 'expired' }
      return changesAfter(position)
    },
    watch: (listener) => signal.watch(listener),
    removeOldest: changeRemoval(statements, database),
    ...changeErasure(statements, database, async (position) => {
      const [state] = await database.read([statements.state])
      return formatPosition(stateIn(state!).log, position)
    }),
    async rename() {
      await database.transaction((session) => session.run([statements.rename(newLogName())]))
    },
  }
}

/**
 * The log of one transaction, whose statements `run` runs.
 * @param runWithCommit keeps a statement, whose result nobody needs, for the end of the transaction
 */
export function changeLogWriter(
  statements: ChangeLogStatements,
  run: (statements: readonly Statement[]) => Promise<readonly StatementResult[]>,
  runWithCommit?: (statement: Statement) => void,
  onAdded?: (undo: Statement) => void,
): ChangeLogWriter {
  return {
    async add(changes, until) {
      const { numbers } = statements.order
      if (numbers === undefined) {
        if (changes.length === 0) return
        await run([statements.addNext(changes[0]!)])
        onAdded?.(statements.removeLast)
        if (changes.length === 1) return
        const [last] = await run([statements.last])
        const first = BigInt(last!.rows[0]![0] as number)
        onAdded?.(statements.removeAfter({ transaction: first, change: first }))
        const next = { transaction: first, change: first + 1n }
        await run(statements.add(changes.slice(1), next))
        return
      }
      const { maxPerTransaction } = numbers
      if (changes.length > maxPerTransaction)
        throw new RangeError(
          `A transaction may log at most ${formatNumber(maxPerTransaction)} changes; got ${formatNumber(changes.length)}.`,
        )
      if (changes.length <= maxRowsPerStatement) {
        const statement = statements.addNumbered(changes)
        if (until === 'commit' && runWithCommit) runWithCommit(statement)
        else await run([statement])
        return
      }
      const [added] = await run([statements.addFirst(changes[0]!)])
      const { transaction, change } = positionIn(added!)!
      await run(statements.add(changes.slice(1), { transaction, change: change + 1n }))
    },
  }
}

function lastPosition({ rows }: StatementResult): LogPosition {
  return positionIn({ rows: rows.slice(-1), count: 1 })!
}
