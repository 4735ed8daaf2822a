import type { ValueField } from '../../model/model-description.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Column, IndexOrder, JoinTable, Table } from '../sql/table.ts'
import type { ColumnCodec, ColumnType } from './column-type.ts'
import { type ConstraintMeanings, constraintMeanings } from './constraint-meanings.ts'
import type { Engine } from './engine.ts'
import type { VersionMaker } from './item-version.ts'
import {
  type ColumnField,
  type RelationalJoinTable,
  type RelationalLayout,
  randomVersionColumn,
  type VersionColumn,
} from './relational-layout.ts'
import { rowReader } from './row-reader.ts'
import {
  type DatabaseSchema,
  findColumn,
  findTable,
  type TableSchema,
} from './schema/database-schema.ts'

/** A join table with the columns that it has. */
export interface ItemJoinTable extends JoinTable {
  readonly ownerCodec: ColumnCodec
  readonly targetCodec: ColumnCodec
  /** The quoted column with the place of each target in the relation. */
  readonly position: string | undefined
}

/** A table with a column for each field. */
export interface ItemTable extends Table {
  readonly layout: RelationalLayout
  readonly joinTables: ReadonlyMap<string, ItemJoinTable>
  readonly idCodec: ColumnCodec
  readonly constraints: ConstraintMeanings
  /** Did the store make it? Then its foreign keys are checked at the end of a transaction. */
  readonly isManaged: boolean
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

/** @param opened the tables of the model, all of whose columns can hold their fields */
export function itemTable(
  engine: Engine,
  layout: RelationalLayout,
  { schema, isManaged }: { readonly schema: DatabaseSchema; readonly isManaged: boolean },
  versionMaker: VersionMaker,
): ItemTable {
  const { quote } = engine.dialect
  const { model } = layout
  const tableSchema = findTable(schema, layout.table)!
  const key = quote(layout.key)
  const idCodec = codecIn(engine, tableSchema, layout.key, 'id')
  const codecs = new Map(
    layout.columns.map(({ field, name, type }): [ColumnField, ColumnCodec] => [
      field,
      codecIn(engine, tableSchema, name, type),
    ]),
  )
  const codecOf = (field: ColumnField) => codecs.get(field)!
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
  const columnNames = new Map(layout.columns.map(({ field, name }) => [field, quote(name)]))
  const joinTables = layout.joinTables.map((joinTable) =>
    itemJoinTable(engine, joinTable, findTable(schema, joinTable.table)!),
  )
  const indexOrders = layout.indexes.map(
    ({ keys }): IndexOrder => ({
      keys: keys.map(({ column, direction }) => ({
        column: columns.get(column.field.name)!,
        direction,
      })),
    }),
  )
  const version = existingVersion(layout, tableSchema)
  const versionColumns = version.kind === 'none' ? [] : [quote(version.column)]
  return {
    model,
    layout,
    sql: engine.quoteTable(layout.table),
    columns,
    indexOrders: [{ keys: [] }, ...indexOrders],
    joinTables: new Map(joinTables.map((joinTable) => [joinTable.field.name, joinTable])),
    id: (alias) => `${alias}.${key}`,
    idForm: idCodec.form,
    idCodec,
    constraints: constraintMeanings(layout, schema),
    isManaged,
    version,
    documentOf: (field: ValueField) => ({ column: columnNames.get(field)!, names: [] }),
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

function codecIn(engine: Engine, table: TableSchema, name: string, type: ColumnType): ColumnCodec {
  const codec = engine.codecFor(type, findColumn(table, name)!.type)
  if (codec) return codec
  throw new Error(`The column '${name}' of '${table.name}' cannot hold its field.`)
}

function itemJoinTable(
  engine: Engine,
  { field, table, owner, target }: RelationalJoinTable,
  tableSchema: TableSchema,
): ItemJoinTable {
  const { quote } = engine.dialect
  return {
    field,
    sql: engine.quoteTable(table),
    owner: quote(owner),
    target: quote(target),
    ownerCodec: codecIn(engine, tableSchema, owner, 'id'),
    targetCodec: codecIn(engine, tableSchema, target, 'id'),
    position: findColumn(tableSchema, positionColumn) && quote(positionColumn),
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

/** Tables of other programs have no column for the store. */
function existingVersion({ version }: RelationalLayout, table: TableSchema): VersionColumn {
  const isThere = version.kind === 'named' || findColumn(table, randomVersionColumn)
  return isThere ? version : { kind: 'none' }
}

/** The column of managed join tables with the place of each target in the relation. */
export const positionColumn = 'position'
