import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import {
  describePgBouncer,
  describePostgres,
} from '../../../test/support/postgres/describe-postgres.ts'
import { type PgBouncer, startPgBouncer } from '../../../test/support/postgres/pg-bouncer.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { PostgresDatabase } from './database.ts'
import { postgres } from './postgres-store.ts'

const sql = (text: string) => ({ sql: text, parameters: [] })
const settings = [
  sql(
    "select current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')",
  ),
]

let test: TestDatabase
const opened: PostgresDatabase[] = []
const open = (url: string): PostgresDatabase => {
  opened.push(new PostgresDatabase(url, { lockTimeoutMs: 1_500 }))
  return opened.at(-1)!
}
const stopTests = async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
}

/** The server, not this process, ends what does nothing. */
const endsIdleTransactions = async (url: string) => {
  const database = open(url)
  database.allowIdle(100)
  await database.write([sql('create table if not exists notes (text text)')])
  const idle = database.transaction(async (session) => {
    await session.run([sql("insert into notes values ('idle')")])
    const server = await sharedServer()
    const isThere = () =>
      server.run(
        "select 1 from pg_stat_activity where datname = $1 and state = 'idle in transaction'",
        [test.name],
      )
    expect(await isThere()).toHaveLength(1)
    await expect.poll(isThere, { timeout: 20_000 }).toEqual([])
    await session.run([sql('select 1')])
  })
  await expect(idle).rejects.toThrow(StoreUnavailable)
  expect((await database.read([sql('select count(*) from notes')]))[0]!.rows).toEqual([['0']])
}

describePostgres('A transaction on a connection to PostgreSQL', () => {
  beforeAll(async () => {
    test = await newDatabase()
  }, 120_000)
  afterEach(stopTests)
  afterAll(() => test?.drop())

  it('is ended by the server when it does nothing', () => endsIdleTransactions(test.url), 60_000)

  it('has the longest time of all routers, and none while a store opens', async () => {
    const database = open(test.url)
    const inTransaction = () => database.transaction((session) => session.run(settings))
    expect((await inTransaction())[0]!.rows).toEqual([['1500ms', '0']])
    database.allowIdle(9_000)
    database.allowIdle(3_000)
    // The connection is open already, and so has other settings.
    expect((await inTransaction())[0]!.rows).toEqual([['1500ms', '11s']])
    const long = await database.longTransaction((session) => session.run(settings))
    expect(long[0]!.rows).toEqual([['0', '0']])
  })

  it('has the time of hooks of a router', async () => {
    const store = postgres(test.url)
    const router = createRouter({ policy: rest(), store, timeouts: { hookMs: 5_000 } })
    router.prepare(model('item', { name: z.string() }))
    const api = client(router)
    await router.open()
    const run = (text: string) => sharedServer().then((server) => server.run(text, [], test.name))
    await run(`create function timeout() returns trigger language plpgsql as $$ begin
      new.name = current_setting('idle_in_transaction_session_timeout'); return new; end $$;
      create trigger timeout before insert on items for each row execute function timeout()`)
    const created = await api.post('/items', { item: { name: 'any' } })
    expect(created.at('/item/name')).toBe('7s')
    await store.close()
  })
})

describePgBouncer('A transaction behind a pooler', () => {
  let pooler: PgBouncer
  beforeAll(async () => {
    test = await newDatabase()
    pooler = await startPgBouncer(await sharedServer())
  }, 120_000)
  afterEach(stopTests)
  afterAll(async () => {
    await pooler?.stop()
    await test?.drop()
  })

  it(
    'is ended by the server when it does nothing',
    () => endsIdleTransactions(pooler.url(test.name)),
    60_000,
  )

  it('changes no setting of other transactions', async () => {
    const database = open(pooler.url(test.name))
    database.allowIdle(9_000)
    const inside = await database.transaction((session) => session.run(settings))
    expect(inside[0]!.rows).toEqual([['1500ms', '11s']])
    for (let index = 0; index < 4; index++)
      expect((await database.read(settings))[0]!.rows).toEqual([['0', '0']])
  })
})
