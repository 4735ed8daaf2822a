import type { TableName } from '../../model/storage.ts'
import { blobKeysInRanges } from './blob-keys.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'
import { type KeyColumns, keyColumns } from './key-columns.ts'
import { type Database, readDatabase } from './read-database.ts'
import { tablesOf } from './relational-layout.ts'
import { blobKeysInJson } from './resource-values.ts'
import type { RowSelection } from './row-ranges.ts'
import { findColumn, findTable, type TableSchema } from './schema/database-schema.ts'
import { ownTables, quotedNames } from './settings-table.ts'
import type { SqlDatabase } from './sql-database.ts'
import { tableNameOf } from './table-quoter.ts'

/** These columns may have long texts. */
const rangeSize = 1000

/**
 * The blob keys that no field of the models has: in columns and tables that no model declares any
 * more, and in JSON that had resources before. The columns are read as they are now, because
 * another process may have added some.
 */
export async function* readUndeclaredBlobKeys(
  engine: Engine,
  database: Pick<SqlDatabase, 'read' | 'inspect'>,
  tables: readonly ItemTable[],
): AsyncGenerator<readonly string[]> {
  const selections = await database.inspect(async (session) => {
    const layouts = tables.map(({ layout }) => layout)
    const current = await readDatabase(engine, session, layouts)
    const names = undeclaredTables(engine, current, tables)
    const others = await engine.readSchema(session, { kind: 'tables', names })
    return [
      ...tables.map((table) =>
        jsonSelection(engine, findTable(current.schema, table.layout.table), table.sql, table),
      ),
      ...names.map((name) =>
        jsonSelection(engine, findTable(others, name), engine.quoteTable(name), undefined),
      ),
    ]
  })
  for (const selection of selections)
    if (selection)
      yield* blobKeysInRanges(engine, database, selection, (row) =>
        row.flatMap((value, index) =>
          value === null ? [] : blobKeysInJson(selection.columns[index]![1].decode(value)),
        ),
      )
}

/** The tables that the store made, and that no model has any more. */
function undeclaredTables(
  engine: Engine,
  { schema, settings }: Database,
  tables: readonly ItemTable[],
): readonly TableName[] {
  const declared = new Set(
    tablesOf(tables.map(({ layout }) => layout)).flatMap((table) =>
      quotedNames(engine, schema, table),
    ),
  )
  return [...ownTables(settings)].filter((quoted) => !declared.has(quoted)).map(tableNameOf)
}

/** The rows with blob keys in columns of JSON; undefined if the table has no such column. */
function jsonSelection(
  engine: Engine,
  schema: TableSchema | undefined,
  sql: string,
  table: ItemTable | undefined,
): RowSelection | undefined {
  if (!schema) return undefined
  const declaredTypes = new Map(table?.layout.columns.map(({ name, type }) => [name, type]))
  const columns = schema.columns.flatMap(({ name, type: databaseType }) => {
    const codec = engine.codecFor('json', databaseType)
    const type = declaredTypes.get(name) ?? 'json'
    const isJson = type === 'json' || type === 'texts'
    const isKey = schema.primaryKey?.columns.includes(name)
    return codec && isJson && !isKey ? [[engine.dialect.quote(name), codec] as const] : []
  })
  if (columns.length === 0) return undefined
  return {
    sql,
    key: table?.key ?? primaryKey(engine, schema),
    columns,
    where: columns
      .map(([name, codec]) => `${codec.select(`r.${name}`)} like '%"blobKey"%'`)
      .join(' or '),
    rangeSize,
  }
}

/** That of a table that the store made. */
function primaryKey(engine: Engine, schema: TableSchema): KeyColumns {
  return keyColumns(
    engine,
    schema.primaryKey!.columns.map((name) => [
      name,
      engine.codecFor('id', findColumn(schema, name)!.type)!,
    ]),
  )
}
