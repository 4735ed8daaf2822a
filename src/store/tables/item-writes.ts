import { randomUUID } from 'node:crypto'
import { memoizeBy } from '../../cache/memoize-by.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { ItemJoinTable, ItemTable } from './item-table.ts'
import { writeResources } from './resource-values.ts'
import type { WritableColumn } from './writable-columns.ts'

/** The statements that write the items of a table. */
export interface ItemWrites {
  /** Without the join tables. */
  insert(item: StoredItem): Statement
  /** The same with an id of the database, which the last statement returns. */
  insertWithNewId(item: StoredItem): readonly Statement[]
  /** Adds what the to-many relations of a new item hold. */
  insertTargets(item: StoredItem): readonly Statement[]
  /**
   * Writes over the row of the item. `before` is the item as it is stored: relations that stay are
   * left alone.
   */
  replace(item: StoredItem, before: StoredItem | undefined): readonly Statement[]
  /** Removes the item and what its to-many relations hold. */
  remove(id: string): readonly Statement[]
}

/** Makes the SQL once for each table. */
export const itemWrites: (table: ItemTable, engine: Engine) => ItemWrites = memoizeBy(
  (table: ItemTable, engine: Engine): ItemWrites => {
    const { placeholder } = engine.dialect
    const { layout, key } = table
    const sql = engine.quoteTable(layout.table)
    const joins = Array.from(table.joinTables.values(), (joinTable) => ({
      joinTable,
      addSql: addSql(engine, joinTable),
      removeOthersSql: removeOthersSql(engine, joinTable),
    }))
    const removeSql = [
      ...joins.map(
        ({ joinTable }) =>
          `delete from ${joinTable.sql} where ${joinTable.owner} = ${placeholder(1)}`,
      ),
      `delete from ${sql} where ${key.equals(placeholder(1))}`,
    ]
    const targets = (joinTable: ItemJoinTable, item: StoredItem) => [
      item.id,
      engine.dialect.binder.list(targetsOf(joinTable, item)),
    ]
    const insert = insertStatement(engine, table)
    const replace = replaceStatement(engine, table)
    return {
      insert: (item) => insert(item, item.id),
      insertWithNewId(item) {
        const statement = insert(item, undefined)
        return engine
          .insertReturningId(statement.sql, sql, key.select())
          .map((text, index) => (index === 0 ? { ...statement, sql: text } : toStatement(text)))
      },
      insertTargets: (item) =>
        joins
          .filter(({ joinTable }) => targetsOf(joinTable, item).length > 0)
          .map(({ joinTable, addSql }) => ({ sql: addSql, parameters: targets(joinTable, item) })),
      replace: (item, before) => [
        replace(item),
        ...joins
          .filter(({ joinTable }) => !before || hasOtherTargets(joinTable, before, item))
          .flatMap(({ joinTable, addSql, removeOthersSql }) =>
            [removeOthersSql, addSql].map((sql) => ({ sql, parameters: targets(joinTable, item) })),
          ),
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
): (item: StoredItem, id: string | undefined) => Statement {
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
  return (item, id) => {
    const columns =
      id === undefined
        ? [...table.newIds.writableColumns, ...table.writableColumns]
        : table.writableColumns
    const all = writtenValues(table, columns, item)
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

function replaceStatement(engine: Engine, table: ItemTable): (item: StoredItem) => Statement {
  const { quote, placeholder } = engine.dialect
  const { key } = table
  const tableSql = engine.quoteTable(table.layout.table)
  const sqlOf = (columns: readonly Pick<WrittenValue, 'name' | 'whenRemoved'>[]): string => {
    let count = 1
    const assignments = columns.map(
      ({ name, whenRemoved }) => `${quote(name)} = ${whenRemoved ?? placeholder(++count)}`,
    )
    // A row of which nothing but the id is known is looked for all the same.
    if (assignments.length === 0) assignments.push(`${key.columns[0]} = ${key.columns[0]}`)
    return `update ${tableSql} set ${assignments.join(', ')} where ${key.equals(placeholder(1))}`
  }
  const usualSql = sqlOf(
    writtenNames(table).map((name): { name: string; whenRemoved: undefined } => ({
      name,
      whenRemoved: undefined,
    })),
  )
  return (item) => {
    const written = writtenValues(table, table.writableColumns, item)
    const isRemoved = ({ value, whenRemoved }: WrittenValue) =>
      value === undefined && whenRemoved !== undefined
    const values = written.filter((column) => !isRemoved(column)).map(({ value }) => value ?? null)
    const sql =
      values.length === written.length
        ? usualSql
        : sqlOf(
            written.map((column) =>
              isRemoved(column) ? column : { ...column, whenRemoved: undefined },
            ),
          )
    return { sql, parameters: [item.id, ...values] }
  }
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

/** Every write gives a new version. */
function writtenValues(
  { layout, codecOf, version }: ItemTable,
  columns: readonly WritableColumn[],
  item: StoredItem,
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
  const random = { hasDefault: false, whenRemoved: undefined, value: randomUUID() }
  return [...values, { name: version.column, ...random }]
}

function targetsOf({ field }: ItemJoinTable, item: StoredItem): readonly string[] {
  return [...new Set(linkedIds(linkageOf(item), field))]
}

function hasOtherTargets(joinTable: ItemJoinTable, before: StoredItem, after: StoredItem): boolean {
  const targetsBefore = targetsOf(joinTable, before)
  const targets = targetsOf(joinTable, after)
  return (
    targets.length !== targetsBefore.length ||
    targets.some((target, index) => target !== targetsBefore[index])
  )
}

/** Adds the targets that are missing, and numbers all in the order of the relation. */
function addSql({ dialect }: Engine, joinTable: ItemJoinTable): string {
  const { sql, owner, target, position, ownerCodec } = joinTable
  const ownerId = ownerCodec.form.operand(dialect.placeholder(1))
  const { ids, source } = listedTargets(dialect, joinTable)
  const numbers = position === undefined ? '' : ', s.position'
  const columns = [owner, target, ...(position === undefined ? [] : [position])]
  const rows = `select ${ownerId}, ${ids}${numbers} from ${source} where true`
  const action =
    position === undefined
      ? 'do nothing'
      : `do update set ${position} = excluded.${position} where j.${position} is distinct from excluded.${position}`
  return `insert into ${sql} as j (${columns.join(', ')}) ${rows} on conflict (${owner}, ${target}) ${action}`
}

function removeOthersSql({ dialect }: Engine, joinTable: ItemJoinTable): string {
  const { sql, owner, target } = joinTable
  const { ids, source } = listedTargets(dialect, joinTable)
  return `delete from ${sql} where ${owner} = ${dialect.placeholder(1)} and ${target} not in (select ${ids} from ${source})`
}

/** The targets of a list parameter, in the form of their column. */
function listedTargets(dialect: Engine['dialect'], { targetCodec }: ItemJoinTable) {
  const source = `(${dialect.listWithPositions(dialect.placeholder(2))}) s`
  return { ids: targetCodec.form.operand('s.id'), source }
}
