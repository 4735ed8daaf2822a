import { memoizeBy } from '../../cache/memoize-by.ts'
import { linkageKeys, rawLinkage } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { keepUndeclaredMembers } from '../../stored-item/undeclared-members.ts'
import { joinStatements, targetsOf } from '../sql/join-statements.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { DocumentTable, JoinTable, TableOf } from '../sql/table.ts'
import { type WriteStatements, writeStatements } from '../sql/write-statements.ts'
import { nothingToReplace, transactionEnded } from '../store-errors.ts'
import type { StoreTransaction, WriteOutcome } from '../store-transaction.ts'
import { changeLogWriter } from '../tables/change-log-table.ts'
import { requestRecordWriter } from '../tables/request-record-table.ts'
import type { EveryMember } from '../wrap-store.ts'
import { changeStatements } from './change-table.ts'
import type { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import type { TransactionReader } from './document-reader.ts'
import { requestStatements } from './request-table.ts'
import { queryFirstRow, queryRows, runStatement } from './run-statement.ts'
import { resultCodes, sqliteErrorCode, toStoreError } from './sqlite-error.ts'
import { executeAll } from './tables/session.ts'
import type { UndoLog } from './undo-log.ts'

/**
 * A transaction over the writing connection. `end` makes it unusable.
 * @param log gets what undoes each change; undefined where all changes are rolled back together
 */
export function sqliteTransaction(
  connection: Connection,
  tableOf: TableOf<DocumentTable>,
  reader: TransactionReader,
  log?: UndoLog,
): { readonly transaction: StoreTransaction; end(): { readonly hasAddedChanges: boolean } } {
  let hasEnded = false
  let hasAddedChanges = false
  const check = (): void => {
    if (hasEnded) throw transactionEnded()
  }
  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    check()
    return read()
  }
  const writing = async <T>(write: () => T): Promise<T> => {
    check()
    try {
      return write()
    } catch (error) {
      // After some errors SQLite rolls back by itself; the next write would be committed alone.
      if (!connection.isInTransaction) hasEnded = true
      throw toStoreError(error)
    }
  }
  const run = (statements: readonly Statement[]) =>
    writing(() => {
      log?.beforeChange()
      return executeAll(connection, statements)
    })
  const onWritten = (undo: Statement): void => log?.add(() => runStatement(connection, undo))
  return {
    transaction: {
      find: (model, condition) => reading(() => reader.find(model, condition)),
      list: (model, plan) => checked(check, () => reader.list(model, plan)),
      page: (model, plan) => reading(() => reader.page(model, plan)),
      count: (model, condition) => reading(() => reader.count(model, condition)),
      groups: (model, plan) => reading(() => reader.groups(model, plan)),
      // Nothing is expected, because to count is no round trip here.
      fastPaths: { countEach: (counts) => reading(() => reader.countEach(counts)) },
      // One transaction writes at a time.
      locks: undefined,
      relatedPages: (model, relation, owners, plan) =>
        checked(check, () => reader.relatedPages(model, relation, owners, plan)),
      insert: (model, item) => writing(() => insertRow(connection, tableOf(model), item, log)),
      replace: (model, item) => writing(() => replaceItem(connection, tableOf(model), item, log)),
      async remove(model, id) {
        await writing(() => removeRow(connection, tableOf(model), id, log))
      },
      requestRecords: requestRecordWriter(requestStatements, run, onWritten),
      changes: changeLogWriter(changeStatements, run, undefined, (undo) => {
        hasAddedChanges = true
        onWritten(undo)
      }),
    } satisfies EveryMember<StoreTransaction>,
    end() {
      hasEnded = true
      return { hasAddedChanges }
    },
  }
}

/** @param check throws once the transaction has ended */
async function* checked<T>(check: () => void, read: () => AsyncIterable<T>): AsyncGenerator<T> {
  check()
  for await (const batch of read()) {
    yield batch
    check()
  }
}

export function insertRow(
  connection: Connection,
  table: DocumentTable,
  item: StoredItem,
  log?: UndoLog,
): WriteOutcome {
  log?.beforeChange()
  const outcome = outcomeOf(table, item, () =>
    runStatement(connection, statementsOf(table).insert(item)),
  )
  // Where both the id and a unique value are taken, SQLite may report either; the id comes first.
  if (outcome.kind === 'taken' && exists(connection, table, item)) return { kind: 'exists' }
  if (outcome.kind !== 'written') return outcome
  log?.add(() => removeRow(connection, table, item.id))
  for (const joinTable of table.joinTables.values())
    addTargets(connection, joinTable, item.id, targetsOf(item, joinTable))
  return outcome
}

const statementsOf = (table: DocumentTable): WriteStatements =>
  writeStatements(table, sqliteDialect)

/** Keeps what the model does not declare. */
function replaceItem(
  connection: Connection,
  table: DocumentTable,
  item: StoredItem,
  log?: UndoLog,
): WriteOutcome {
  const row = rowToReplace(connection, table, item)
  const before = itemOfWholeRow(item.id, row)
  return replaceKnownRow(
    connection,
    table,
    keepUndeclaredMembers(table.model, item, before),
    row,
    log,
  )
}

/** Replaces the whole row. */
export function replaceRow(
  connection: Connection,
  table: DocumentTable,
  item: StoredItem,
): WriteOutcome {
  return replaceKnownRow(connection, table, item, rowToReplace(connection, table, item))
}

function rowToReplace(connection: Connection, table: DocumentTable, item: StoredItem): Row {
  const row = queryFirstRow(connection, statementsOf(table).findRowToReplace(item))
  if (!row) throw nothingToReplace(table.model, item.id)
  return row
}

function replaceKnownRow(
  connection: Connection,
  table: DocumentTable,
  item: StoredItem,
  row: Row,
  log?: UndoLog,
): WriteOutcome {
  const before = log?.beforeOverwrite(() => itemOfWholeRow(item.id, row))
  const outcome = outcomeOf(table, item, () =>
    runStatement(connection, statementsOf(table).replace(item, row)),
  )
  if (outcome.kind !== 'written') return outcome
  if (before) log?.add(() => checkUndone(replaceRow(connection, table, before)))
  if (table.joinTables.size > 0 && !hasSameLinkage(table, row, item))
    for (const joinTable of table.joinTables.values()) replaceTargets(connection, joinTable, item)
  return outcome
}

/** Is the linkage the same text, so that the join tables hold it? */
function hasSameLinkage({ model }: DocumentTable, row: Row, item: StoredItem): boolean {
  const keys = keysOf(model)
  const before = rawLinkage({ text: row[0] as string, relationsOffset: row[1] as number }, keys)
  const after = rawLinkage(item, keys)
  return !!before && !!after && before.every((linkage, index) => linkage === after[index])
}

const keysOf = memoizeBy(linkageKeys)

function replaceTargets(connection: Connection, joinTable: JoinTable, item: StoredItem): void {
  const { list, remove } = joinStatements(joinTable, sqliteDialect)
  const targets = targetsOf(item, joinTable)
  for (const [target] of queryRows(connection, list(item.id)) as [string][])
    if (!targets.has(target)) runStatement(connection, remove(item.id, target))
  addTargets(connection, joinTable, item.id, targets)
}

function removeRow(connection: Connection, table: DocumentTable, id: string, log?: UndoLog): void {
  const before = log?.beforeOverwrite(() => readRow(connection, table, id))
  let isRemoved = false
  // Logged first: the statements below may fail in the middle, where the row may still be there.
  if (before) {
    log?.add(() => {
      const outcome = insertRow(connection, table, before)
      if (isRemoved || outcome.kind !== 'exists') checkUndone(outcome)
    })
  }
  for (const statement of statementsOf(table).remove(id)) runStatement(connection, statement)
  isRemoved = true
}

/** A change that is not undone would be committed with the other transactions of the group. */
function checkUndone({ kind }: WriteOutcome): void {
  if (kind !== 'written') throw new Error(`An item could not be restored: '${kind}'.`)
}

/** The whole row. Other reads leave out the hidden members of models that have none now. */
function readRow(connection: Connection, table: DocumentTable, id: string): StoredItem | undefined {
  const row = queryFirstRow(connection, statementsOf(table).findRow(id))
  return row && itemOfWholeRow(id, row)
}

function itemOfWholeRow(
  id: string,
  [text, relationsOffset, hiddenText, hash, revision]: Row,
): StoredItem {
  return { id, text, relationsOffset, hiddenText, hash, revision } as StoredItem
}

function addTargets(
  connection: Connection,
  joinTable: JoinTable,
  owner: string,
  targets: ReadonlySet<string>,
): void {
  if (targets.size > 0)
    runStatement(connection, joinStatements(joinTable, sqliteDialect).add(owner, [...targets]))
}

/** The write itself decides whether an id or a value is taken, not a check before it. */
function outcomeOf(table: DocumentTable, item: StoredItem, write: () => void): WriteOutcome {
  try {
    write()
    return { kind: 'written', item }
  } catch (error) {
    const code = sqliteErrorCode(error)
    if (code === resultCodes.primaryKey) return { kind: 'exists' }
    const fields =
      code === resultCodes.unique ? conflictingFields(table, error as Error) : undefined
    if (fields === undefined) throw error
    return { kind: 'taken', fields }
  }
}

function exists(connection: Connection, table: DocumentTable, { id }: StoredItem): boolean {
  return queryFirstRow(connection, statementsOf(table).findId(id)) !== undefined
}

/** The message ends with the columns: `UNIQUE constraint failed: seats.text.no, seats.text.row`. */
function conflictingFields(
  { model, columns, sql }: DocumentTable,
  { message }: Error,
): readonly string[] | undefined {
  const nameOf = (field: string) => `${unquoted(sql)}.${unquoted(columns.get(field)!.sql)}`
  const rules = [
    ...model.valueFields.filter((field) => field.isUnique).map(({ name }) => [name]),
    ...model.uniqueSets.map(({ fields }) => fields.map(({ name }) => name)),
  ]
  return rules.find((fields) => message.endsWith(`: ${fields.map(nameOf).join(', ')}`))
}

function unquoted(name: string): string {
  return name.slice(1, -1)
}
