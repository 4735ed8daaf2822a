import type { TableName } from '../../model/storage.ts'
import { prepareQueries } from '../sql/statement-cache.ts'
import { idSeparator } from '../tables/composite-id.ts'
import type { Engine } from '../tables/engine.ts'
import type { Violation } from '../tables/sql-database.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import { postgresCapture } from './change-capture.ts'
import { postgresChangeOrder } from './change-order.ts'
import { postgresChangedIds } from './changed-ids.ts'
import { codePointOrder } from './code-point-order.ts'
import { postgresCodecFor } from './codec-for.ts'
import { postgresCodecs } from './codecs.ts'
import { messageConfirmation } from './confirmations.ts'
import { postgresDialect, quoteIdentifier } from './dialect.ts'
import { postgresExclusions } from './exclusions.ts'
import { postgresLocks } from './locks.ts'
import { LockTimeout, PostgresError } from './postgres-error.ts'
import { readPostgresSchema } from './read-schema.ts'
import { postgresStrategies } from './read-strategies.ts'
import { postgresWordIndexes } from './word-indexes.ts'

const quoteTable = tableQuoter(quoteIdentifier)

/** The first number of the lock, which is this program's: any other program has its own. */
const schemaLocks = 1_919_251_317

/** Ordinary tables in PostgreSQL. */
export const postgresEngine: Engine = Object.freeze({
  dialect: postgresDialect,
  codecs: postgresCodecs,
  codecFor: postgresCodecFor,
  prepareQueries: (tableOf) => prepareQueries(postgresDialect, tableOf, postgresStrategies),
  maxNameBytes: 63,
  idPart: (id, index) => `split_part(${id}, '${idSeparator}', ${index + 1})`,
  isExactly: (text, other) => `(${text}) ${codePointOrder} = ${other}`,
  isRemote: true,
  quoteTable,
  // A connection counts the bytes of each message.
  countingBytes: (value) => value,
  // An array is made in half the time of an aggregate.
  idList: (target, order, from, where) =>
    `to_json(array(select ${target} from ${from} where ${where} and ${target} is not null order by ${order.join(', ')}))::text`,
  insertReturningId: (insert, _, id) => [`${insert} returning ${id}`],
  returnsCompositeIds: true,
  // Rows of other tables may still refer to a row that is locked like this.
  lockRows: ' for no key update',
  locksSeveralRows: true,
  hasSavepoints: true,
  refusals: {},
  locks: postgresLocks,
  exclusions: postgresExclusions,
  words: { kind: 'withTables', indexes: postgresWordIndexes },
  capture: postgresCapture,
  createLockTable: [],
  lockSchema: [`select pg_advisory_xact_lock(${schemaLocks}, 1)`],
  tryLockSchema: `select 1 where pg_try_advisory_xact_lock(${schemaLocks}, 1)`,
  // While it waits for the lock, all others wait behind it.
  limitLockWait,
  lockTable: (table, maxWaitMs) => [
    ...limitLockWait(maxWaitMs),
    `lock table ${quoteTable(table)} in access exclusive mode`,
  ],
  isLockTimeout: (error) => error instanceof LockTimeout,
  confirmation: messageConfirmation,
  changedIds: postgresChangedIds,
  changeOrder: postgresChangeOrder,
  requireValue,
  allowNull: (table, { name }) => [
    `alter table ${quoteTable(table)} alter column ${quoteIdentifier(name)} drop not null`,
  ],
  batchPauseMs: 0,
  constraints: 'separate',
  tableOptions: '',
  checkDeferred: 'set constraints all immediate',
  readSchema: readPostgresSchema,
  isMalformedValue: (error) =>
    error instanceof PostgresError && malformedValueStates.has(error.sqlState),
  violationOf,
} satisfies Engine)

/** Of texts that are no value of a type, numbers and times out of range, and unknown characters. */
const malformedValueStates: ReadonlySet<string> = new Set([
  '22P02',
  '22003',
  '22007',
  '22008',
  '22021',
])

function violationOf(error: unknown): Violation | undefined {
  if (!(error instanceof PostgresError)) return undefined
  const { sqlState, table, constraint = '', column = '' } = error
  switch (sqlState) {
    case '23505':
      return { kind: 'unique', table, constraint }
    case '23503':
    case '23001':
      return { kind: 'foreignKey', table, constraint }
    case '23P01':
      return { kind: 'exclusion', table, constraint }
    case '23514':
    // A check of a view, and an error that a trigger raises.
    case '44000':
    // What the database computes, and a view that cannot be written.
    case '428C9':
    case '55000':
    case '0A000':
    // What the role of the service may not change, and what a policy of the table forbids.
    case '42501':
      return { kind: 'check', table, constraint }
    case '23502':
      return { kind: 'notNull', table, column }
    default:
      // Class 22: values that do not fit, such as a number out of range. 54000: a limit of indexes.
      if (sqlState.startsWith('22') || sqlState === '54000') return { kind: 'value' }
      // What the code of a trigger raises.
      return sqlState.startsWith('P0') || !serverClasses.has(sqlState.slice(0, 2))
        ? { kind: 'check', table, constraint }
        : undefined
  }
}

/** The classes of the errors of PostgreSQL 15. Triggers may raise those of other classes. */
const serverClasses: ReadonlySet<string> = new Set(
  '00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0 HV P0 XX'.split(
    ' ',
  ),
)

/** `set not null` locks the table; with a valid check it does not read all rows meanwhile. */
function requireValue(table: TableName, column: string): ReturnType<Engine['requireValue']> {
  const alter = `alter table ${quoteTable(table)}`
  const setNotNull = `${alter} alter column ${quoteIdentifier(column)} set not null`
  const check = quoteIdentifier(`${column} has a value`)
  return {
    sql: [setNotNull],
    onlineSql: [
      // A script that was interrupted has left it.
      `${alter} drop constraint if exists ${check}`,
      `${alter} add constraint ${check} check (${quoteIdentifier(column)} is not null) not valid`,
      `${alter} validate constraint ${check}`,
      setNotNull,
      `${alter} drop constraint ${check}`,
    ],
  }
}

function limitLockWait(maxWaitMs: number): readonly string[] {
  return [`set local lock_timeout = ${maxWaitMs}`]
}
