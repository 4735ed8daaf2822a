import type { BackfillField } from '../backfill.ts'
import { type ChangedItems, changedItems } from './changed-items.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier as quote } from './dialect.ts'
import { noteInFile, removeNote, writeNote } from './file-notes.ts'

/**
 * Which items other processes have added or changed while a start fills in fields: the values are
 * made from members that may have changed since.
 */
export interface FillingLog extends Omit<ChangedItems, 'begin' | 'removeRange'> {
  /** Begins to note changes. A start before this one may have begun, and not ended. */
  begin(fields: readonly BackfillField[]): void
  /** The wire names of fields that no item had a value of when the log began. */
  addedNames(): ReadonlySet<string>
}

/**
 * @param table the table of the items
 * @param isHeld whether an item has a value of a field, as SQL
 */
export function fillingLog(
  connection: Connection,
  table: string,
  isHeld: (field: BackfillField) => string,
): FillingLog {
  const { begin, exists, ids, remove, end } = changedItems(connection, table, `${table}(changes)`)
  const key = `filling ${table}`
  const noItemHas = (field: BackfillField) =>
    connection
      .prepare(`select exists (select 1 from ${quote(table)} where ${isHeld(field)})`)
      .get([])?.[0] === 0
  const addedNames = (): ReadonlySet<string> => {
    const value = noteInFile(connection, key)
    return new Set(value === undefined ? [] : (JSON.parse(String(value)) as string[]))
  }
  return {
    begin(fields) {
      const added = fields.filter(noItemHas).map(({ wireName }) => wireName)
      writeNote(connection, key, JSON.stringify([...new Set([...addedNames(), ...added])]))
      begin()
    },
    exists,
    addedNames,
    ids,
    remove,
    end() {
      end()
      removeNote(connection, key)
    },
  }
}
