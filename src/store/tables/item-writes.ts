import { randomUUID } from 'node:crypto'
import { memoizeBy } from '../../cache/memoize-by.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { ItemJoinTable, ItemTable } from './item-table.ts'
import { writeResources } from './resource-values.ts'

/** The statements that write the items of a table. */
export interface ItemWrites {
  insert(item: StoredItem): readonly Statement[]
  /** Writes over the row of the item. */
  replace(item: StoredItem): readonly Statement[]
  /** Removes the item and what its to-many relations hold. */
  remove(id: string): readonly Statement[]
}

/** Makes the SQL once for each table. */
export const itemWrites: (table: ItemTable, engine: Engine) => ItemWrites = memoizeBy(
  (table: ItemTable, engine: Engine): ItemWrites => {
    const { quote, placeholder } = engine.dialect
    const { sql, layout } = table
    const key = quote(layout.key)
    const columns = writtenColumns(table).map(quote)
    const placeholders = columns.map((_, index) => placeholder(index + 2))
    const insertSql = `insert into ${sql} (${[key, ...columns].join(', ')}) values (${[placeholder(1), ...placeholders].join(', ')})`
    const assignments = columns.map((column, index) => `${column} = ${placeholders[index]}`)
    // A row of which nothing but the id is known is looked for all the same.
    if (assignments.length === 0) assignments.push(`${key} = ${placeholder(1)}`)
    const replaceSql = `update ${sql} set ${assignments.join(', ')} where ${key} = ${placeholder(1)}`
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
      `delete from ${sql} where ${key} = ${placeholder(1)}`,
    ]
    const targets = (joinTable: ItemJoinTable, item: StoredItem) => [
      item.id,
      engine.dialect.binder.list(targetsOf(joinTable, item)),
    ]
    const parametersOf = (item: StoredItem) => [item.id, ...writtenValues(table, item)]
    return {
      insert: (item) => [
        { sql: insertSql, parameters: parametersOf(item) },
        ...joins
          .filter(({ joinTable }) => targetsOf(joinTable, item).length > 0)
          .map(({ joinTable, addSql }) => ({ sql: addSql, parameters: targets(joinTable, item) })),
      ],
      replace: (item) => [
        { sql: replaceSql, parameters: parametersOf(item) },
        ...joins.flatMap(({ joinTable, addSql, removeOthersSql }) =>
          [removeOthersSql, addSql].map((sql) => ({ sql, parameters: targets(joinTable, item) })),
        ),
      ],
      remove: (id) => removeSql.map((sql) => ({ sql, parameters: [id] })),
    }
  },
)

/** The columns that are written, without that of the id. */
function writtenColumns({ layout, version }: ItemTable): readonly string[] {
  const columns = layout.columns.map(({ name }) => name)
  return version.kind === 'random' ? [...columns, version.column] : columns
}

/** Every write gives a new version. */
function writtenValues(
  { layout, codecOf, version }: ItemTable,
  item: StoredItem,
): readonly unknown[] {
  const stored = readStoredValues(layout.model, item)
  const values = layout.columns.map((column) => {
    const value = writeResources(column.field, stored[column.field.name])
    return value === null || value === undefined ? null : codecOf(column.field).encode(value)
  })
  return version.kind === 'random' ? [...values, randomUUID()] : values
}

function targetsOf({ field }: ItemJoinTable, item: StoredItem): readonly string[] {
  return [...new Set(linkedIds(linkageOf(item), field))]
}

/** Adds the targets that are missing, and numbers all in the order of the relation. */
function addSql({ dialect }: Engine, joinTable: ItemJoinTable): string {
  const { sql, owner, target, position, ownerCodec } = joinTable
  const ownerId = ownerCodec.form.operand(dialect.placeholder(1))
  const { ids, source } = listedTargets(dialect, joinTable)
  const numbers = position === undefined ? '' : ', s.position'
  const columns = [owner, target, ...(position === undefined ? [] : [position])]
  const rows = `select ${ownerId}, ${ids}${numbers} from ${source} where true`
  const conflict =
    position === undefined
      ? 'do nothing'
      : `(${owner}, ${target}) do update set ${position} = excluded.${position} where j.${position} is distinct from excluded.${position}`
  return `insert into ${sql} as j (${columns.join(', ')}) ${rows} on conflict ${conflict}`
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
