import type { ValueField } from '../../model/model-description.ts'
import { composeStoredItem } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Column, IndexOrder, JoinTable, Table } from '../sql/table.ts'
import type { ColumnCodec } from './column-type.ts'
import type { Engine } from './engine.ts'
import type { VersionMaker } from './item-version.ts'
import { inMemberOrder } from './member-order.ts'
import type { ColumnField, RelationalColumn, RelationalLayout } from './relational-layout.ts'
import { readResources } from './resource-values.ts'

/** A table with a column for each field. */
export interface ItemTable extends Table {
  readonly layout: RelationalLayout
  /** What is selected of an item, from the row with this alias. */
  itemExpressions(alias: string): readonly string[]
  /** The number of these expressions. */
  readonly itemWidth: number
  /** The item of a row that begins with these expressions. */
  itemOf(row: readonly unknown[]): StoredItem
  codecOf(column: RelationalColumn): ColumnCodec
}

/** @param nullable the columns that can hold NULL, by their names */
export function itemTable(
  engine: Engine,
  layout: RelationalLayout,
  nullable: ReadonlySet<string>,
  versionMaker: VersionMaker,
): ItemTable {
  const { dialect, codecs } = engine
  const { quote } = dialect
  const { model } = layout
  const key = quote(layout.key)
  const comparable = layout.columns.filter(({ type }) => type !== 'json')
  const columns = new Map(
    comparable.map((column): [string, Column] => [
      column.field.name,
      {
        field: column.field as Column['field'],
        sql: quote(column.name),
        isNullable: nullable.has(column.name),
        form: codecs[column.type].form,
      },
    ]),
  )
  const columnNames = new Map(layout.columns.map(({ field, name }) => [field, quote(name)]))
  const joinTables = layout.joinTables.map(
    ({ field, table, owner, target }): JoinTable => ({
      field,
      sql: engine.quoteTable(table),
      owner: quote(owner),
      target: quote(target),
    }),
  )
  const indexOrders = layout.indexes.map(
    ({ keys }): IndexOrder => ({
      keys: keys.map(({ column, direction }) => ({
        column: columns.get(column.field.name)!,
        direction,
      })),
    }),
  )
  const targetLists = (alias: string) =>
    joinTables.map(({ sql, owner, target }) =>
      engine.idList(
        `j.${target}`,
        [`j.${quote(positionColumn)}`, `j.${target}`],
        `${sql} j`,
        `j.${owner} = ${alias}.${key}`,
      ),
    )
  const version = layout.version.kind === 'none' ? [] : [quote(layout.version.column)]
  return {
    model,
    layout,
    sql: engine.quoteTable(layout.table),
    columns,
    indexOrders: [{ keys: [] }, ...indexOrders],
    joinTables: new Map(joinTables.map((joinTable) => [joinTable.field.name, joinTable])),
    id: (alias) => `${alias}.${key}`,
    documentOf: (field: ValueField) => ({ column: columnNames.get(field)!, names: [] }),
    itemExpressions: (alias) => [
      `${alias}.${key}`,
      ...layout.columns.map(({ type, name }) => codecs[type].select(`${alias}.${quote(name)}`)),
      ...targetLists(alias),
      ...version.map((column) => `cast(${alias}.${column} as text)`),
    ],
    itemWidth: 1 + layout.columns.length + joinTables.length + version.length,
    itemOf: (row) => itemOfRow(engine, layout, versionMaker, row),
    codecOf: ({ type }) => codecs[type],
  }
}

/** The column of managed join tables with the place of each target in the relation. */
export const positionColumn = 'position'

function itemOfRow(
  { codecs }: Engine,
  { model, columns, joinTables, version }: RelationalLayout,
  versionMaker: VersionMaker,
  row: readonly unknown[],
): StoredItem {
  const values: { id: string; [name: string]: unknown } = { id: String(row[0]) }
  let index = 1
  for (const { field, type, nullValue } of columns) {
    const raw = row[index++]
    values[field.name] = raw === null ? nullValue : readValue(field, codecs[type].decode(raw))
  }
  for (const { field } of joinTables) values[field.name] = JSON.parse(row[index++] as string)
  const rowVersion = version.kind === 'none' ? '' : String(row[index] ?? '')
  return composeStoredItem(model, values, 1, (body, hiddenText) =>
    version.kind === 'named'
      ? versionMaker([model.name, values.id, rowVersion])
      : versionMaker([rowVersion, body, hiddenText ?? '']),
  )
}

function readValue(field: ColumnField, value: unknown): unknown {
  const read = readResources(field, value)
  return field.kind === 'value' ? inMemberOrder(field.type, read) : read
}
