import type { BackfillField } from '../backfill.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier as quote } from './dialect.ts'
import { noteInFile, removeNote, writeNote } from './file-notes.ts'
import { hasTable } from './has-table.ts'

/**
 * Which items other processes have added or changed while a start fills in fields: the values are
 * made from members that may have changed since. Triggers write their ids to a table.
 */
export interface FillingLog {
  /** Begins to note changes. A start before this one may have begun, and not ended. */
  begin(fields: readonly BackfillField[]): void
  /** Does it note changes? It ends once all is filled in. */
  exists(): boolean
  /** The wire names of fields that no item had a value of when the log began. */
  addedNames(): ReadonlySet<string>
  /** The ids of changed items, as many as this. */
  ids(limit: number): readonly string[]
  remove(ids: readonly string[]): void
  end(): void
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
  const log = `${table}(changes)`
  const key = `filling ${table}`
  const trigger = (event: string) => quote(`${log} ${event}`)
  const noteChange = `begin insert or ignore into ${quote(log)} (id) values (new.id); end`
  // A deploy that is given up leaves the log, which has no more ids than there are items.
  const forget = `begin delete from ${quote(log)} where id = old.id; end`
  const actions = { insert: noteChange, 'update of text': noteChange, delete: forget }
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
      if (hasTable(connection, log)) return
      connection.exec(`create table ${quote(log)} (id text primary key not null) without rowid`)
      // A start sets `hidden` alone, and processes of the old version set the text too.
      for (const [event, action] of Object.entries(actions))
        connection.exec(
          `create trigger ${trigger(event)} after ${event} on ${quote(table)} ${action}`,
        )
    },
    exists: () => hasTable(connection, log),
    addedNames,
    ids: (limit) =>
      connection
        .prepare(`select id from ${quote(log)} order by id limit ?`)
        .all([limit])
        .map(([id]) => String(id)),
    remove(ids) {
      const remove = connection.prepare(`delete from ${quote(log)} where id = ?`)
      for (const id of ids) remove.run([id])
    },
    end() {
      // The triggers go with their table.
      for (const event of Object.keys(actions))
        connection.exec(`drop trigger if exists ${trigger(event)}`)
      connection.exec(`drop table if exists ${quote(log)}`)
      removeNote(connection, key)
    },
  }
}
