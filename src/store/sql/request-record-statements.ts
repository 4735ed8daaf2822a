import type { ClientUsage, RecordShare, RecordTimes, RecordUsage } from '../request-records.ts'
import type { Dialect } from './dialect.ts'
import type { Row } from './rows.ts'
import type { Statement } from './statement-cache.ts'

/** The statements about the table of request records. */
export interface RequestRecordStatements {
  readonly createTable: readonly string[]
  /** Add to a table of an earlier build what says whose records these are, and how large. */
  readonly addClients: readonly string[]
  /**
   * Adds the key, or takes over one that has expired. It changes no row if the key is taken. It
   * waits for another transaction that has added the key.
   */
  reserve(key: string, client: string, times: RecordTimes): Statement
  findReserved(key: string): Statement
  find(key: string, nowMs: number): Statement
  write(key: string, result: string): Statement
  /** Leaves the record as it is; the commit of that waits as that of any other change. */
  writeAgain(key: string): Statement
  release(key: string): Statement
  /** See {@link readUsage}. */
  readonly usage: Statement
  /** See {@link readClientUsage}. It reads no more rows than the share has records. */
  usageOf(client: string, share: RecordShare, nowMs: number): Statement
  removeExpired(nowMs: number, limit: number): Statement
}

/**
 * @param table the quoted name of the table
 * @param expiryIndex the quoted name of the index by which expired records are found
 * @param clientIndex that of the index by which those of a client are counted, without reading them
 */
export function requestRecordStatements(
  { placeholder }: Pick<Dialect, 'placeholder'>,
  table: string,
  expiryIndex: string,
  clientIndex: string,
): RequestRecordStatements {
  const [first, second, third, fourth] = [1, 2, 3, 4].map(placeholder)
  // With defaults, so that processes of an earlier build go on.
  const client = `client text not null default ''`
  const bytes = `bytes bigint not null default 0`
  const createClientIndex = `create index ${clientIndex} on ${table} (client, expires_at, bytes)`
  return {
    createTable: [
      `create table ${table} (key text not null primary key, ${client}, expires_at bigint not null, ${bytes}, result text)`,
      `create index ${expiryIndex} on ${table} (expires_at)`,
      createClientIndex,
    ],
    addClients: [
      `alter table ${table} add column ${client}`,
      `alter table ${table} add column ${bytes}`,
      createClientIndex,
    ],
    reserve: (key, client, { nowMs, expiresAtMs }) => ({
      sql: `insert into ${table} (key, client, expires_at, bytes) values (${first}, ${second}, ${third}, 0) on conflict (key) do update set client = excluded.client, expires_at = excluded.expires_at, bytes = 0, result = null where ${table}.expires_at <= ${fourth}`,
      parameters: [key, client, expiresAtMs, nowMs],
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
      sql: `update ${table} set result = ${first}, bytes = ${second} where key = ${third}`,
      parameters: [result, Buffer.byteLength(result), key],
    }),
    writeAgain: (key) => ({
      sql: `update ${table} set expires_at = expires_at where key = ${first}`,
      parameters: [key],
    }),
    release: (key) => ({ sql: `delete from ${table} where key = ${first}`, parameters: [key] }),
    usage: {
      sql: `select count(*), coalesce(sum(bytes), 0), min(expires_at) from ${table}`,
      parameters: [],
    },
    usageOf: (client, share, nowMs) => ({
      sql: `select count(*), coalesce(max(total), 0), max(case when position >= ${third} or total >= ${fourth} then expires_at end) from (select expires_at, row_number() over latest_first as position, sum(bytes) over latest_first as total from (select expires_at, bytes from ${table} where client = ${first} and expires_at > ${second} order by expires_at desc limit ${third}) as latest window latest_first as (order by expires_at desc rows unbounded preceding)) as summed`,
      parameters: [client, nowMs, share.records, share.bytes],
    }),
    removeExpired: (nowMs, limit) => ({
      sql: `delete from ${table} where key in (select key from ${table} where expires_at <= ${first} order by expires_at limit ${second})`,
      parameters: [nowMs, limit],
    }),
  }
}

/** PostgreSQL has sums as text. */
export function readUsage(row: Row): RecordUsage {
  const [records, bytes, firstExpiryMs] = row
  return {
    records: Number(records),
    bytes: Number(bytes),
    firstExpiryMs: firstExpiryMs === null ? undefined : Number(firstExpiryMs),
  }
}

export function readClientUsage(row: Row): ClientUsage {
  const [records, bytes, fullUntilMs] = row
  return {
    records: Number(records),
    bytes: Number(bytes),
    fullUntilMs: fullUntilMs === null ? undefined : Number(fullUntilMs),
  }
}
