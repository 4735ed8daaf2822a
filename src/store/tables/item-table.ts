import type { UniqueRange, ValueField } from '../../model/model-description.ts'
import type { TableName } from '../../model/storage.ts'
import { rowSql } from '../sql/row-value.ts'
import {
  type Column,
  type IndexOrder,
  type ItemFormat,
  sortsAsStored,
  type Table,
} from '../sql/table.ts'
import { rangeKey } from '../unique-ranges.ts'
import { type CapturedRows, capturedRows } from './captured-rows.ts'
import { certainRelations, columnsWithLargestNull, leadingColumns } from './certain-relations.ts'
import type { ColumnCodec, ColumnType } from './column-type.ts'
import {
  type ConstraintMeanings,
  constraintMeanings,
  existingExclusions,
} from './constraint-meanings.ts'
import type { Engine } from './engine.ts'
import { existingCodec } from './existing-codec.ts'
import { type ItemJoinTable, itemJoinTable, targetList } from './item-join-table.ts'
import type { VersionMaker } from './item-version.ts'
import { type KeyColumns, keyColumns } from './key-columns.ts'
import { type LockFields, lockFields } from './lock-fields.ts'
import { type NewIds, newIdsOf } from './new-ids.ts'
import {
  type ColumnField,
  isUniqueSet,
  type RelationalColumn,
  type RelationalLayout,
  randomVersionColumn,
  type VersionColumn,
} from './relational-layout.ts'
import { rowFormat, type TableColumns } from './row-format.ts'
import { type RowReader, rowReader } from './row-reader.ts'
import { scanOrder } from './scan-order.ts'
import {
  allowsNull,
  constraintNames,
  type DatabaseSchema,
  findColumn,
  findTable,
  hasKeys,
  isUniqueKey,
  keysOf,
  type TableSchema,
} from './schema/database-schema.ts'
import { codecInOrder } from './text-order.ts'
import { type ComparedColumn, findSameIndex, isIndexedByValue } from './value-index.ts'
import { searchIndexOf } from './word-index.ts'
import { type WritableColumn, writableColumns } from './writable-columns.ts'
import { type WrittenForm, writtenForm } from './written-form.ts'

/** A table with a column for each field. */
export interface ItemTable extends Table, ItemFormat, RowReader {
  readonly layout: RelationalLayout
  readonly joinTables: ReadonlyMap<string, ItemJoinTable>
  readonly key: KeyColumns
  /** How ids compare, and which texts are ids. */
  readonly idCodec: ColumnCodec
  readonly constraints: ConstraintMeanings
  /** Did the store make it? Then its foreign keys are checked at the end of a transaction. */
  readonly isManaged: boolean
  /** Can its rows be locked? Those of a view cannot. */
  readonly isLockable: boolean
  readonly newIds: NewIds
  /** Undefined where nothing logs rows of other programs. */
  readonly captured: CapturedRows | undefined
  /** The columns that can be written, without those of the id. */
  readonly writableColumns: readonly WritableColumn[]
  /** The column behind versions, as far as the table has one. */
  readonly version: VersionColumn
  /** Undefined where a write reads what it has stored, because only that tells. */
  readonly writtenForm: WrittenForm | undefined
  /** Does the database refuse rows that overlap? */
  keepsRange(range: UniqueRange): boolean
  /** By which values transactions lock its items. */
  readonly lockFields: LockFields
  codecOf(field: ColumnField): ColumnCodec
}

/** Where the tables come from, as a store knows when it opens. */
export interface TableOrigin {
  readonly schema: DatabaseSchema
  readonly isManaged: boolean
  /** Did a store make the table? Only then it knows what the columns beside those of fields are. */
  isOwn(table: TableName): boolean
}

/** @param layout of a model, all of whose columns can hold their fields */
export function itemTable(
  engine: Engine,
  layout: RelationalLayout,
  { schema, isManaged, isOwn }: TableOrigin,
  versionMaker: VersionMaker,
): ItemTable {
  const { quote } = engine.dialect
  const { model } = layout
  const tableSchema = findTable(schema, layout.table)!
  const orderedCodec = (name: string, type: ColumnType, isId: boolean) => {
    const column = findColumn(tableSchema, name)!
    const codec = existingCodec(engine, tableSchema, name, type)
    return codecInOrder(codec, column, model.storage.order, isId)
  }
  const key = keyColumns(
    engine,
    layout.key.map((name) => [name, orderedCodec(name, 'id', true)]),
  )
  const idCodec = key.codec
  const codecs = new Map(
    layout.columns.map(({ field, name, type }): [string, ColumnCodec] => [
      field.name,
      orderedCodec(name, type, false),
    ]),
  )
  const codecOf = (field: ColumnField) => codecs.get(field.name)!
  const comparedColumn = ({ field, name }: RelationalColumn): ComparedColumn => ({
    sql: quote(name),
    codec: codecOf(field),
  })
  const columns = new Map(
    layout.columns
      .filter(({ type }) => type !== 'json' && type !== 'texts')
      .map((column): [string, Column] => {
        const compared = comparedColumn(column)
        const { form } = compared.codec
        const isByValue = isIndexedByValue(tableSchema, compared)
        return [
          column.field.name,
          {
            field: column.field as Column['field'],
            sql: compared.sql,
            isNullable: findColumn(tableSchema, column.name)!.isNullable,
            // An index of the values needs no range of the column.
            form: isByValue ? { ...form, columnRange: undefined } : form,
            isIndexedByValue: isByValue,
          },
        ]
      }),
  )
  const columnNames = new Map(layout.columns.map(({ field, name }) => [field.name, quote(name)]))
  const joinTables = layout.joinTables.map((joinTable) =>
    itemJoinTable(engine, joinTable, findTable(schema, joinTable.table)!, isOwn(joinTable.table)),
  )
  const existingNames = constraintNames(tableSchema)
  const keptRanges = new Set(
    existingExclusions(layout, tableSchema).map(({ range }) => rangeKey(range)),
  )
  const indexOrders = layout.indexes
    .filter(
      (index) =>
        !isUniqueSet(index) &&
        (existingNames.has(index.name) || isManaged) &&
        (index.keys.every(({ column: { field } }) => sortsAsStored(codecOf(field).form))
          ? existingNames.has(index.name)
          : findSameIndex(tableSchema, index, comparedColumn)),
    )
    .map(
      ({ keys }): IndexOrder => ({
        keys: keys.map(({ column, direction }) => ({
          column: columns.get(column.field.name)!,
          direction,
        })),
      }),
    )
  const leading = leadingColumns(tableSchema)
  const withLargestNull = columnsWithLargestNull(tableSchema)
  const otherColumns = layout.columns.filter(({ name }) => !layout.key.includes(name))
  const version = existingVersion(layout, tableSchema, isOwn(layout.table))
  const versionColumns = version.kind === 'none' ? [] : [quote(version.column)]
  const tableColumns = {
    layout,
    codecOf,
    columnSql: (field: ColumnField, alias: string) => `${alias}.${columnNames.get(field.name)!}`,
    version,
  }
  const rowColumns: TableColumns = {
    ...tableColumns,
    targetsSql: (relation, alias) => {
      const joinTable = joinTables.find(({ field }) => field === relation)!
      return targetList(engine, joinTable, rowSql(key.of(alias)))
    },
  }
  const format = rowFormat(rowColumns)
  const longColumns = layout.columns
    .filter(({ type, name }) => isLongType(type) && !layout.key.includes(name))
    .map(({ name }) => quote(name))
  const rows = rowReader(format, { model, idCodec, codecOf, version }, versionMaker)
  return {
    model,
    layout,
    sql: itemsSql(engine, layout, idConditions(layout, key, tableSchema)),
    captured: capturedRows(
      engine,
      {
        ...tableColumns,
        key,
        joinTables,
        idConditions: (alias) => idConditions(layout, key, tableSchema, alias),
        versionColumns,
      },
      versionMaker,
    ),
    columns,
    indexOrders: [...(hasIndexOver(tableSchema, layout.key) ? [{ keys: [] }] : []), ...indexOrders],
    certainRelations: certainRelations(engine, layout.columns, tableSchema, schema),
    requiredRelations: new Set(),
    leadingFields: new Set(
      layout.columns
        .filter(({ name, field }) => leading.has(name) || columns.get(field.name)?.isIndexedByValue)
        .map(({ field }) => field.name),
    ),
    fieldsWithLargestNull: new Set(
      layout.columns.filter(({ name }) => withLargestNull.has(name)).map(({ field }) => field.name),
    ),
    joinTables: new Map(joinTables.map((joinTable) => [joinTable.field.name, joinTable])),
    searchIndex: searchIndexOf(engine, layout, tableSchema),
    key,
    id: (alias) => rowSql(key.of(alias)),
    idParts: key.of,
    scanOrder: scanOrder(layout, tableSchema, quote),
    idForm: idCodec.form,
    idCodec,
    constraints: constraintMeanings(layout, schema),
    isManaged,
    hasUniqueIds: isUniqueKey(tableSchema, layout.key),
    isLockable: hasKeys(tableSchema),
    newIds: newIdsOf(engine, layout, tableSchema),
    writableColumns: writableColumns(otherColumns, tableSchema),
    version,
    documentOf(field: ValueField) {
      const { document } = codecOf(field)
      return { column: columnNames.get(field.name)!, names: [], ...(document && { document }) }
    },
    itemExpressions: (alias) => [
      engine.countingBytes(
        key.select(alias),
        longColumns.map((column) => `${alias}.${column}`),
      ),
      ...format.expressions(alias),
      ...versionColumns.map((column) => `cast(${alias}.${column} as text)`),
    ],
    itemWidth: 1 + format.cellCount + versionColumns.length,
    idExpression: key.select,
    listedItemOf: rows.itemOf,
    ...rows,
    // A store without round trips has nothing to save, and other programs make tables as they like.
    writtenForm:
      engine.isRemote && isManaged
        ? writtenForm(format, rowColumns, versionColumns, versionMaker)
        : undefined,
    keepsRange: (range) => keptRanges.has(rangeKey(range)),
    lockFields: lockFields(model, isManaged),
    codecOf,
  }
}

/** May a value be longer than a few characters? */
function isLongType(type: ColumnType): boolean {
  return type === 'text' || type === 'json' || type === 'texts'
}

/** What rows are items. A row has no id if its key is NULL, or has a value that is no id. */
function idConditions(
  { key }: RelationalLayout,
  { columns, parts }: KeyColumns,
  tableSchema: TableSchema,
  alias?: string,
): readonly string[] {
  return columns.flatMap((name, index) => {
    const column = alias === undefined ? name : `${alias}.${name}`
    const isId = parts[index]!.isId?.(column)
    if (isId !== undefined) return [isId]
    return allowsNull(findColumn(tableSchema, key[index]!)!) ? [`${column} is not null`] : []
  })
}

function itemsSql(
  { quoteTable }: Engine,
  { table }: RelationalLayout,
  conditions: readonly string[],
): string {
  const sql = quoteTable(table)
  return conditions.length === 0 ? sql : `(select * from ${sql} where ${conditions.join(' and ')})`
}

/** Does an index have the rows in the order of these columns? */
function hasIndexOver(table: TableSchema, columns: readonly string[]): boolean {
  return keysOf(table).some(
    (key) =>
      key.columns.length === columns.length &&
      key.columns.every((column, index) => column === columns[index]),
  )
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
