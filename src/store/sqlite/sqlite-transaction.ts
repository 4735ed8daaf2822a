import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Table, TableOf } from '../sql/table.ts'
import type { StoreReader, StoreTransaction, WriteOutcome } from '../store.ts'
import type { EveryMember } from '../wrap-store.ts'
import type { Connection } from './connection.ts'
import { resultCodes, sqliteErrorCode, toStoreError } from './sqlite-error.ts'

/** A transaction over the writing connection. `end` makes it unusable. */
export function sqliteTransaction(
  connection: Connection,
  tableOf: TableOf,
  reader: StoreReader,
): { readonly transaction: StoreTransaction; end(): void } {
  let hasEnded = false
  const check = (): void => {
    if (hasEnded)
      throw new Error(
        'The transaction has ended. Await every call inside the transaction function.',
      )
  }
  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    check()
    return read()
  }
  const writing = async (write: () => WriteOutcome): Promise<WriteOutcome> => {
    check()
    try {
      return write()
    } catch (error) {
      throw toStoreError(error)
    }
  }
  return {
    transaction: {
      find: (model, condition) => reading(() => reader.find(model, condition)),
      async *list(model, plan) {
        check()
        for await (const batch of reader.list(model, plan)) {
          yield batch
          check()
        }
      },
      page: (model, plan) => reading(() => reader.page(model, plan)),
      count: (model, condition) => reading(() => reader.count(model, condition)),
      async *relatedPages(model, relation, owners, plan) {
        check()
        for await (const batch of reader.relatedPages(model, relation, owners, plan)) {
          yield batch
          check()
        }
      },
      insert: (model, item) => writing(() => insertRow(connection, tableOf(model), item)),
      replace: (model, item) => writing(() => replaceRow(connection, tableOf(model), item)),
      async remove(model, id) {
        await writing(() => removeRow(connection, tableOf(model), id))
      },
    } satisfies EveryMember<StoreTransaction>,
    end() {
      hasEnded = true
    },
  }
}

function insertRow(connection: Connection, table: Table, item: StoredItem): WriteOutcome {
  const sql = `insert into ${table.sql} (text, split, hidden, hash, revision, id) values (?, ?, ?, ?, ?, ?)`
  const outcome = outcomeOf(table, () => connection.prepare(sql).run(columnValuesOf(item)))
  // Where both the id and a unique value are taken, SQLite may report either; the id comes first.
  if (outcome.kind === 'taken' && exists(connection, table, item)) return { kind: 'exists' }
  if (outcome.kind !== 'written' || table.joinTables.size === 0) return outcome
  for (const [joinTable, targets] of targetsOf(table, item))
    addTargets(connection, joinTable, item.id, targets)
  return outcome
}

export function replaceRow(connection: Connection, table: Table, item: StoredItem): WriteOutcome {
  const sql = `update ${table.sql} set text = ?, split = ?, hidden = ?, hash = ?, revision = ? where id = ?`
  let changed = 0
  const outcome = outcomeOf(table, () => {
    changed = connection.prepare(sql).run(columnValuesOf(item))
  })
  if (outcome.kind !== 'written') return outcome
  if (changed === 0)
    throw new Error(
      `Cannot replace '${table.model.name}' with the id '${item.id}': it does not exist.`,
    )
  if (table.joinTables.size === 0) return outcome
  for (const [joinTable, targets] of targetsOf(table, item)) {
    const rows = connection
      .prepare(`select target from ${joinTable} where owner = ?`)
      .all([item.id])
    for (const [target] of rows) {
      if (targets.has(target as string)) continue
      connection
        .prepare(`delete from ${joinTable} where owner = ? and target = ?`)
        .run([item.id, target])
    }
    addTargets(connection, joinTable, item.id, targets)
  }
  return outcome
}

function removeRow(connection: Connection, table: Table, id: string): WriteOutcome {
  connection.prepare(`delete from ${table.sql} where id = ?`).run([id])
  for (const { sql } of table.joinTables.values())
    connection.prepare(`delete from ${sql} where owner = ?`).run([id])
  return { kind: 'written' }
}

function addTargets(
  connection: Connection,
  joinTable: string,
  owner: string,
  targets: ReadonlySet<string>,
): void {
  const statement = connection.prepare(
    `insert or ignore into ${joinTable} (owner, target) values (?, ?)`,
  )
  for (const target of targets) statement.run([owner, target])
}

function columnValuesOf(item: StoredItem): readonly unknown[] {
  return [item.text, item.relationsOffset, item.hiddenText, item.hash, item.revision, item.id]
}

function targetsOf(
  table: Table,
  item: StoredItem,
): readonly (readonly [string, ReadonlySet<string>])[] {
  const relations: Record<string, unknown> = JSON.parse(
    `{${item.text.slice(item.relationsOffset + 1)}`,
  )
  return [...table.joinTables.values()].map(({ sql, field }) => [
    sql,
    new Set((relations[field.wireName] as readonly string[] | undefined) ?? []),
  ])
}

/** The write itself decides whether an id or a value is taken, not a check before it. */
function outcomeOf(table: Table, write: () => void): WriteOutcome {
  try {
    write()
    return { kind: 'written' }
  } catch (error) {
    const code = sqliteErrorCode(error)
    if (code === resultCodes.primaryKey) return { kind: 'exists' }
    const field = code === resultCodes.unique ? conflictingField(table, error as Error) : undefined
    if (field === undefined) throw error
    return { kind: 'taken', field }
  }
}

function exists(connection: Connection, table: Table, { id }: StoredItem): boolean {
  return connection.prepare(`select 1 from ${table.sql} where id = ?`).get([id]) !== undefined
}

/** The message ends with the table and the column: `UNIQUE constraint failed: books.text.isbn`. */
function conflictingField(table: Table, { message }: Error): string | undefined {
  for (const [name, { sql }] of table.columns) {
    if (message.endsWith(`: ${table.sql.slice(1, -1)}.${sql.slice(1, -1)}`)) return name
  }
  return undefined
}
