import type { ChangeLog } from '../../tables/engine.ts'
import { quoteIdentifier as quote } from '../dialect.ts'

/** Triggers write the ids of changed rows to a table. They may not name its schema. */
export const sqliteChangeLog: ChangeLog = {
  create({ table, key, columns, log }) {
    const insert = `insert into ${quote(log.name)} (id, n) values (new.${quote(key)}, 1) on conflict (id) do update set n = n + 1`
    const trigger = (event: string, when: string) =>
      `create trigger if not exists ${quote(`${log.name}_${event}`)} after ${when} on ${quote(table.name)} begin ${insert}; end`
    return [
      `create table if not exists ${quote(log.name)} (id text primary key not null, n integer not null) without rowid`,
      trigger('insert', 'insert'),
      trigger('update', `update of ${columns.map(quote).join(', ')}`),
    ]
  },
  drop: ({ log }) => [
    `drop trigger if exists ${quote(`${log.name}_insert`)}`,
    `drop trigger if exists ${quote(`${log.name}_update`)}`,
    `drop table if exists ${quote(log.name)}`,
  ],
}
