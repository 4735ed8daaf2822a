import type { ModelDescription, ToManyField } from '../../model/description.ts'
import type { Column, IndexOrder, SideTable, Table } from '../sql/table.ts'
import { type ColumnLayout, columnLayouts, mangled } from './column-layout.ts'
import { quote } from './dialect.ts'
import { type IndexLayout, indexedColumns, indexLayouts } from './index-layout.ts'

export interface SideLayout {
  readonly name: string
  /** The definition of the index by target. */
  readonly index: string
  readonly table: SideTable
}

/** What a model needs in the file. */
export interface TableLayout {
  readonly model: ModelDescription
  readonly name: string
  readonly columns: readonly ColumnLayout[]
  readonly indexes: readonly IndexLayout[]
  readonly sides: readonly SideLayout[]
}

export function layoutOf(model: ModelDescription): TableLayout {
  const name = mangled(model.plural)
  const columns = columnLayouts(model)
  const sides = model.owned.flatMap((field) => (field.kind === 'toMany' ? [sideOf(name, field)] : []))
  return { model, name, columns, indexes: indexLayouts(name, columns, model.indexes), sides }
}

/** `withNulls` are the names of columns that hold NULL although the model allows none there: it did not always. */
export function tableOf(layout: TableLayout, withNulls: ReadonlySet<string>): Table {
  const indexed = new Set(indexedColumns(layout.indexes))
  const columns = new Map(
    layout.columns.map((column): [ColumnLayout, Column] => {
      const nullable = column.optional || !indexed.has(column) || withNulls.has(column.name)
      return [column, { field: column.field, sql: quote(column.name), nullable }]
    }),
  )
  const orders = layout.indexes.flatMap(({ kind, keys }): IndexOrder[] => {
    if (kind === 'nulls') return []
    const order = { keys: keys.map(({ column, direction }) => ({ column: columns.get(column)!, direction })) }
    // Unique values need no index of their own to be walked backwards, nulls do.
    const [first] = order.keys
    const isBothWays = kind === 'unique' && !first!.column.nullable
    return isBothWays ? [order, { keys: [{ ...first!, direction: 'desc' }] }] : [order]
  })
  return {
    model: layout.model,
    sql: quote(layout.name),
    columns: new Map([...columns.values()].map((column) => [column.field.name, column])),
    orders: [{ keys: [] }, ...orders],
    sides: new Map(layout.sides.map(({ table }) => [table.field.name, table])),
  }
}

function sideOf(table: string, field: ToManyField): SideLayout {
  const name = `${table}.${mangled(field.wire)}`
  const index = `create index if not exists ${quote(`${name}(target)`)} on ${quote(name)} ("target", "owner")`
  return { name, index, table: { field, sql: quote(name) } }
}
