import type { Dialect } from '../../sql/dialect.ts'
import { prepareQueries } from '../../sql/statement-cache.ts'
import { idSeparator } from '../../tables/composite-id.ts'
import type { Engine } from '../../tables/engine.ts'
import { tableQuoter } from '../../tables/table-quoter.ts'
import { accessPathPlanners } from '../access-path.ts'
import { sqliteChangeOrder } from '../change-order.ts'
import { quoteIdentifier, sqliteDialect } from '../dialect.ts'
import { sqliteChangedIds } from './changed-ids.ts'
import { sqliteCodecFor } from './codec-for.ts'
import { sqliteCodecs } from './codecs.ts'
import { readSqliteSchema } from './read-schema.ts'
import { allowNull, requireValue } from './require-value.ts'
import { violationOf } from './violation.ts'
import { dropWordsSql, tablesWords } from './words.ts'

/** A statement ends with an error where it reads a member of a text that is no JSON. */
const jsonIn = (column: string) => `iif(json_valid(${column}), ${column}, null)`

const dialect: Dialect = Object.freeze({
  ...sqliteDialect,
  value: (document, names, type) => sqliteDialect.value(jsonIn(document), names, type),
  json: (document, names) => sqliteDialect.json(jsonIn(document), names),
  // The texts of a row are in many columns, so nobody knows how long a search of one row takes.
  interruptCheck: (searched, row) =>
    // Its rows have no column for the text of the whole item.
    sqliteDialect.interruptCheck(searched === 'own' ? 'related' : searched, {
      ...row,
      isOneOfFew: false,
    }),
  elements: (document, names, type) => sqliteDialect.elements(jsonIn(document), names, type),
} satisfies Dialect)

/** `octet_length` does not read the text. Of tables of other programs, a column may be NULL. */
function countingBytes(value: string, columns: readonly string[]): string {
  if (columns.length === 0) return value
  const bytes = columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(' + ')
  return `iif(${sqliteDialect.byteLimitCheck(bytes)}, ${value}, null)`
}

/** Ordinary tables in SQLite. */
export const sqliteEngine: Engine = Object.freeze({
  dialect,
  codecs: sqliteCodecs,
  codecFor: sqliteCodecFor,
  prepareQueries: (tableOf) => prepareQueries(dialect, tableOf, accessPathPlanners),
  maxNameBytes: 200,
  // A JSON string has no other tilde than its text has.
  idPart: (id, index) =>
    `(('[' || replace(json_quote(${id}), '${idSeparator}', '","') || ']') ->> ${index})`,
  isExactly: (text, other) => `(${text}) collate binary = ${other}`,
  isRemote: false,
  quoteTable: tableQuoter(quoteIdentifier),
  idList: (target, order, from, where) => {
    const terms = order.map((term) => `${term} nulls last`)
    const ids = `select json_group_array(${target} order by ${terms.join(', ')}) as ids from ${from} where ${where}`
    return `(select ${countingBytes('ids', ['ids'])} from (${ids}))`
  },
  countingBytes,
  // The driver loses the code of an error of a statement that returns rows.
  insertReturningId: (insert, table, id) => [
    insert,
    `select ${id} from ${table} where rowid = last_insert_rowid()`,
  ],
  // Tables with such a key often have no rowid.
  returnsCompositeIds: false,
  // There is one writer at a time, and a transaction is that writer from its beginning.
  lockRows: '',
  locksSeveralRows: true,
  hasSavepoints: true,
  refusals: {},
  locks: undefined,
  capture: undefined,
  exclusions: undefined,
  createLockTable: [],
  lockSchema: [],
  tryLockSchema: 'select 1',
  limitLockWait: () => [],
  lockTable: () => [],
  isLockTimeout: () => false,
  confirmation: undefined,
  changedIds: sqliteChangedIds,
  changeOrder: sqliteChangeOrder,
  requireValue,
  allowNull,
  // Processes that wait for the lock of the file look again after at most 48 ms.
  batchPauseMs: 50,
  constraints: 'inTable',
  tableOptions: ' strict, without rowid',
  checkDeferred: '',
  words: tablesWords,
  beforeDrop: dropWordsSql,
  readSchema: readSqliteSchema,
  // Values of other types are compared with those of a column without an error.
  isMalformedValue: () => false,
  violationOf,
} satisfies Engine)
