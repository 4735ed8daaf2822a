import { textLiteral } from '../sql/text-literal.ts'
import type { ChangedIdsLog } from '../tables/engine.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import { quoteIdentifier } from './dialect.ts'

const quoteTable = tableQuoter(quoteIdentifier)

/**
 * A trigger writes the ids of changed rows to a table. Its function runs as the role that made it:
 * the role of a caller may not write the table.
 */
export const postgresChangedIds: ChangedIdsLog = {
  create({ table, key, columns, log }) {
    const [name, trigger] = [quoteTable(log), quoteIdentifier(log.name)]
    const insert = `insert into %I.%I as c (id) values ($1) on conflict (id) do update set n = c.n + 1`
    const body = `begin execute format(${textLiteral(insert)}, tg_table_schema, ${textLiteral(log.name)}) using new.${quoteIdentifier(key)}::text; return null; end`
    return [
      `create table if not exists ${name} (id text primary key, n bigint not null default 1)`,
      `create or replace function ${name}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as ${textLiteral(body)}`,
      `drop trigger if exists ${trigger} on ${quoteTable(table)}`,
      `create trigger ${trigger} after insert or update of ${columns.map(quoteIdentifier).join(', ')} on ${quoteTable(table)} for each row execute function ${name}()`,
    ]
  },
  drop: ({ table, log }) => [
    `drop trigger if exists ${quoteIdentifier(log.name)} on ${quoteTable(table)}`,
    `drop function if exists ${quoteTable(log)}()`,
    `drop table if exists ${quoteTable(log)}`,
  ],
}
