import type { Engine } from './engine.ts'
import type { RelationalColumn, RelationalLayout } from './relational-layout.ts'
import { findColumn, type TableSchema } from './schema/database-schema.ts'
import { hasDefault, isComputed, type WritableColumn, writableColumns } from './writable-columns.ts'

/** Where the ids of new items come from. */
export interface NewIds {
  /** Who makes an id where the client sends none; the database may refuse all others. */
  readonly source: 'service' | 'database' | 'databaseOnly'
  /** The field in each column of the key, if there is one. It cannot change. */
  readonly keyMembers: readonly (RelationalColumn | undefined)[]
  /** The columns of the key that fields have, which a new item without an id writes. */
  readonly writableColumns: readonly WritableColumn[]
}

export function newIdsOf(engine: Engine, layout: RelationalLayout, table: TableSchema): NewIds {
  const { key, columns } = layout
  const keyMembers = key.map((name) => columns.find((column) => column.name === name))
  return {
    source: sourceOf(engine, layout, table, keyMembers),
    keyMembers,
    writableColumns: writableColumns(
      columns.filter(({ name }) => key.includes(name)),
      table,
    ),
  }
}

function sourceOf(
  engine: Engine,
  { key }: RelationalLayout,
  table: TableSchema,
  keyMembers: NewIds['keyMembers'],
): NewIds['source'] {
  const columns = key.map((name) => findColumn(table, name)!)
  if (columns.some(isComputed)) return 'databaseOnly'
  if (columns.length > 1 && !engine.returnsCompositeIds) return 'service'
  const others = columns.filter((column, index) => !keyMembers[index] || hasDefault(column))
  return others.length > 0 && others.every(hasDefault) ? 'database' : 'service'
}
