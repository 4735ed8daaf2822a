import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  describePgBouncer,
  describePostgres,
} from '../../../test/support/postgres/describe-postgres.ts'
import { type PgBouncer, startPgBouncer } from '../../../test/support/postgres/pg-bouncer.ts'
import { PostgresServer } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { type DatabaseOptions, PostgresDatabase } from './database.ts'

const sql = (text: string, ...parameters: readonly unknown[]): Statement => ({
  sql: text,
  parameters,
})
const insert = (id: string) => sql('insert into writes values ($1)', id)
const rowsOf = async (database: PostgresDatabase, text: string) =>
  (await database.read([sql(text)]))[0]!.rows

const opened: PostgresDatabase[] = []
const open = (url: string, options?: DatabaseOptions): PostgresDatabase => {
  opened.push(new PostgresDatabase(url, options))
  return opened.at(-1)!
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})

describePostgres('PostgresDatabase and a server that fails', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.run('create table writes (id text primary key)')
  }, 120_000)
  afterAll(() => server.stop())

  it('is unavailable while the server is down, says so at once, and uses it when it is back', async () => {
    const database = open(server.url(), { failoverWaitMs: 0 })
    const busy = Promise.allSettled([
      database.read([sql('select pg_sleep(60)')]),
      database.write([sql('select pg_sleep(60)')]),
      database.transaction((work) => work.run([sql('select pg_sleep(60)')])),
    ])
    await Promise.all([1, 2, 3, 4].map(() => rowsOf(database, 'select pg_sleep(0.1)')))
    await server.kill()
    for (const outcome of await busy)
      expect(outcome).toMatchObject({ reason: expect.any(StoreUnavailable) })
    const began = performance.now()
    for (let count = 0; count < 5; count++) {
      await expect(rowsOf(database, 'select 1')).rejects.toThrow(StoreUnavailable)
      await expect(database.write([insert('never')])).rejects.toThrow(StoreUnavailable)
    }
    expect(performance.now() - began).toBeLessThan(1_000)
    await server.start()
    expect(await rowsOf(database, 'select count(*) from writes')).toEqual([['0']])
    await database.write([insert('back')])
  })

  it('keeps calls waiting while the server is down, for a while and not too many', async () => {
    const database = open(server.url(), { failoverWaitMs: 800, maxWaiting: 3 })
    const refused = open(server.url().replace('5432', '5433'), { failoverWaitMs: 20_000 })
    await rowsOf(database, 'select 1')
    await server.kill()
    const timed = async (call: Promise<unknown>) => {
      const began = performance.now()
      const outcome = await call.then(
        () => 'done',
        (error: Error) => (error instanceof StoreUnavailable ? 'unavailable' : error),
      )
      return { outcome, ms: performance.now() - began }
    }
    const client = new AbortController()
    const left = timed(database.read([sql('select 1')], { signal: client.signal }))
    setTimeout(() => client.abort(new Error('left')), 300)
    const waiting = ['select 1', 'select 2'].map((text) => timed(rowsOf(database, text)))
    await new Promise((resolve) => setTimeout(resolve, 200))
    const surplus = await timed(database.write([insert('surplus')]))
    expect([surplus.outcome, surplus.ms < 400]).toEqual(['unavailable', true])
    expect((await left).ms).toBeLessThan(600)
    for (const { outcome, ms } of await Promise.all(waiting)) {
      expect(outcome).toBe('unavailable')
      expect(ms).toBeGreaterThan(750)
      expect(ms).toBeLessThan(2_000)
    }
    // An address that never led to a server is wrong rather than away.
    const wrong = await timed(rowsOf(refused, 'select 1'))
    expect([wrong.outcome, wrong.ms < 1_000]).toEqual(['unavailable', true])
    const late = Promise.all([
      timed(database.write([insert('late')])),
      timed(database.transaction((work) => work.run([sql('select 1')]))),
    ])
    await server.start()
    expect((await late).map(({ outcome }) => outcome)).toEqual(['done', 'done'])
    expect(await rowsOf(database, "select id from writes where id in ('late', 'surplus')")).toEqual(
      [['late']],
    )
  })

  it('notices connections that died unused, so that no call fails', async () => {
    const database = open(server.url())
    for (const stop of [() => server.kill(), () => server.stop()]) {
      await Promise.all([1, 2].map(() => rowsOf(database, 'select pg_sleep(0.05)')))
      await stop()
      await server.start()
      expect(await rowsOf(database, 'select 1')).toEqual([['1']])
      await database.transaction((work) => work.run([sql('select 1')]))
      await database.write([sql('select 1')])
    }
  })

  it('repeats reads and uncommitted transactions whose connection is ended', async () => {
    const database = open(server.url())
    const running = "from pg_stat_activity where query like '%ended%' and pid <> pg_backend_pid()"
    const endConnections = async (count: number) => {
      const isRunning = () => server.run(`select 1 ${running} and state = 'active'`)
      await expect.poll(isRunning, { timeout: 8_000 }).toHaveLength(count)
      await server.run(`select pg_terminate_backend(pid) ${running}`)
    }
    await Promise.all([1, 2].map(() => rowsOf(database, 'select pg_sleep(0.05)')))
    // The first attempt sleeps until it is ended.
    await server.run('create sequence attempts')
    const sleep = "pg_sleep(case when nextval('attempts') <= 2 then 60 else 0 end) as ended"
    let attempts = 0
    const calls = Promise.all([
      rowsOf(database, `select 5, ${sleep}`),
      database.transaction(async (work) => {
        attempts++
        await work.run([insert('once')])
        await work.run([sql(`select ${sleep}`)])
      }),
    ])
    const [[read]] = await Promise.all([calls, endConnections(2)])
    expect(read).toEqual([['5', '']])
    expect(attempts).toBe(2)
    expect(await rowsOf(database, "select id from writes where id = 'once'")).toEqual([['once']])
    // Nobody knows whether a write whose connection is ended was executed.
    const single = database.write([insert('single'), sql('select pg_sleep(60) as ended')])
    await Promise.all([expect(single).rejects.toThrow(StoreUnavailable), endConnections(1)])
  })

  it('gives up a server that does not respond, and uses it when it responds again', async () => {
    const limits = { statementTimeoutMs: 300, connectTimeoutMs: 300, failoverWaitMs: 0 }
    const database = open(server.url(), limits)
    await rowsOf(database, 'select 1')
    server.pause()
    const took: number[] = []
    const timed = async (call: Promise<unknown>) => {
      const began = performance.now()
      await expect(call).rejects.toThrow(StoreUnavailable)
      took.push(performance.now() - began)
    }
    await Promise.all([
      timed(rowsOf(database, 'select 1')),
      timed(database.write([insert('paused')])),
      timed(database.transaction((work) => work.run([sql('select 1')]))),
    ])
    const client = new AbortController()
    const other = open(server.url(), { connectTimeoutMs: 400 })
    const left = other.read([sql('select 1')], { signal: client.signal })
    client.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(Math.max(...took)).toBeLessThan(1_500)
    server.resume()
    expect(await rowsOf(database, 'select 1')).toEqual([['1']])
    expect(await rowsOf(other, 'select 1')).toEqual([['1']])
  })

  it('lets a caller leave a server that does not respond within a second', async () => {
    const database = open(server.url())
    await rowsOf(database, 'select 1')
    server.pause()
    const client = new AbortController()
    const left = database.read([sql('select 1')], { signal: client.signal })
    setTimeout(() => client.abort(new Error('left')), 150)
    const began = performance.now()
    await expect(left).rejects.toThrow('left')
    expect(performance.now() - began).toBeLessThan(1_150)
    server.resume()
  })

  it('is unavailable where something else listens, or nothing answers', async () => {
    const sockets: { destroy(): void }[] = []
    const silent = createServer((socket) => sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const database = open(`postgres://user@127.0.0.1:${port}/database`, { connectTimeoutMs: 200 })
    const began = performance.now()
    await expect(rowsOf(database, 'select 1')).rejects.toThrow('did not respond for 200 ms')
    expect(performance.now() - began).toBeLessThan(1_000)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
    await expect(rowsOf(database, 'select 1')).rejects.toThrow(StoreUnavailable)
  })

  it('is unavailable while the server has no connection left', async () => {
    const database = open(server.url())
    const [[limit]] = (await rowsOf(database, 'show max_connections')) as [[string]]
    const greedy = open(server.url(), { maxConnections: Number(limit) + 50 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: Number(limit) + 20 }, () => rowsOf(greedy, 'select pg_sleep(3)')),
    )
    const failures = outcomes.filter(({ status }) => status === 'rejected')
    expect(failures.length).toBeGreaterThan(0)
    for (const failure of failures)
      expect(failure).toMatchObject({ reason: expect.any(StoreUnavailable) })
    expect(await rowsOf(greedy, 'select 1')).toEqual([['1']])
  }, 60_000)
})

describePgBouncer('PostgresDatabase through PgBouncer in transaction mode', () => {
  let bouncer: PgBouncer
  let database: Awaited<ReturnType<typeof newDatabase>>
  beforeAll(async () => {
    database = await newDatabase()
    bouncer = await startPgBouncer(await sharedServer(), 3)
  }, 120_000)
  afterAll(async () => {
    await bouncer.stop()
    await database.drop()
  })
  const openBouncer = (options?: DatabaseOptions) =>
    open(bouncer.url(database.name), { preparedStatements: false, ...options })

  it('reads, writes, streams and sets settings on connections that many share', async () => {
    const user = new WeakMap<object, string>()
    const pools = Array.from({ length: 3 }, () =>
      openBouncer({ session: (call) => ({ settings: { 'app.user': user.get(call!) ?? '' } }) }),
    )
    await pools[0]!.write([sql('create table entries (author text, number int)')])
    await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const pool = pools[number % 3]!
        const call: StoreCall = { signal: new AbortController().signal }
        user.set(call, `user ${number}`)
        await pool.transaction(async (work) => {
          await work.run([sql('select $1::int', number)])
          await work.run([
            sql(`insert into entries values (current_setting('app.user'), $1)`, number),
          ])
        }, call)
        const [read] = await pool.read(
          [
            sql(
              `select current_setting('app.user'), number, timestamptz '2026-01-01 00:00+00'
                from entries where number = $1`,
              number,
            ),
          ],
          call,
        )
        expect(read!.rows).toEqual([[`user ${number}`, `${number}`, '2026-01-01 00:00:00+00']])
      }),
    )
    const entries = "select count(*) from entries where author like 'user %'"
    expect(await rowsOf(pools[0]!, entries)).toEqual([['60']])
  })

  it('aborts statements of callers who leave', async () => {
    const pool = openBouncer()
    const client = new AbortController()
    const outcome = pool.read([sql('select pg_sleep(60)')], { signal: client.signal })
    setTimeout(() => client.abort(new Error('left')), 200)
    const began = performance.now()
    await expect(outcome).rejects.toThrow('left')
    expect(performance.now() - began).toBeLessThan(1_200)
    const server = await sharedServer()
    const running =
      "select 1 from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid() and datname = current_database()"
    expect(await server.run(running, [], database.name)).toEqual([])
    expect(await rowsOf(pool, 'select 1')).toEqual([['1']])
  })
})
