import { memoizeCount } from '../../cache/memoize-count.ts'
import type { LoggedChange } from '../change-log.ts'
import type { Dialect } from './dialect.ts'
import { packChange } from './packed-change.ts'
import type { Row } from './rows.ts'
import type { Statement } from './statement-cache.ts'

/** A position in the log. Both numbers have more digits than a double holds. */
export interface LogPosition {
  readonly transaction: bigint
  readonly change: bigint
}

/** How a database numbers changes, so that their order is that of their commits. */
export interface ChangeOrder {
  /** Defines the columns `transaction_id` and `change_id`, and their primary key. */
  readonly columns: string
  /** The columns by which changes are in order, the first one first. */
  readonly sort: readonly string[]
  /**
   * Compares a row with a position, both of whose parameters are placeholders: `>` or `<=`.
   */
  compare(operator: '>' | '<=', transaction: string, change: string): string
  /** Holds for rows of transactions before which no other transaction can still commit. */
  readonly isSettled: string
  /** Holds for the other rows. */
  readonly isUnsettled: string
  /** Selects the position after all settled changes. */
  end(table: string, stateTable: string): string
  /** Selects the number of the last change alone, for a writer that numbers changes. */
  last?(table: string, stateTable: string): string
  /** What else the tables need. */
  readonly createAlso: readonly string[]
  /** How the database numbers changes; undefined if the writer does, because it is alone. */
  readonly numbers:
    | {
        /** An expression, the same for all changes of a statement. */
        readonly transaction: string
        /** The expression of the change with this index in its transaction. */
        change(index: number): string
        readonly maxPerTransaction: number
      }
    | undefined
  /** A number that only the changes of one transaction have. */
  transactionOf(position: LogPosition): bigint
  /**
   * Holds where this database cannot have given such a number, to a change in the log or to the
   * last one that was removed: they come from a backup, and say nothing. Undefined where numbers of
   * a backup go on.
   */
  readonly isForeign: { readonly change: string; readonly removed: string } | undefined
}

/** The statements about the table of changes, and the table that says what it has lost. */
export interface ChangeLogStatements {
  readonly order: ChangeOrder
  readonly createTables: readonly string[]
  /** Begins the log where it has not begun. @param log its name, which no other log has */
  begin(log: string): Statement
  /** Begin the log anew if the database cannot have written it. */
  beginAgain(log: string): readonly Statement[]
  /** @param log its new name */
  rename(log: string): Statement
  /** One row: the name of the log, and the position of the last change that was removed. */
  readonly state: Statement
  readonly end: Statement
  /** The number of the last change, for a writer that numbers changes. */
  readonly last: Statement
  read(after: LogPosition, limit: number, extent: 'ordered' | 'committed'): Statement
  /** One row: a text that differs once more can be read, and whether more is there already. */
  readonly latest: Statement
  /** Adds the first changes of a transaction, which the database numbers. */
  addNumbered(changes: readonly LoggedChange[]): Statement
  /** The same for the first one alone. One row: its position. */
  addFirst(change: LoggedChange): Statement
  /** Adds the first change of a transaction, for a writer that numbers changes. */
  addNext(change: LoggedChange): Statement
  /** Undoes that. Later changes are undone before. */
  readonly removeLast: Statement
  /** Adds changes from a position on. */
  add(changes: readonly LoggedChange[], from: LogPosition): readonly Statement[]
  /** Undoes the writes after a position. */
  removeAfter(end: LogPosition): Statement
  /** The position of the last of the next changes that is older, at most `limit` of them. */
  lastExpired(after: LogPosition, beforeMs: number, limit: number): Statement
  /** The position of the change with this index after a position. */
  nth(after: LogPosition, index: number): Statement
  /** The position of the last change before so many of the newest ones. @param end of the log */
  lastBeforeNewest(count: number, end: LogPosition): Statement
  /** Removes a part of the log, which begins with its first change. */
  remove(range: ClosedRange): readonly Statement[]
  /** A row if there is such a change. */
  contains(range: LogRange, selection: ChangeSelection): Statement
  erase(range: LogRange, selection: ChangeSelection): Statement
}

export interface LogRange {
  readonly after: LogPosition
  /** Undefined for the end. */
  readonly upTo: LogPosition | undefined
}

type ClosedRange = LogRange & { readonly upTo: LogPosition }

/** Changes whose items are not erased: those of one item, or of models. */
export type ChangeSelection =
  | { readonly kind: 'item'; readonly model: string; readonly id: string }
  | { readonly kind: 'models'; readonly models: readonly string[] }

/** A row has up to nine parameters, and SQLite allows 32 766 in a statement. */
export const maxRowsPerStatement = 1_000

/** @param table the quoted name of the table of changes, and `stateTable` that of its state */
export function changeLogStatements(
  { placeholder }: Pick<Dialect, 'placeholder'>,
  order: ChangeOrder,
  table: string,
  stateTable: string,
): ChangeLogStatements {
  const contents = 'kind, model, id, time_ms, caller, before_item, after_item'
  const contentCount = 7
  // Named, because PostgreSQL would sort by a result that has the name of a column.
  const positionColumns =
    'cast(transaction_id as text) as transaction_text, cast(change_id as text) as change_text'
  const ascending = `order by ${order.sort.join(', ')}`
  const descending = `order by ${order.sort.map((column) => `${column} desc`).join(', ')}`
  const contentsOf = (change: LoggedChange): readonly unknown[] => {
    const { kind, model, id, timeMs, caller } = change
    return [kind, model, id, timeMs, caller, ...packChange(change)]
  }
  const insertOf = (count: number, numbersOf: (index: number) => readonly string[] | undefined) => {
    let bound = 0
    const bind = (): string => placeholder(++bound)
    const rows = Array.from({ length: count }, (_, index) => {
      const numbers = numbersOf(index) ?? [bind(), bind()]
      return `(${[...numbers, ...Array.from({ length: contentCount }, bind)].join(', ')})`
    })
    return `insert into ${table} (transaction_id, change_id, ${contents}) values ${rows.join(', ')}`
  }
  const insertBound = memoizeCount((count) => insertOf(count, () => undefined))
  const insertNumbered = memoizeCount((count) =>
    insertOf(count, (index) => [order.numbers!.transaction, order.numbers!.change(index)]),
  )
  const last = order.last?.(table, stateTable) ?? order.end(table, stateTable)
  // A query of its own for the number would be one more statement for each write.
  const insertNext = insertOf(1, () => [`(${last}) + 1`, `(${last}) + 1`])
  const where = (range: LogRange, selection: ChangeSelection): Statement => {
    const parameters: unknown[] = []
    const bind = (value: unknown): string => placeholder(parameters.push(value))
    const compare = (operator: '>' | '<=', { transaction, change }: LogPosition): string =>
      order.compare(operator, bind(String(transaction)), bind(String(change)))
    const conditions = [compare('>', range.after)]
    if (range.upTo) conditions.push(compare('<=', range.upTo))
    if (selection.kind === 'item')
      conditions.push(`model = ${bind(selection.model)}`, `id = ${bind(selection.id)}`)
    else conditions.push(`model in (${selection.models.map(bind).join(', ')})`)
    return { sql: [...conditions, "kind <> 'erased'"].join(' and '), parameters }
  }
  const after = order.compare('>', placeholder(1), placeholder(2))
  const upTo = order.compare('<=', placeholder(1), placeholder(2))
  const plain = (sql: string): Statement => ({ sql, parameters: [] })
  return {
    order,
    createTables: [
      `create table ${table} (${order.columns}, kind text not null, model text not null, id text not null, time_ms bigint not null, caller text, before_item text, after_item text)`,
      ...order.createAlso,
      `create table ${stateTable} (only_row integer not null primary key, log text not null, removed_transaction bigint not null, removed_change bigint not null)`,
    ],
    begin: (log) => ({
      sql: `insert into ${stateTable} (only_row, log, removed_transaction, removed_change) values (1, ${placeholder(1)}, 0, 0) on conflict (only_row) do nothing`,
      parameters: [log],
    }),
    beginAgain: (log) =>
      order.isForeign === undefined
        ? []
        : [
            {
              sql: `update ${stateTable} set log = ${placeholder(1)}, removed_transaction = 0, removed_change = 0 where ${order.isForeign.removed} or exists (select 1 from ${table} where ${order.isForeign.change})`,
              parameters: [log],
            },
            plain(
              `delete from ${table} where exists (select 1 from ${table} where ${order.isForeign.change})`,
            ),
          ],
    rename: (log) => ({
      sql: `update ${stateTable} set log = ${placeholder(1)}`,
      parameters: [log],
    }),
    state: plain(`select log, removed_transaction, removed_change from ${stateTable}`),
    end: plain(order.end(table, stateTable)),
    last: plain(last),
    read: (position, limit, extent) => ({
      sql: `select ${positionColumns}, ${contents} from ${table} where ${after}${extent === 'ordered' ? ` and ${order.isSettled}` : ''} ${ascending} limit ${placeholder(3)}`,
      parameters: [...parametersOf(position), limit],
    }),
    latest: plain(
      `select (select cast(transaction_id as text) || '.' || cast(change_id as text) from ${table} where ${order.isSettled} ${descending} limit 1), exists (select 1 from ${table} where ${order.isUnsettled})`,
    ),
    addNumbered: (changes) => ({
      sql: insertNumbered(changes.length),
      parameters: changes.flatMap(contentsOf),
    }),
    addFirst: (change) => ({
      sql: `${insertNumbered(1)} returning ${positionColumns}`,
      parameters: contentsOf(change),
    }),
    addNext: (change) => ({ sql: insertNext, parameters: contentsOf(change) }),
    removeLast: plain(
      `delete from ${table} where change_id = (select max(change_id) from ${table})`,
    ),
    add: (changes, { transaction, change }) => {
      const statements: Statement[] = []
      for (let start = 0; start < changes.length; start += maxRowsPerStatement) {
        const some = changes.slice(start, start + maxRowsPerStatement)
        const parameters = some.flatMap((each, index) => [
          String(transaction),
          String(change + BigInt(start + index)),
          ...contentsOf(each),
        ])
        statements.push({ sql: insertBound(some.length), parameters })
      }
      return statements
    },
    removeAfter: (end) => ({
      sql: `delete from ${table} where ${after}`,
      parameters: parametersOf(end),
    }),
    lastExpired: (position, beforeMs, limit) => ({
      sql: `select ${positionColumns} from (select transaction_id, change_id, time_ms from ${table} where ${after} and ${order.isSettled} ${ascending} limit ${placeholder(3)}) as oldest where time_ms < ${placeholder(4)} ${descending} limit 1`,
      parameters: [...parametersOf(position), limit, beforeMs],
    }),
    nth: (position, index) => ({
      sql: `select ${positionColumns} from ${table} where ${after} and ${order.isSettled} ${ascending} limit 1 offset ${placeholder(3)}`,
      parameters: [...parametersOf(position), index],
    }),
    lastBeforeNewest: (count, end) =>
      order.numbers === undefined
        ? {
            sql: `select ${positionColumns} from ${table} where ${upTo} ${descending} limit 1`,
            parameters: ['0', String(end.change - BigInt(count))],
          }
        : {
            sql: `select ${positionColumns} from ${table} where ${order.isSettled} ${descending} limit 1 offset ${placeholder(1)}`,
            parameters: [count],
          },
    remove: ({ after: first, upTo: last }) => [
      {
        sql: `delete from ${table} where ${after} and ${order.compare('<=', placeholder(3), placeholder(4))}`,
        parameters: [...parametersOf(first), ...parametersOf(last)],
      },
      {
        sql: `update ${stateTable} set removed_transaction = ${placeholder(1)}, removed_change = ${placeholder(2)} where (removed_transaction, removed_change) < (${placeholder(1)}, ${placeholder(2)})`,
        parameters: parametersOf(last),
      },
    ],
    contains: (range, selection) => {
      const { sql, parameters } = where(range, selection)
      return { sql: `select 1 from ${table} where ${sql} limit 1`, parameters }
    },
    erase: (range, selection) => {
      const { sql, parameters } = where(range, selection)
      return {
        sql: `update ${table} set kind = 'erased', id = '', caller = null, before_item = null, after_item = null where ${sql}`,
        parameters,
      }
    },
  }
}

function parametersOf({ transaction, change }: LogPosition): readonly unknown[] {
  return [String(transaction), String(change)]
}

/** A row of `read`. */
export interface LogRow {
  readonly position: LogPosition
  readonly transaction: string
  readonly kind: LoggedChange['kind'] | 'erased'
  readonly model: string
  readonly id: string
  readonly timeMs: number
  readonly caller: string | null
  /** Packed, or as a trigger has logged the row. */
  readonly before: string | null
  readonly after: string | null
}

export function readLogRow(row: Row, { transactionOf }: ChangeOrder): LogRow {
  const [transaction, change, kind, model, id, timeMs, caller, before, after] = row
  const position = { transaction: BigInt(String(transaction)), change: BigInt(String(change)) }
  return {
    position,
    transaction: String(transactionOf(position)),
    kind: kind as LogRow['kind'],
    model: String(model),
    id: String(id),
    timeMs: Number(timeMs),
    caller: textOrNull(caller),
    before: textOrNull(before),
    after: textOrNull(after),
  }
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}
