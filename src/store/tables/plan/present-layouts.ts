import type { TableName } from '../../../model/storage.ts'
import {
  type ColumnField,
  type RelationalColumn,
  type RelationalLayout,
  tablesOf,
} from '../relational-layout.ts'
import { tableBefore } from './counted-rows.ts'
import type { Renames } from './rename-steps.ts'

/**
 * The layouts with the names that tables and columns have in the database, until the last step of a
 * start renames them. Undefined if a name is taken then, such as by a model that has the former
 * name of another: such a start renames first.
 */
export function presentLayouts(
  layouts: readonly RelationalLayout[],
  renames: Renames,
): readonly RelationalLayout[] | undefined {
  const present = layouts.map((layout) => presentLayout(layout, renames))
  const tables = tablesOf(present).map(({ schema, name }) => JSON.stringify([schema, name]))
  const isClear = present.every(({ columns }) => areDistinct(columns.map(({ name }) => name)))
  return isClear && areDistinct(tables) ? present : undefined
}

function presentLayout(layout: RelationalLayout, renames: Renames): RelationalLayout {
  const nameBefore = (table: TableName, name: string) =>
    renames.columns.find((rename) => rename.table === table && rename.to === name)?.from ?? name
  const columns = new Map(
    layout.columns.map((column): [ColumnField, RelationalColumn] => [
      column.field,
      { ...column, name: nameBefore(layout.table, column.name) },
    ]),
  )
  const present = <T extends { readonly column: RelationalColumn }>(parts: readonly T[]) =>
    parts.map((part) => ({ ...part, column: columns.get(part.column.field)! }))
  return {
    ...layout,
    table: tableBefore(renames, layout.table),
    columns: [...columns.values()],
    indexes: layout.indexes.map((index) => ({
      ...index,
      keys: present(index.keys),
      where: present(index.where),
    })),
    exclusions: layout.exclusions.map((exclusion) => ({
      ...exclusion,
      columns: exclusion.columns.map(({ field }) => columns.get(field)!),
      from: columns.get(exclusion.from.field)!,
      to: columns.get(exclusion.to.field)!,
      where: present(exclusion.where),
    })),
    joinTables: layout.joinTables.map((joinTable) => ({
      ...joinTable,
      table: tableBefore(renames, joinTable.table),
      owner: nameBefore(joinTable.table, joinTable.owner),
      target: nameBefore(joinTable.table, joinTable.target),
    })),
  }
}

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length
}
