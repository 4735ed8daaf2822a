import { StoredResource } from '../../model/stored-resource.ts'
import { resourcesIn } from '../../stored-item/item-resources.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'
import type { ColumnField, RelationalColumn } from './relational-layout.ts'
import { readResources } from './resource-values.ts'
import { type RowSelection, readRowRanges } from './row-ranges.ts'
import type { SqlDatabase } from './sql-database.ts'

/** Rows without resources are not sent. */
const rangeSize = 10_000

/** The blob keys in a table, from the columns that may have resources. */
export async function* readBlobKeys(
  engine: Engine,
  database: Pick<SqlDatabase, 'read'>,
  table: ItemTable,
): AsyncGenerator<readonly string[]> {
  const { sql, key, layout, codecOf } = table
  const columns = layout.columns.filter(({ field }) => mayHaveResources(field))
  if (columns.length === 0) return
  const names = columns.map(({ name }) => engine.dialect.quote(name))
  const selection: RowSelection = {
    sql,
    key,
    columns: columns.map(({ field }, index) => [names[index]!, codecOf(field)]),
    where: names.map((name) => `r.${name} is not null`).join(' or '),
    rangeSize,
  }
  yield* blobKeysInRanges(engine, database, selection, (row) => keysIn(table, columns, row))
}

/** The blob keys of the selected rows, in batches that are never empty. */
export async function* blobKeysInRanges(
  engine: Pick<Engine, 'dialect'>,
  database: Pick<SqlDatabase, 'read'>,
  selection: RowSelection,
  keysIn: (row: readonly unknown[]) => readonly string[],
): AsyncGenerator<readonly string[]> {
  for await (const rows of readRowRanges(engine, database, selection)) {
    const keys = rows.flatMap(keysIn)
    if (keys.length > 0) yield keys
  }
}

function keysIn(
  { layout, codecOf }: ItemTable,
  columns: readonly RelationalColumn[],
  row: readonly unknown[],
): readonly string[] {
  const values = columns.flatMap(({ field }, index) =>
    row[index] === null
      ? []
      : [[field.name, readResources(field, codecOf(field).decode(row[index]))]],
  )
  const resources = resourcesIn(layout.model, Object.fromEntries(values))
  return [...resources.values()].map((resource) => StoredResource.blobKeyOf(resource))
}

function mayHaveResources(field: ColumnField): boolean {
  return (
    field.kind === 'resource' || (field.kind === 'value' && field.nestedResources !== undefined)
  )
}
