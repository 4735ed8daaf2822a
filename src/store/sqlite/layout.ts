import type { ModelDescription, ToManyField } from '../../model/model-description.ts'
import type { Column, IndexOrder, JoinTable, Table } from '../sql/table.ts'
import { type ColumnLayout, columnLayouts, mangleName } from './column-layout.ts'
import { quoteIdentifier } from './dialect.ts'
import { type IndexLayout, indexedColumns, indexLayouts } from './index-layout.ts'

export interface JoinTableLayout {
  readonly name: string
  /** The definition of the index by target. */
  readonly indexDefinition: string
  readonly table: JoinTable
}

/** The table, columns, indexes and join tables of a model. */
export interface TableLayout {
  readonly model: ModelDescription
  readonly name: string
  readonly columns: readonly ColumnLayout[]
  readonly indexes: readonly IndexLayout[]
  readonly joinTables: readonly JoinTableLayout[]
}

export function layoutOf(model: ModelDescription): TableLayout {
  const name = mangleName(model.plural)
  const columns = columnLayouts(model)
  const joinTables = model.ownedRelations.flatMap((field) =>
    field.kind === 'toMany' ? [joinTableLayout(name, field)] : [],
  )
  return {
    model,
    name,
    columns,
    indexes: indexLayouts(name, columns, model.indexes),
    joinTables,
  }
}

/**
 * `withNulls` are the columns that hold NULL although the model allows none: an older model did.
 */
export function tableOf(layout: TableLayout, withNulls: ReadonlySet<string>): Table {
  const indexed = new Set(indexedColumns(layout.indexes))
  const columns = new Map(
    layout.columns.map((column): [ColumnLayout, Column] => {
      const isNullable = column.isOptional || !indexed.has(column) || withNulls.has(column.name)
      return [column, { field: column.field, sql: quoteIdentifier(column.name), isNullable }]
    }),
  )
  const orders = layout.indexes.flatMap(({ kind, keys }): IndexOrder[] => {
    if (kind === 'nulls') return []
    const order = {
      keys: keys.map(({ column, direction }) => ({ column: columns.get(column)!, direction })),
    }
    // A unique index also serves the descending order, unless it holds nulls.
    const [first] = order.keys
    const servesBothDirections = kind === 'unique' && !first!.column.isNullable
    return servesBothDirections ? [order, { keys: [{ ...first!, direction: 'desc' }] }] : [order]
  })
  return {
    model: layout.model,
    sql: quoteIdentifier(layout.name),
    columns: new Map([...columns.values()].map((column) => [column.field.name, column])),
    indexOrders: [{ keys: [] }, ...orders],
    joinTables: new Map(layout.joinTables.map(({ table }) => [table.field.name, table])),
  }
}

function joinTableLayout(table: string, field: ToManyField): JoinTableLayout {
  const name = `${table}.${mangleName(field.wireName)}`
  const indexDefinition = `create index if not exists ${quoteIdentifier(`${name}(target)`)} on ${quoteIdentifier(name)} ("target", "owner")`
  return { name, indexDefinition, table: { field, sql: quoteIdentifier(name) } }
}
