import { memoizeBy } from '../../cache/memoize-by.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'
import { joinTableWrites } from './join-table-writes.ts'
import { writeResources } from './resource-values.ts'
import type { WritableColumn } from './writable-columns.ts'

/** The statements that write the items of a table. Every write gives a new version. */
export interface ItemWrites {
  /** Without the join tables. */
  insert(item: StoredItem, version: string): Statement
  /** The same with an id of the database, which the last statement returns. */
  insertWithNewId(item: StoredItem, version: string): readonly Statement[]
  /** Adds what the to-many relations of a new item hold. */
  insertTargets(item: StoredItem): readonly Statement[]
  /**
   * Writes what changed. `before` is the item as it is stored; undefined if that is not known, and
   * all of it is written.
   */
  replace(item: StoredItem, before: StoredItem | undefined, version: string): readonly Statement[]
  /** Removes the item and what its to-many relations hold. */
  remove(id: string): readonly Statement[]
}

/** Makes the SQL once for each table. */
export const itemWrites: (table: ItemTable, engine: Engine) => ItemWrites = memoizeBy(
  (table: ItemTable, engine: Engine): ItemWrites => {
    const { placeholder } = engine.dialect
    const { layout, key } = table
    const sql = engine.quoteTable(layout.table)
    const joins = Array.from(table.joinTables.values(), (joinTable) =>
      joinTableWrites(engine, joinTable),
    )
    const removeSql = [
      ...joins.map((join) => join.removeSql),
      `delete from ${sql} where ${key.equals(placeholder(1))}`,
    ]
    const insert = insertStatement(engine, table)
    const replace = replaceStatement(engine, table)
    return {
      insert: (item, version) => insert(item, item.id, version),
      insertWithNewId(item, version) {
        const statement = insert(item, undefined, version)
        return engine
          .insertReturningId(statement.sql, sql, key.select())
          .map((text, index) => (index === 0 ? { ...statement, sql: text } : toStatement(text)))
      },
      insertTargets: (item) => joins.flatMap((join) => join.insert(item)),
      replace: (item, before, version) => [
        ...replace(item, before, version),
        ...joins.flatMap((join) => join.replace(item, before)),
      ],
      remove: (id) => removeSql.map((sql) => ({ sql, parameters: [id] })),
    }
  },
)

function toStatement(sql: string): Statement {
  return { sql, parameters: [] }
}

/** Columns without a value are left out where the database has a default for them. */
function insertStatement(
  engine: Engine,
  table: ItemTable,
): (item: StoredItem, id: string | undefined, version: string) => Statement {
  const { quote, placeholder } = engine.dialect
  const { key } = table
  const tableSql = engine.quoteTable(table.layout.table)
  const sqlOf = (names: readonly string[], hasId: boolean): string => {
    const columns = [...(hasId ? key.columns : []), ...names.map(quote)]
    const placeholders = names.map((_, index) => placeholder(index + (hasId ? 2 : 1)))
    const operands = [...(hasId ? key.values(placeholder(1)) : []), ...placeholders]
    const values =
      columns.length === 0
        ? 'default values'
        : `(${columns.join(', ')}) values (${operands.join(', ')})`
    return `insert into ${tableSql} ${values}`
  }
  const names = writtenNames(table)
  const usualSql = sqlOf(names, true)
  return (item, id, version) => {
    const columns =
      id === undefined
        ? [...table.newIds.writableColumns, ...table.writableColumns]
        : table.writableColumns
    const all = writtenValues(table, columns, item, version)
    const written = all.filter(({ value, hasDefault }) => !hasDefault || value !== undefined)
    const isUsual = id !== undefined && written.length === all.length
    const sql = isUsual
      ? usualSql
      : sqlOf(
          written.map(({ name }) => name),
          id !== undefined,
        )
    const values = written.map(({ value }) => value ?? null)
    return { sql, parameters: id === undefined ? values : [id, ...values] }
  }
}

/** None if nothing changed. Other columns are left alone: reading may have lost a part of them. */
function replaceStatement(engine: Engine, table: ItemTable): ItemWrites['replace'] {
  const { quote, placeholder } = engine.dialect
  const { key } = table
  const tableSql = engine.quoteTable(table.layout.table)
  const sqlOf = (columns: readonly WrittenValue[]): string => {
    let count = 1
    const assignments = columns.map((column) => {
      const value = isRemoved(column) ? column.whenRemoved : placeholder(++count)
      return `${quote(column.name)} = ${value}`
    })
    return `update ${tableSql} set ${assignments.join(', ')} where ${key.equals(placeholder(1))}`
  }
  return (item, before, version) => {
    const all = writtenValues(table, table.writableColumns, item, version)
    const stored = before && writtenValues(table, table.writableColumns, before, undefined)
    const written = all.filter(({ value }, index) => !stored || value !== stored[index]!.value)
    if (written.length === 0) return []
    const values = written.filter((column) => !isRemoved(column)).map(({ value }) => value ?? null)
    return [{ sql: sqlOf(written), parameters: [item.id, ...values] }]
  }
}

function isRemoved({ value, whenRemoved }: WrittenValue): boolean {
  return value === undefined && whenRemoved !== undefined
}

function writtenNames({ writableColumns, version }: ItemTable): readonly string[] {
  const names = writableColumns.map(({ column }) => column.name)
  return version.kind === 'random' ? [...names, version.column] : names
}

interface WrittenValue extends Pick<WritableColumn, 'hasDefault' | 'whenRemoved'> {
  readonly name: string
  /** Undefined where the item has no value. */
  readonly value: unknown
}

/** @param newVersion undefined for an item that is stored */
function writtenValues(
  { layout, codecOf, version }: ItemTable,
  columns: readonly WritableColumn[],
  item: StoredItem,
  newVersion: string | undefined,
): readonly WrittenValue[] {
  const stored = readStoredValues(layout.model, item)
  const values = columns.map(({ column, hasDefault, whenRemoved }): WrittenValue => {
    const value = writeResources(column.field, stored[column.field.name])
    const isValue = value !== null && value !== undefined
    return {
      name: column.name,
      hasDefault,
      whenRemoved,
      value: isValue ? codecOf(column.field).encode(value) : value,
    }
  })
  if (version.kind !== 'random') return values
  const random = { hasDefault: false, whenRemoved: undefined, value: newVersion }
  return [...values, { name: version.column, ...random }]
}
