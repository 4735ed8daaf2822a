import type { ChangedIdsLog } from '../../tables/engine.ts'
import { quoteIdentifier as quote } from '../dialect.ts'

/** Triggers write the ids of changed rows to a table. They may not name its schema. */
export const sqliteChangedIds: ChangedIdsLog = {
  create({ table, key, columns, log }) {
    const insert = `insert into ${quote(log.name)} (id, n) values (new.${quote(key)}, 1) on conflict (id) do update set n = n + 1`
    // A deploy that is given up leaves the log, which has no more ids than there are rows.
    const forget = `delete from ${quote(log.name)} where id = old.${quote(key)}`
    const trigger = (event: string, when: string, action = insert) =>
      `create trigger if not exists ${quote(`${log.name}_${event}`)} after ${when} on ${quote(table.name)} begin ${action}; end`
    return [
      `create table if not exists ${quote(log.name)} (id text primary key not null, n integer not null) without rowid`,
      trigger('insert', 'insert'),
      trigger('update', `update of ${columns.map(quote).join(', ')}`),
      trigger('delete', 'delete', forget),
    ]
  },
  drop: ({ log }) => [
    `drop trigger if exists ${quote(`${log.name}_insert`)}`,
    `drop trigger if exists ${quote(`${log.name}_update`)}`,
    `drop trigger if exists ${quote(`${log.name}_delete`)}`,
    `drop table if exists ${quote(log.name)}`,
  ],
}
