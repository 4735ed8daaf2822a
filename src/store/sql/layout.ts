import type { ModelDescription, ToManyField } from '../../model/model-description.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { type ColumnLayout, columnLayouts } from './column-layout.ts'
import type { DocumentDialect } from './document-dialect.ts'
import { columnsInIndexes, type IndexLayout, indexedColumns, indexLayouts } from './index-layout.ts'
import { documentColumns, documentOf, eagerItem, shownDocumentOf } from './rows.ts'
import type { Column, DocumentTable, IndexOrder, ItemFormat, JoinTable } from './table.ts'

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

export function layoutOf(dialect: DocumentDialect, model: ModelDescription): TableLayout {
  const name = dialect.identifier(model.plural)
  const columns = columnLayouts(dialect, model)
  const joinTables = model.ownedRelations.flatMap((field) =>
    field.kind === 'toMany' ? [joinTableLayout(dialect, name, field)] : [],
  )
  return {
    model,
    name,
    columns,
    indexes: indexLayouts(dialect, name, columns, model),
    joinTables,
  }
}

/** What a table that exists shows of its columns, by their names. */
export interface ColumnFacts {
  /** The columns that hold NULL although the model allows none: an older model did. */
  readonly withNulls: ReadonlySet<string>
  readonly generated: ReadonlySet<string>
}

/** What columns a new table has: those without values of their own are generated. */
export function newTableFacts({ columns }: TableLayout): ColumnFacts {
  const generated = columns.filter(({ isStored }) => !isStored).map(({ name }) => name)
  return { withNulls: new Set(), generated: new Set(generated) }
}

export function tableOf(
  dialect: DocumentDialect,
  layout: TableLayout,
  { withNulls, generated }: ColumnFacts,
): DocumentTable {
  const { quote } = dialect
  const [id, text, hidden] = ['id', 'text', 'hidden'].map(quote) as [string, string, string]
  const indexed = new Set(indexedColumns(layout.indexes))
  const inIndexes = columnsInIndexes(layout.indexes)
  const columns = new Map(
    layout.columns.map((column): [ColumnLayout, Column] => {
      const isNullable = column.isOptional || !indexed.has(column) || withNulls.has(column.name)
      return [column, { field: column.field, sql: quote(column.name), isNullable, form: copyForm }]
    }),
  )
  const orders = layout.indexes.flatMap(({ kind, keys }): IndexOrder[] => {
    if (kind === 'nulls' || kind === 'uniqueSet') return []
    return [
      { keys: keys.map(({ column, direction }) => ({ column: columns.get(column)!, direction })) },
    ]
  })
  return {
    model: layout.model,
    sql: quote(layout.name),
    columns: new Map([...columns.values()].map((column) => [column.field.name, column])),
    writtenColumns: layout.columns
      .filter(({ name }) => !generated.has(name))
      .map((column) => ({
        sql: quote(column.name),
        isIndexed: inIndexes.has(column),
        source: column.source,
        valueIn: column.valueIn,
      })),
    ...documentFormat(dialect, layout.model),
    id: (alias) => `${alias}.${id}`,
    idParts: (alias) => [`${alias}.${id}`],
    idForm: undefined,
    hasUniqueIds: true,
    scanOrder: { sql: id, kind: 'text' },
    documentOf: (field) => ({
      column: isShown(field) ? text : hidden,
      names: [field.wireName],
    }),
    indexOrders: [{ keys: [] }, ...orders],
    // No foreign key checks the ids in documents.
    certainRelations: new Set(),
    requiredRelations: new Set(
      [...columns.values()]
        .filter(({ field, isNullable }) => field.kind === 'toOne' && !isNullable)
        .map(({ field }) => field.name),
    ),
    leadingFields: new Set(orders.map(({ keys }) => keys[0]!.column.field.name)),
    fieldsWithLargestNull: new Set(),
    joinTables: new Map(layout.joinTables.map(({ table }) => [table.field.name, table])),
  }
}

function documentFormat(dialect: DocumentDialect, model: ModelDescription): ItemFormat {
  const columns = documentColumns(model)
  const listedItemOf = columns.includes('"hidden"') ? documentOf : shownDocumentOf
  return {
    itemExpressions: (alias) => columns.map((column) => `${alias}.${column}`),
    itemWidth: columns.length,
    itemOf: (row) => eagerItem(listedItemOf(row)),
    listedItemOf,
    idExpression: (alias) => `${alias}."id"`,
    rowCheck: (alias) => dialect.byteLimitCheck(`octet_length(${alias}."text")`),
  }
}

const copyForm = Object.freeze({ kind: 'copy' })

function joinTableLayout(
  { quote, identifier }: DocumentDialect,
  table: string,
  field: ToManyField,
): JoinTableLayout {
  const name = `${table}.${identifier(field.wireName)}`
  const [owner, target] = [quote('owner'), quote('target')]
  const indexDefinition = `create index if not exists ${quote(`${name}(target)`)} on ${quote(name)} (${target}, ${owner})`
  return { name, indexDefinition, table: { field, sql: quote(name), owner, target } }
}
