import { memoizeBy } from '../../cache/memoize-by.ts'
import type { TableName } from '../../model/storage.ts'
import type {
  ChangeEntry,
  ChangeLog,
  ChangeLogWriter,
  ChangeRetention,
  ReadChanges,
} from '../change-log.ts'
import { newLogName } from '../change-log.ts'
import type { ChangeSignal } from '../change-signal.ts'
import {
  type ChangeLogStatements,
  changeLogStatements,
  type LogPosition,
  readEntry,
} from '../sql/change-log-statements.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { SchemaStep } from './plan/schema-step.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import type { SqlDatabase, SqlSession, StatementResult } from './sql-database.ts'

/** Where the store keeps the log of changes. */
export const changeTable: TableName = { schema: undefined, name: 'resourcery_changes' }

const stateTable: TableName = { schema: undefined, name: `${changeTable.name}_state` }

export const changeStatements: (engine: Engine) => ChangeLogStatements = memoizeBy(
  ({ dialect, quoteTable, changeOrder }: Engine) =>
    changeLogStatements(dialect, changeOrder, quoteTable(changeTable), quoteTable(stateTable)),
)

/** Creates the tables where the database lacks them. */
export function changeTableSteps(engine: Engine, schema: DatabaseSchema): readonly SchemaStep[] {
  if (findTable(schema, changeTable)) return []
  const summary = `Create the tables '${changeTable.name}' and '${stateTable.name}', in which the store keeps the log of changes.`
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
 */
export function tableChangeLog(
  statements: ChangeLogStatements,
  database: Pick<SqlDatabase, 'read' | 'transaction'>,
  signal: ChangeSignal,
  areKept: () => boolean,
): ChangeLog {
  const run = async (work: readonly Statement[]): Promise<readonly StatementResult[]> =>
    database.transaction((session) => session.run(work))
  // Where the writer numbers changes, their order is that of these numbers alone.
  const isBeyond = (position: LogPosition, end: LogPosition): boolean =>
    statements.order.isNumberedByWriter ? position.change > end.change : isAfter(position, end)
  return {
    areKept,
    async end() {
      const [end, state] = await database.read([statements.end, statements.state])
      return formatPosition(stateIn(state!).log, positionIn(end!)!)
    },
    async read(after, limit) {
      const position = after === undefined ? start : parsePosition(after)
      if (!position) return { kind: 'unknown' }
      // The state is read last: it tells of changes that were removed in between.
      const [rows, end, state] = await database.read([
        statements.read(position, limit),
        statements.end,
        statements.state,
      ])
      const { log, removed } = stateIn(state!)
      if (after === undefined) return changesIn(rows!, log, removed, limit)
      if (position.log !== log || isBeyond(position, positionIn(end!)!)) return { kind: 'unknown' }
      if (isAfter(removed, position)) return { kind: 'expired' }
      return changesIn(rows!, log, position, limit)
    },
    watch: (listener) => signal.watch(listener),
    async removeOldest({ beforeMs, maxEntries }: ChangeRetention, limit) {
      const [expired, counted] = await database.read([
        statements.lastExpired(beforeMs, limit),
        statements.count,
      ])
      const count = Number(counted!.rows[0]![0])
      const excess = Math.min(count - maxEntries, limit)
      const [nth] = excess > 0 ? await database.read([statements.nth(excess - 1)]) : []
      const last = later(positionIn(expired!), nth && positionIn(nth))
      if (!last) return 0
      const [removed] = await run(statements.removeUpTo(last))
      return removed!.count
    },
    async erase(model, id) {
      const [erased] = await run([statements.erase(model, id)])
      return erased!.count
    },
  }
}

/** The log of one transaction, whose statements `run` runs. */
export function changeLogWriter(
  statements: ChangeLogStatements,
  run: (statements: readonly Statement[]) => Promise<readonly StatementResult[]>,
  onAdded?: (undo: Statement) => void,
): ChangeLogWriter {
  return {
    async add(changes) {
      let end: LogPosition = start
      if (statements.order.isNumberedByWriter) {
        const [result] = await run([statements.end])
        end = positionIn(result!)!
        onAdded?.(statements.removeAfter(end))
      }
      await run(statements.add(changes, end))
    },
  }
}

const start: LogPosition & { readonly log: string } = { log: '', transaction: 0n, change: 0n }

/** `<log>.<transaction>.<change>`, the numbers in base 36. */
function formatPosition(log: string, { transaction, change }: LogPosition): string {
  return `${log}.${transaction.toString(36)}.${change.toString(36)}`
}

function parsePosition(text: string): (LogPosition & { readonly log: string }) | undefined {
  const [, log, transaction, change] =
    /^([0-9a-f]{12})\.([0-9a-z]{1,13})\.([0-9a-z]{1,13})$/.exec(text) ?? []
  if (log === undefined) return undefined
  const position = { log, transaction: fromBase36(transaction!), change: fromBase36(change!) }
  return position.transaction > maxNumber || position.change > maxNumber ? undefined : position
}

/** The largest number that the columns hold. */
const maxNumber = 2n ** 63n - 1n

function fromBase36(digits: string): bigint {
  let value = 0n
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}

function changesIn(
  { rows }: StatementResult,
  log: string,
  after: LogPosition,
  limit: number,
): Extract<ReadChanges, { kind: 'changes' }> {
  const entries: ChangeEntry[] = []
  let next = after
  for (const row of rows) {
    const { position, entry } = readEntry(row as Row)
    next = position
    entries.push({ ...entry, position: formatPosition(log, position) } as ChangeEntry)
  }
  return { kind: 'changes', entries, next: formatPosition(log, next), isEnd: rows.length < limit }
}

function stateIn({ rows }: StatementResult): {
  readonly log: string
  readonly removed: LogPosition
} {
  const [log, ...numbers] = rows[0]!
  return { log: String(log), removed: toPosition(numbers) }
}

function positionIn({ rows: [row] }: StatementResult): LogPosition | undefined {
  return row && toPosition(row)
}

function toPosition([transaction, change]: readonly unknown[]): LogPosition {
  return { transaction: BigInt(String(transaction)), change: BigInt(String(change)) }
}

function later(
  one: LogPosition | undefined,
  other: LogPosition | undefined,
): LogPosition | undefined {
  return one && (!other || isAfter(one, other)) ? one : other
}

function isAfter(one: LogPosition, other: LogPosition): boolean {
  return one.transaction === other.transaction
    ? one.change > other.change
    : one.transaction > other.transaction
}
