import { setMaxListeners } from 'node:events'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreTimeout } from '../store-failures.ts'
import { type DatabaseOptions, PostgresDatabase } from './database.ts'
import { postgresEngine } from './engine.ts'
import { LockTimeout } from './postgres-error.ts'

const sql = (text: string, isLong = false): Statement => ({ sql: text, parameters: [], isLong })
/** Waits until the test releases the lock. */
const locked = sql('select pg_advisory_xact_lock_shared(1)', true)
const quick = [sql('select 1')]
const callerOf = (client: string): StoreCall & { leave(): void } => {
  const left = new AbortController()
  setMaxListeners(100, left.signal)
  return { client, signal: left.signal, leave: () => left.abort(new Error('left')) }
}
const update = (id: string) => sql(`update counters set value = value + 1 where id = '${id}'`)

describePostgres('The shares of the connections to PostgreSQL', () => {
  let test: TestDatabase
  let other: pg.Client
  const opened: PostgresDatabase[] = []
  const calls: Promise<unknown>[] = []

  const open = (options?: DatabaseOptions): PostgresDatabase => {
    opened.push(new PostgresDatabase(test.url, options))
    return opened.at(-1)!
  }
  const many = <T>(count: number, call: () => Promise<T>): Promise<T | Error>[] => {
    const started = Array.from({ length: count }, () =>
      call().catch((error: unknown) => error as Error),
    )
    calls.push(...started)
    return started
  }
  const waiting = async (): Promise<number> => {
    const server = await sharedServer()
    const sessions = "pg_stat_activity where wait_event_type = 'Lock' and datname = $1"
    return (await server.run(`select 1 from ${sessions}`, [test.name])).length
  }
  const write = (database: PostgresDatabase, id: string, client: string) =>
    database.transaction((session) => session.run([update(id)]), callerOf(client))

  beforeAll(async () => {
    test = await newDatabase()
    other = new pg.Client({ connectionString: test.url })
    await other.connect()
    await other.query('create table counters (id text primary key, value int not null)')
    await other.query("insert into counters values ('a', 0), ('b', 0)")
  }, 120_000)
  beforeEach(() => other.query('begin; select pg_advisory_xact_lock(1)'))
  afterEach(async () => {
    await other.query('rollback')
    await Promise.all(calls.splice(0))
    await Promise.all(opened.splice(0).map((database) => database.close()))
  })
  afterAll(async () => {
    await other?.end()
    await test?.drop()
  })

  it('leave connections for quick reads and for writes while long reads wait', async () => {
    const database = open({
      lockTimeoutMs: 60_000,
      listTimeoutMs: 60_000,
      acquireTimeoutMs: 60_000,
    })
    const one = callerOf('one')
    const two = callerOf('two')
    many(20, () => database.read([locked], one))
    await expect.poll(waiting, { timeout: 8_000 }).toBe(4)
    many(20, () => database.read([locked], two))
    await expect.poll(waiting, { timeout: 8_000 }).toBe(6)
    await database.read(quick, callerOf('three'))
    await database.read(quick, one)
    await write(database, 'b', 'three')
    expect(await waiting()).toBe(6)
    // Those that leave give their shares back.
    one.leave()
    await expect.poll(waiting, { timeout: 8_000 }).toBe(4)
    many(1, () => database.read([locked], callerOf('three')))
    await expect.poll(waiting, { timeout: 8_000 }).toBe(5)
  })

  it('leave connections for quick reads and other writes while writes wait for a row', async () => {
    const database = open({ lockTimeoutMs: 2_000, acquireTimeoutMs: 60_000 })
    await other.query("update counters set value = 1 where id = 'a'")
    const writes = [...many(20, () => write(database, 'a', 'one'))]
    await expect.poll(waiting, { timeout: 8_000 }).toBe(7)
    writes.push(...many(20, () => write(database, 'a', 'two')))
    await expect.poll(waiting, { timeout: 8_000 }).toBe(9)
    await database.read(quick, callerOf('three'))
    // Of the nine, four wait for a short time only.
    await write(database, 'b', 'three')
    for (const outcome of await Promise.all(writes)) expect(outcome).toBeInstanceOf(LockTimeout)
    expect((await other.query("select value from counters where id = 'b'")).rows).not.toEqual([])
  })

  it('abort the long reads of requests sooner than other statements', async () => {
    const database = open({ listTimeoutMs: 100, statementTimeoutMs: 60_000 })
    await expect(database.read([locked], callerOf('one'))).rejects.toThrow(new StoreTimeout(100))
    const slow = database.read([sql('select pg_sleep(0.3)')], callerOf('one'))
    const inCode = database.read([sql('select pg_sleep(0.3)', true)])
    expect(await Promise.all([slow, inCode])).toHaveLength(2)
  })

  it('give up the lock of a table so that the start of a store knows it', async () => {
    const database = open({ lockTimeoutMs: 1 })
    await other.query('select * from counters')
    const locks = postgresEngine.lockTable({ schema: undefined, name: 'counters' }, 50)
    const locking = database.longTransaction((session) =>
      session.run(locks.map((text) => sql(text))),
    )
    expect(await locking.catch(postgresEngine.isLockTimeout)).toBe(true)
    // Without a time of its own, such a transaction waits for as long as it has to.
    const start = database.longTransaction((session) => session.run([locked]))
    await expect.poll(waiting, { timeout: 8_000 }).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await other.query('commit')
    expect(await start).toHaveLength(1)
  })

  it.each([1, 2, 3, 4])('of %i connections let all calls end', async (maxConnections) => {
    await other.query('rollback')
    const database = open({ maxConnections, acquireTimeoutMs: 60_000, lockTimeoutMs: 60_000 })
    const outcomes = await Promise.all([
      ...many(15, () => database.read([locked], callerOf('one'))),
      ...many(15, () => database.read(quick, callerOf('two'))),
      ...many(15, () => write(database, 'a', 'one')),
      ...many(15, () => database.write([update('b')])),
      ...many(2, () => database.longTransaction((session) => session.run([update('b')]))),
    ])
    expect(outcomes.filter((outcome) => outcome instanceof Error)).toEqual([])
  })
})
