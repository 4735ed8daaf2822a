import type { Connection } from './connection.ts'
import { quoteIdentifier as quote } from './dialect.ts'
import { type RowRange, rangeCondition } from './edit-rows.ts'
import { hasTable } from './has-table.ts'

/** The ids of items that any process has added or changed: triggers write them to a table. */
export interface ChangedItems {
  /** Begins to note changes. A start before this one may have begun, and not ended. */
  begin(): void
  /** Are changes noted? */
  exists(): boolean
  /** As many ids as this. */
  ids(limit: number): readonly string[]
  remove(ids: readonly string[]): void
  removeRange(range: RowRange): void
  end(): void
}

/**
 * @param table the table of the items
 * @param log the name of the table that has the ids
 */
export function changedItems(connection: Connection, table: string, log: string): ChangedItems {
  const trigger = (event: string) => quote(`${log} ${event}`)
  const noteChange = `begin insert or ignore into ${quote(log)} (id) values (new.id); end`
  // A deploy that is given up leaves the log, which has no more ids than there are items.
  const forget = `begin delete from ${quote(log)} where id = old.id; end`
  // Each write of an item sets the text. A backfill sets `hidden` alone.
  const actions = { insert: noteChange, 'update of text': noteChange, delete: forget }
  return {
    begin() {
      if (hasTable(connection, log)) return
      connection.exec(`create table ${quote(log)} (id text primary key not null) without rowid`)
      for (const [event, action] of Object.entries(actions))
        connection.exec(
          `create trigger ${trigger(event)} after ${event} on ${quote(table)} ${action}`,
        )
    },
    exists: () => hasTable(connection, log),
    ids: (limit) =>
      connection
        .prepare(`select id from ${quote(log)} order by id limit ?`)
        .all([limit])
        .map(([id]) => String(id)),
    remove(ids) {
      const remove = connection.prepare(`delete from ${quote(log)} where id = ?`)
      for (const id of ids) remove.run([id])
    },
    removeRange(range) {
      const { sql, values } = rangeCondition(range)
      connection.prepare(`delete from ${quote(log)} where ${sql}`).run(values)
    },
    end() {
      // The triggers go with their table.
      for (const event of Object.keys(actions))
        connection.exec(`drop trigger if exists ${trigger(event)}`)
      connection.exec(`drop table if exists ${quote(log)}`)
    },
  }
}
