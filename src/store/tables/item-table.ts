import type { ValueField } from '../../model/model-description.ts'
import type { TableName } from '../../model/storage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Column, IndexOrder, JoinTable, Table } from '../sql/table.ts'
import type { ColumnCodec, ColumnType } from './column-type.ts'
import { type ConstraintMeanings, constraintMeanings } from './constraint-meanings.ts'
import type { Engine } from './engine.ts'
import type { VersionMaker } from './item-version.ts'
import {
  type ColumnField,
  type RelationalColumn,
  type RelationalJoinTable,
  type RelationalLayout,
  randomVersionColumn,
  type VersionColumn,
} from './relational-layout.ts'
import { rowReader } from './row-reader.ts'
import {
  allowsNull,
  type ColumnSchema,
  constraintNames,
  type DatabaseSchema,
  findColumn,
  findTable,
  hasKeys,
  type TableSchema,
} from './schema/database-schema.ts'

/** A join table with the columns that it has. */
export interface ItemJoinTable extends JoinTable {
  readonly ownerCodec: ColumnCodec
  readonly targetCodec: ColumnCodec
  /** The quoted column with the place of each target in the relation. */
  readonly position: string | undefined
}

export interface WritableColumn {
  readonly column: RelationalColumn
  /** Does the database give a new row a value where the item has none? */
  readonly hasDefault: boolean
  /** What the column becomes where an item has no value any more, in SQL; undefined for NULL. */
  readonly whenRemoved: string | undefined
}

/** A table with a column for each field. */
export interface ItemTable extends Table {
  readonly layout: RelationalLayout
  readonly joinTables: ReadonlyMap<string, ItemJoinTable>
  readonly idCodec: ColumnCodec
  readonly constraints: ConstraintMeanings
  /** Did the store make it? Then its foreign keys are checked at the end of a transaction. */
  readonly isManaged: boolean
  /** Can its rows be locked? Those of a view cannot. */
  readonly isLockable: boolean
  /** Where new ids come from: the service, or the database, which may refuse all others. */
  readonly newIds: 'service' | 'database' | 'databaseOnly'
  /** The columns that can be written, without that of the id. */
  readonly writableColumns: readonly WritableColumn[]
  /** The column behind versions, as far as the table has one. */
  readonly version: VersionColumn
  /** What is selected of an item, from the row with this alias. */
  itemExpressions(alias: string): readonly string[]
  /** The number of these expressions. */
  readonly itemWidth: number
  /** The item of a row that begins with these expressions. */
  itemOf(row: readonly unknown[]): StoredItem
  codecOf(field: ColumnField): ColumnCodec
}

/** Where the tables come from, as a store knows when it opens. */
export interface TableOrigin {
  readonly schema: DatabaseSchema
  readonly isManaged: boolean
  /** Did a store make the table? Only then it knows what the columns beside those of fields are. */
  isOwn(table: TableName): boolean
}

/** @param opened the tables of the model, all of whose columns can hold their fields */
export function itemTable(
  engine: Engine,
  layout: RelationalLayout,
  { schema, isManaged, isOwn }: TableOrigin,
  versionMaker: VersionMaker,
): ItemTable {
  const { quote } = engine.dialect
  const { model } = layout
  const tableSchema = findTable(schema, layout.table)!
  const key = quote(layout.key)
  const idCodec = codecIn(engine, tableSchema, layout.key, 'id')
  const codecs = new Map(
    layout.columns.map(({ field, name, type }): [string, ColumnCodec] => [
      field.name,
      codecIn(engine, tableSchema, name, type),
    ]),
  )
  const codecOf = (field: ColumnField) => codecs.get(field.name)!
  const columns = new Map(
    layout.columns
      .filter(({ type }) => type !== 'json')
      .map((column): [string, Column] => [
        column.field.name,
        {
          field: column.field as Column['field'],
          sql: quote(column.name),
          isNullable: findColumn(tableSchema, column.name)!.isNullable,
          form: codecOf(column.field).form,
        },
      ]),
  )
  const columnNames = new Map(layout.columns.map(({ field, name }) => [field.name, quote(name)]))
  const joinTables = layout.joinTables.map((joinTable) =>
    itemJoinTable(engine, joinTable, findTable(schema, joinTable.table)!, isOwn(joinTable.table)),
  )
  const existingNames = constraintNames(tableSchema)
  const indexOrders = layout.indexes
    .filter(({ name }) => existingNames.has(name))
    .map(
      ({ keys }): IndexOrder => ({
        keys: keys.map(({ column, direction }) => ({
          column: columns.get(column.field.name)!,
          direction,
        })),
      }),
    )
  const version = existingVersion(layout, tableSchema, isOwn(layout.table))
  const versionColumns = version.kind === 'none' ? [] : [quote(version.column)]
  return {
    model,
    layout,
    sql: itemsSql(engine, layout, tableSchema),
    columns,
    indexOrders: [...(hasKeys(tableSchema) ? [{ keys: [] }] : []), ...indexOrders],
    joinTables: new Map(joinTables.map((joinTable) => [joinTable.field.name, joinTable])),
    id: (alias) => `${alias}.${key}`,
    idForm: idCodec.form,
    idCodec,
    constraints: constraintMeanings(layout, schema),
    isManaged,
    isLockable: hasKeys(tableSchema),
    newIds: newIdsOf(findColumn(tableSchema, layout.key)!),
    writableColumns: layout.columns.flatMap((column) =>
      writableColumn(column, findColumn(tableSchema, column.name)!),
    ),
    version,
    documentOf(field: ValueField) {
      const { document } = codecOf(field)
      return { column: columnNames.get(field.name)!, names: [], ...(document && { document }) }
    },
    itemExpressions: (alias) => [
      idCodec.select(`${alias}.${key}`),
      ...layout.columns.map(({ field, name }) => codecOf(field).select(`${alias}.${quote(name)}`)),
      ...joinTables.map((joinTable) => targetList(engine, joinTable, `${alias}.${key}`)),
      ...versionColumns.map((column) => `cast(${alias}.${column} as text)`),
    ],
    itemWidth: 1 + layout.columns.length + joinTables.length + versionColumns.length,
    itemOf: rowReader({ layout, idCodec, codecOf, version }, versionMaker),
    codecOf,
  }
}

/** The rows that are items: one whose key is NULL has no id. */
function itemsSql(
  { dialect, quoteTable }: Engine,
  { table, key }: RelationalLayout,
  tableSchema: TableSchema,
): string {
  const sql = quoteTable(table)
  if (!allowsNull(findColumn(tableSchema, key)!)) return sql
  return `(select * from ${sql} where ${dialect.quote(key)} is not null)`
}

function newIdsOf({ generated, default: value }: ColumnSchema): ItemTable['newIds'] {
  if (generated === 'identityAlways' || generated === 'computed') return 'databaseOnly'
  return generated === 'identityByDefault' || value ? 'database' : 'service'
}

/** Nobody can write what the database computes. */
function writableColumn(
  column: RelationalColumn,
  { generated, default: value, isNullable }: ColumnSchema,
): readonly WritableColumn[] {
  if (generated === 'computed' || generated === 'identityAlways') return []
  const hasDefault = generated === 'identityByDefault' || value !== undefined
  return [
    {
      column,
      hasDefault,
      whenRemoved: !isNullable && value?.kind === 'expression' ? `(${value.sql})` : undefined,
    },
  ]
}

function codecIn(engine: Engine, table: TableSchema, name: string, type: ColumnType): ColumnCodec {
  const codec = engine.codecFor(type, findColumn(table, name)!.type)
  if (codec) return codec
  throw new Error(`The column '${name}' of '${table.name}' cannot hold its field.`)
}

function itemJoinTable(
  engine: Engine,
  { field, table, owner, target }: RelationalJoinTable,
  tableSchema: TableSchema,
  isOwn: boolean,
): ItemJoinTable {
  const { quote } = engine.dialect
  return {
    field,
    sql: engine.quoteTable(table),
    owner: quote(owner),
    target: quote(target),
    ownerCodec: codecIn(engine, tableSchema, owner, 'id'),
    targetCodec: codecIn(engine, tableSchema, target, 'id'),
    position: isOwn && findColumn(tableSchema, positionColumn) ? quote(positionColumn) : undefined,
  }
}

/** The ids that a relation holds: in its order, where the table keeps one. */
function targetList(
  { idList }: Engine,
  { sql, owner, target, targetCodec, position }: ItemJoinTable,
  id: string,
): string {
  const ids = `j.${target}`
  const order = position === undefined ? [ids] : [`j.${position}`, ids]
  return idList(targetCodec.form.text(ids), order, `${sql} j`, `j.${owner} = ${id}`)
}

/** Tables of other programs have no column for the store, whatever the names of theirs are. */
function existingVersion(
  { version }: RelationalLayout,
  table: TableSchema,
  isOwn: boolean,
): VersionColumn {
  const isThere = version.kind === 'named' || (isOwn && findColumn(table, randomVersionColumn))
  return isThere ? version : { kind: 'none' }
}

/** The column of managed join tables with the place of each target in the relation. */
export const positionColumn = 'position'
