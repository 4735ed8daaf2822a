import type { RecordTimes } from '../request-records.ts'
import type { Dialect } from './dialect.ts'
import type { Statement } from './statement-cache.ts'

/** The statements about the table of request records. */
export interface RequestRecordStatements {
  readonly createTable: readonly string[]
  /**
   * Adds the key, or takes over one that has expired. It changes no row if the key is taken. It
   * waits for another transaction that has added the key.
   */
  reserve(key: string, times: RecordTimes): Statement
  findReserved(key: string): Statement
  find(key: string, nowMs: number): Statement
  write(key: string, result: string): Statement
  release(key: string): Statement
  readonly count: Statement
  removeExpired(nowMs: number, limit: number): Statement
}

/**
 * @param table the quoted name of the table
 * @param index that of the index by which expired records are found
 */
export function requestRecordStatements(
  { placeholder }: Pick<Dialect, 'placeholder'>,
  table: string,
  index: string,
): RequestRecordStatements {
  const [first, second, third] = [1, 2, 3].map(placeholder)
  return {
    createTable: [
      `create table ${table} (key text not null primary key, expires_at bigint not null, result text)`,
      `create index ${index} on ${table} (expires_at)`,
    ],
    reserve: (key, { nowMs, expiresAtMs }) => ({
      sql: `insert into ${table} (key, expires_at) values (${first}, ${second}) on conflict (key) do update set expires_at = excluded.expires_at, result = null where ${table}.expires_at <= ${third}`,
      parameters: [key, expiresAtMs, nowMs],
    }),
    findReserved: (key) => ({
      sql: `select result from ${table} where key = ${first}`,
      parameters: [key],
    }),
    find: (key, nowMs) => ({
      sql: `select result from ${table} where key = ${first} and expires_at > ${second}`,
      parameters: [key, nowMs],
    }),
    write: (key, result) => ({
      sql: `update ${table} set result = ${first} where key = ${second}`,
      parameters: [result, key],
    }),
    release: (key) => ({ sql: `delete from ${table} where key = ${first}`, parameters: [key] }),
    count: { sql: `select count(*) from ${table}`, parameters: [] },
    removeExpired: (nowMs, limit) => ({
      sql: `delete from ${table} where key in (select key from ${table} where expires_at <= ${first} order by expires_at limit ${second})`,
      parameters: [nowMs, limit],
    }),
  }
}
