import { randomUUID } from 'node:crypto'
import { idEquals } from '../../query/conditions.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { JoinTable } from '../sql/table.ts'
import type { Engine } from './engine.ts'
import type { ItemQueries } from './item-queries.ts'
import { type ItemTable, positionColumn } from './item-table.ts'
import { writeResources } from './resource-values.ts'

/** Adds an item, and reads what is stored then. */
export function insertStatements(
  engine: Engine,
  queries: ItemQueries,
  table: ItemTable,
  item: StoredItem,
): readonly Statement[] {
  const { quote, placeholder } = engine.dialect
  const { layout, model } = table
  const columns = writtenColumns(table, item)
  const names = [layout.key, ...columns.map(({ name }) => name)].map(quote)
  const placeholders = names.map((_, index) => placeholder(index + 1))
  const insert: Statement = {
    sql: `insert into ${table.sql} (${names.join(', ')}) values (${placeholders.join(', ')})`,
    parameters: [item.id, ...columns.map(({ value }) => value)],
  }
  const linkage = [...table.joinTables.values()].flatMap((joinTable) =>
    targetsOf(joinTable, item).length > 0 ? [addTargets(engine, joinTable, item)] : [],
  )
  return [insert, ...linkage, queries.find(model, idEquals(item.id))]
}

/** Writes over the row of an item, and reads what is stored then. */
export function replaceStatements(
  engine: Engine,
  queries: ItemQueries,
  table: ItemTable,
  item: StoredItem,
): readonly Statement[] {
  const { quote, placeholder } = engine.dialect
  const { layout, model } = table
  const columns = [...writtenColumns(table, item), { name: layout.key, value: item.id }]
  const assignments = columns.map(({ name }, index) => `${quote(name)} = ${placeholder(index + 1)}`)
  const update: Statement = {
    sql: `update ${table.sql} set ${assignments.join(', ')} where ${quote(layout.key)} = ${placeholder(columns.length)}`,
    parameters: columns.map(({ value }) => value),
  }
  const linkage = [...table.joinTables.values()].flatMap((joinTable) => [
    removeOtherTargets(engine, joinTable, item),
    addTargets(engine, joinTable, item),
  ])
  return [update, ...linkage, queries.find(model, idEquals(item.id))]
}

/** Removes an item and what its to-many relations hold. */
export function removeStatements(
  { dialect }: Engine,
  table: ItemTable,
  id: string,
): readonly Statement[] {
  const first = dialect.placeholder(1)
  return [
    ...Array.from(table.joinTables.values(), ({ sql, owner }) => ({
      sql: `delete from ${sql} where ${owner} = ${first}`,
      parameters: [id],
    })),
    {
      sql: `delete from ${table.sql} where ${dialect.quote(table.layout.key)} = ${first}`,
      parameters: [id],
    },
  ]
}

interface WrittenColumn {
  readonly name: string
  readonly value: unknown
}

/** The columns of an item without its id. Every write gives a new version. */
function writtenColumns(
  { layout, codecOf }: ItemTable,
  item: StoredItem,
): readonly WrittenColumn[] {
  const values = readStoredValues(layout.model, item)
  const columns = layout.columns.map((column): WrittenColumn => {
    const value = writeResources(column.field, values[column.field.name])
    const isNull = value === null || value === undefined
    return { name: column.name, value: isNull ? null : codecOf(column).encode(value) }
  })
  const { version } = layout
  return version.kind === 'random'
    ? [...columns, { name: version.column, value: randomUUID() }]
    : columns
}

function targetsOf({ field }: JoinTable, item: StoredItem): readonly string[] {
  return [...new Set(linkedIds(linkageOf(item), field))]
}

/** Adds the targets that are missing, and numbers all in the order of the relation. */
function addTargets({ dialect }: Engine, joinTable: JoinTable, item: StoredItem): Statement {
  const { sql, owner, target } = joinTable
  const position = dialect.quote(positionColumn)
  const source = dialect.listWithPositions(dialect.placeholder(2))
  const rows = `select ${dialect.placeholder(1)}, s.id, s.position from (${source}) s where true`
  const change = `set ${position} = excluded.${position} where j.${position} is distinct from excluded.${position}`
  return {
    sql: `insert into ${sql} as j (${owner}, ${target}, ${position}) ${rows} on conflict (${owner}, ${target}) do update ${change}`,
    parameters: [item.id, dialect.binder.list(targetsOf(joinTable, item))],
  }
}

function removeOtherTargets(
  { dialect }: Engine,
  joinTable: JoinTable,
  item: StoredItem,
): Statement {
  const { sql, owner, target } = joinTable
  const source = dialect.listWithPositions(dialect.placeholder(2))
  return {
    sql: `delete from ${sql} where ${owner} = ${dialect.placeholder(1)} and ${target} not in (select s.id from (${source}) s)`,
    parameters: [item.id, dialect.binder.list(targetsOf(joinTable, item))],
  }
}
