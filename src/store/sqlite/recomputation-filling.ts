import type { DerivedField } from '../../model/model-description.ts'
import { type Filling, handleInTime } from '../fill-in-batches.ts'
import { type TableLayout, tableOf } from '../sql/layout.ts'
import type { DocumentTable } from '../sql/table.ts'
import type { ChangedItems } from './changed-items.ts'
import type { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { itemsWhere, migrateRow } from './migrate-row.ts'
import { generatedColumns } from './prepare-tables.ts'
import { countRows } from './run-statement.ts'
import { replaceRow } from './sqlite-transaction.ts'
import { existingColumns } from './table-steps.ts'

/** Makes the derived values of items again, in their documents and columns. */
export function recomputationFilling(
  connection: Connection,
  layout: TableLayout,
  fields: readonly DerivedField[],
  log: ChangedItems,
): Filling {
  const { model, name } = layout
  const table = tableInFile(connection, layout)
  const recompute = async (id: string): Promise<void> => {
    // Each is read by itself, because items may be large. It may be removed since.
    for (const item of itemsWhere(connection, table, 'id = ?', [id]))
      await migrateRow(model, item, (changed) => replaceRow(connection, table, changed))
  }
  return {
    fields,

    count: async () => countRows(connection, name),

    async fillAfter(after, limit) {
      const ids = connection
        .prepare(`select id from ${table.sql} where id > ? order by id limit ?`)
        .all([after, limit])
        .map(([id]) => String(id))
      const count = await handleInTime(ids, recompute)
      const until = ids[count - 1]
      // The log has what the batch has written, and what others wrote before.
      log.removeRange({ after, until })
      return { count, end: count < limit && count === ids.length ? undefined : until }
    },

    async fillChanged(limit) {
      const ids = log.ids(limit)
      for (const id of ids) await recompute(id)
      log.remove(ids)
      return ids.length
    },
  }
}

/** The table with the columns that it has already. */
function tableInFile(connection: Connection, layout: TableLayout): DocumentTable {
  const existing = existingColumns(connection, layout.name)
  const isThere = ({ name }: { readonly name: string }) => existing.has(name)
  const presentLayout: TableLayout = {
    ...layout,
    columns: layout.columns.filter(isThere),
    indexes: layout.indexes.filter(({ keys, where }) =>
      [...keys, ...where].every(({ column }) => isThere(column)),
    ),
  }
  return tableOf(sqliteDialect, presentLayout, {
    withNulls: new Set(),
    generated: generatedColumns(connection, layout),
  })
}
