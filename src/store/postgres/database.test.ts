import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreClosed, StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store-failures.ts'
import { type DatabaseOptions, maxAttempts, PostgresDatabase } from './database.ts'
import { PostgresError } from './postgres-error.ts'

const sql = (text: string, ...parameters: readonly unknown[]): Statement => ({
  sql: text,
  parameters,
})

describePostgres('PostgresDatabase', () => {
  let test: TestDatabase
  let database: PostgresDatabase
  const opened: PostgresDatabase[] = []

  const open = (options?: DatabaseOptions): PostgresDatabase => {
    opened.push(new PostgresDatabase(test.url, options))
    return opened.at(-1)!
  }
  const rowsOf = async (from: PostgresDatabase, ...statement: Parameters<typeof sql>) =>
    (await from.read([sql(...statement)]))[0]!.rows
  const processOf = async (from: PostgresDatabase) =>
    (await rowsOf(from, 'select pg_backend_pid()'))[0]![0]

  beforeAll(async () => {
    test = await newDatabase()
    database = open()
    await database.write([
      sql('create table counters (id text primary key, value int not null check (value >= 0))'),
      sql("insert into counters values ('a', 0), ('b', 0)"),
    ])
  }, 120_000)
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()))
    await test.drop()
  })

  it('prepares statements that several calls of a transaction send at once, also where one fails', async () => {
    const warnings: string[] = []
    const warn = (warning: Error): void => void warnings.push(warning.message)
    process.on('warning', warn)
    const own = open({ maxConnections: 1 })
    for (const value of [42, 43]) {
      const outcomes = await own
        .transaction(async (transaction) => {
          const results = await Promise.allSettled([
            transaction.run([sql('select 1 / $1::int', 0), sql('select $1::int + 1', value)]),
            transaction.run([sql('select $1::int + 1', value)]),
            transaction.run([sql('select $1::int + 2', value)]),
          ])
          return Promise.reject(results.map(({ status }) => status))
        })
        .catch((reason: unknown) => reason)
      expect(outcomes).toEqual(['rejected', 'rejected', 'rejected'])
      expect(await rowsOf(own, 'select $1::int + 1', value)).toEqual([[String(value + 1)]])
    }
    process.off('warning', warn)
    expect(warnings.filter((text) => text.includes('not prepared'))).toEqual([])
  })

  it('does not take a transaction for committed whose last statements failed', async () => {
    const own = open()
    const ignoring = own.transaction(async (transaction) => {
      await transaction.runLast([sql("insert into counters values ('last', -1)")]).catch(() => {})
    })
    await expect(ignoring).rejects.toThrow('was rolled back')
    expect(await rowsOf(own, "select 1 from counters where id = 'last'")).toEqual([])
  })

  it('refuses a parameter that has no form in SQL, and goes on with the connection', async () => {
    const own = open({ maxConnections: 1 })
    const process = await processOf(own)
    const calls = [own.read([sql('select $1', Symbol('x'))]), rowsOf(own, 'select 1')]
    const [refused, other] = await Promise.allSettled(calls)
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) })
    expect(other).toMatchObject({ status: 'fulfilled' })
    expect(await processOf(own)).toBe(process)
  })

  it('reads every value as text, as it is stored, whatever the server is configured to write', async () => {
    const strange = open()
    await database.write([sql(`alter database ${test.name} set datestyle = 'SQL, DMY'`)])
    await database.write([sql(`alter database ${test.name} set timezone = 'Asia/Tokyo'`)])
    await database.write([sql(`alter database ${test.name} set bytea_output = 'escape'`)])
    expect(
      await rowsOf(
        strange,
        `select 9007199254740993::bigint, 0.1::float8, 1e-7::numeric(20, 10), true, null, 'é',
        date '2026-02-01', timestamptz '2026-02-01 12:00:00.123456+02', '\\x00ff'::bytea,
        interval '1 day 2 hours', '{"a": 1}'::jsonb, array['x', null]`,
      ),
    ).toEqual([
      [
        '9007199254740993',
        '0.1',
        '0.0000001000',
        't',
        null,
        'é',
        '2026-02-01',
        '2026-02-01 10:00:00.123456+00',
        '\\x00ff',
        'P1DT2H',
        '{"a": 1}',
        '{x,NULL}',
      ],
    ])
    await database.write([sql(`alter database ${test.name} reset all`)])
  })

  it('sends scalars, bytes and arrays as parameters', async () => {
    expect(
      await rowsOf(
        database,
        'select $1::bigint, $2::float8, $3::bool, $4::text, $5::bytea, $6::text[], $7::int = any ($8::int[])',
        9_007_199_254_740_993n,
        1.5,
        false,
        undefined,
        Uint8Array.of(0, 255),
        ['plain', 'quo"te', 'back\\slash', '', 'null', null],
        2,
        [1, 2],
      ),
    ).toEqual([
      [
        '9007199254740993',
        '1.5',
        'f',
        null,
        '\\x00ff',
        '{plain,"quo\\"te","back\\\\slash","","null",NULL}',
        't',
      ],
    ])
    await expect(rowsOf(database, 'select $1', { a: 1 })).rejects.toThrow(TypeError)
  })

  it('runs several statements in one transaction, and reports what each has done', async () => {
    const results = await database.write([
      sql("insert into counters values ('c', 1), ('d', 2)"),
      sql("update counters set value = 5 where id in ('c', 'd') returning id"),
      sql("delete from counters where id = 'nobody'"),
    ])
    expect(results.map(({ command, count }) => [command, count])).toEqual([
      ['INSERT', 2],
      ['UPDATE', 2],
      ['DELETE', 0],
    ])
    expect(results[1]!.rows).toEqual([['c'], ['d']])
    const failing = database.write([
      sql("delete from counters where id in ('c', 'd')"),
      sql("insert into counters values ('a', 0)"),
    ])
    await expect(failing).rejects.toThrow(PostgresError)
    expect(await rowsOf(database, "select id from counters where id in ('c', 'd')")).toHaveLength(2)
    await database.write([sql("delete from counters where id in ('c', 'd')")])
  })

  it('reports the state, table, column and constraint of what the server refuses', async () => {
    const refused = (statement: string) => database.write([sql(statement)]).catch((error) => error)
    expect(await refused("insert into counters values ('a', 0)")).toMatchObject({
      name: 'PostgresError',
      sqlState: '23505',
      schema: 'public',
      table: 'counters',
      constraint: 'counters_pkey',
    })
    expect(await refused("insert into counters values ('x', -1)")).toMatchObject({
      sqlState: '23514',
      constraint: 'counters_value_check',
    })
    expect(await refused("insert into counters values ('x', null)")).toMatchObject({
      sqlState: '23502',
      column: 'value',
    })
    expect(await refused('select 1 / 0')).toMatchObject({ sqlState: '22012' })
    expect(await refused('select nonsense')).toBeInstanceOf(StoreUnavailable)
  })

  it('commits when the function returns, and rolls back when it throws', async () => {
    const set = (value: number) => sql("update counters set value = $1 where id = 'a'", value)
    const result = await database.transaction(async (transaction) => {
      await transaction.run([set(7)])
      const [read] = await transaction.run([sql("select value from counters where id = 'a'")])
      return read!.rows
    })
    expect(result).toEqual([['7']])
    const thrown = database.transaction(async (transaction) => {
      await transaction.run([set(8)])
      throw new Error('changed my mind')
    })
    await expect(thrown).rejects.toThrow('changed my mind')
    expect(await rowsOf(database, "select value from counters where id = 'a'")).toEqual([['7']])
    expect(await database.transaction(async () => 'nothing')).toBe('nothing')
  })

  it('goes on after a failed attempt, and never commits after an ignored error', async () => {
    const insert = (id: string) => sql('insert into counters values ($1, 1)', id)
    await database.transaction(async (transaction) => {
      await transaction.run([insert('kept')])
      await expect(transaction.attempt([insert('undone'), insert('a')])).rejects.toThrow(
        PostgresError,
      )
      await transaction.attempt([insert('kept too')])
    })
    expect(
      await rowsOf(database, 'select id from counters where value = 1 order by id collate "C"'),
    ).toEqual([['kept'], ['kept too']])
    await database.write([sql('delete from counters where value = 1')])
    const ignored = database.transaction(async (transaction) => {
      await transaction.run([insert('lost')])
      await transaction.run([insert('a')]).catch(() => {})
    })
    await expect(ignored).rejects.toThrow('rolled back')
  })

  it('runs transactions again that may be in a deadlock that the server did not look for', async () => {
    const url = `${test.url}&options=${encodeURIComponent('-c deadlock_timeout=20s')}`
    const impatient = new PostgresDatabase(url, { lockTimeoutMs: 700 })
    const incrementA = sql("update counters set value = value + 1 where id = 'a'")
    await impatient.write([sql('update counters set value = 0')])
    const increment = (id: string) => sql('update counters set value = value + 1 where id = $1', id)
    const secondLocked = promiseWithResolvers()
    const firstGaveUp = promiseWithResolvers()
    const secondCommitted = promiseWithResolvers()
    let firstAttempts = 0
    const first = impatient.transaction(async (transaction) => {
      if (++firstAttempts > 1) {
        firstGaveUp.resolve()
        await secondCommitted.promise
      }
      await transaction.run([increment('a')])
      await secondLocked.promise
      await transaction.run([increment('b')])
    })
    const second = impatient.transaction(async (transaction) => {
      await transaction.run([increment('b')])
      secondLocked.resolve()
      await firstGaveUp.promise
      await transaction.run([increment('a')])
    })
    await second
    secondCommitted.resolve()
    await first
    expect(firstAttempts).toBe(2)
    expect(await rowsOf(impatient, "select value from counters where id in ('a', 'b')")).toEqual([
      ['2'],
      ['2'],
    ])
    // Who has no lock is in no deadlock.
    let attempts = 0
    await database.transaction(async (transaction) => {
      await transaction.run([incrementA])
      const waiting = impatient.transaction(async (other) => {
        attempts++
        await other.run([incrementA])
      })
      await expect(waiting).rejects.toThrow('lock timeout')
    })
    expect(attempts).toBe(1)
    await impatient.close()
  })

  it('runs transactions again that deadlock or cannot be serialized', async () => {
    for (const isolation of ['read committed', 'serializable'] as const) {
      await database.write([sql('update counters set value = 0')])
      let attempts = 0
      let beganCount = 0
      const bothBegan = promiseWithResolvers()
      const increment = (ids: readonly string[]) =>
        database.transaction(async (transaction) => {
          attempts++
          await transaction.run([sql(`set transaction isolation level ${isolation}`)])
          for (const id of ids) {
            const [read] = await transaction.run([
              sql('select value from counters where id = $1', id),
            ])
            const value =
              isolation === 'serializable' ? `${Number(read!.rows[0]![0]) + 1}` : 'value + 1'
            await transaction.run([sql(`update counters set value = ${value} where id = $1`, id)])
            // Each of them has changed what the other one changes next.
            if (++beganCount === 2) bothBegan.resolve()
            await bothBegan.promise
          }
        })
      await Promise.all([increment(['a', 'b']), increment(['b', 'a'])])
      expect(
        await rowsOf(database, 'select value from counters where id = any ($1::text[])', [
          'a',
          'b',
        ]),
      ).toEqual([['2'], ['2']])
      expect(attempts).toBeGreaterThan(2)
    }
  })

  it('gives up when others get in the way too often', async () => {
    let attempts = 0
    const outcome = database.transaction(async (transaction) => {
      attempts++
      await transaction.run([
        sql("do $$ begin raise exception 'again' using errcode = '40001'; end $$"),
      ])
    })
    await expect(outcome).rejects.toThrow(StoreUnavailable)
    expect(attempts).toBe(maxAttempts)
  })

  it('sets role and settings for one call, and for nobody after it', async () => {
    const role = `reader_${test.name}`
    await database.write([sql(`create role ${role}`)])
    const callers = new WeakMap<object, string>()
    const session = open({
      maxConnections: 1,
      session: (call) => {
        const user = call && callers.get(call)
        return user === undefined ? undefined : { role, settings: { 'app.user': user } }
      },
    })
    const call = (user: string): StoreCall => {
      const made = { signal: new AbortController().signal }
      callers.set(made, user)
      return made
    }
    const question = sql("select current_user, current_setting('app.user', true)")
    const answer = [[role, "it's"]]
    expect((await session.read([question], call("it's")))[0]!.rows).toEqual(answer)
    expect((await session.write([question], call("it's")))[0]!.rows).toEqual(answer)
    const inTransaction = await session.transaction(async (transaction) => {
      await transaction.run([sql('select 1')])
      return transaction.run([question])
    }, call("it's"))
    expect(inTransaction[0]!.rows).toEqual(answer)
    expect((await session.read([question]))[0]!.rows).toEqual([['postgres', '']])
    await expect(session.read([sql('select * from counters')], call('x'))).rejects.toMatchObject({
      sqlState: '42501',
    })
    await database.write([sql(`drop role ${role}`)])
  })

  it('prepares statements once on a connection, and closes those that are too many', async () => {
    const one = open({ maxConnections: 1 })
    const prepared = () => rowsOf(one, 'select count(*) from pg_prepared_statements')
    const names = () =>
      rowsOf(one, 'select name from pg_prepared_statements where statement = $1', 'select 42')
    await rowsOf(one, 'select 42')
    const [name] = await names()
    for (let count = 0; count < 5; count++) await rowsOf(one, 'select 42')
    expect(await names()).toEqual([name])
    // A statement that fails when it is executed is prepared, and one that cannot be parsed is not.
    for (let count = 0; count < 5; count++) {
      await rowsOf(one, 'select 1 / $1::int', 0).catch(() => {})
      await rowsOf(one, 'select nonsense').catch(() => {})
      await one.read([sql('select nothing'), sql('select 43')]).catch(() => {})
    }
    expect(Number((await prepared())[0]![0])).toBe(4)
    for (let count = 0; count < 600; count++) await rowsOf(one, `select ${count}`)
    expect(Number((await prepared())[0]![0])).toBeLessThanOrEqual(256)
    expect(await rowsOf(one, 'select 42')).toEqual([['42']])
    const none = open({ maxConnections: 1, preparedStatements: false })
    await rowsOf(none, 'select 42')
    expect(await rowsOf(none, 'select count(*) from pg_prepared_statements')).toEqual([['0']])
  })

  it('reads again when another program has changed a table that a prepared statement reads', async () => {
    const one = open({ maxConnections: 1 })
    const table = sql('select * from changing')
    await database.write([sql('create table changing (a int)')])
    expect((await one.read([table]))[0]!.rows).toEqual([])
    await database.write([sql('alter table changing add b int default 2')])
    await database.write([sql('insert into changing values (1)')])
    expect((await one.read([table]))[0]!.rows).toEqual([['1', '2']])
  })

  it('aborts a statement of a caller who leaves, within a second, and uses its connection again', async () => {
    const one = open({ maxConnections: 1 })
    const process = await processOf(one)
    for (const run of [
      (call: StoreCall) => one.read([sql('select pg_sleep(60)')], call),
      (call: StoreCall) => one.transaction((work) => work.run([sql('select pg_sleep(60)')]), call),
    ]) {
      const client = new AbortController()
      const outcome = run({ signal: client.signal })
      setTimeout(() => client.abort(new Error('left')), 200)
      const began = performance.now()
      await expect(outcome).rejects.toThrow('left')
      expect(performance.now() - began).toBeLessThan(1_200)
      expect(await processOf(one)).toBe(process)
    }
  })

  it('aborts a statement that takes too long', async () => {
    const one = open({ maxConnections: 1, statementTimeoutMs: 150 })
    const process = await processOf(one)
    await expect(rowsOf(one, 'select pg_sleep(60)')).rejects.toThrow(StoreTimeout)
    await expect(
      one.transaction(async (work) => {
        await work.run([sql("insert into counters values ('late', 1)")])
        await work.run([sql('select pg_sleep(60)')])
      }),
    ).rejects.toThrow('longer than 150 ms')
    expect(await rowsOf(one, "select 1 from counters where id = 'late'")).toEqual([])
    expect(await processOf(one)).toBe(process)
  })

  it('never aborts the next statement on a connection', async () => {
    const one = open({ maxConnections: 1 })
    for (let count = 0; count < 40; count++) {
      const client = new AbortController()
      const outcome = one.read([sql('select pg_sleep(0.12)')], { signal: client.signal })
      setTimeout(() => client.abort(new Error('left')), 110 + count / 2)
      await outcome.catch((error: Error) => expect(error.message).toBe('left'))
      expect(await rowsOf(one, 'select pg_sleep(0.005)')).toEqual([['']])
    }
  })

  it('refuses calls when too many wait, and those that wait for too long or leave', async () => {
    const small = open({ maxConnections: 2, maxWaiting: 2, acquireTimeoutMs: 200 })
    const sleeps = [1, 2].map(() => rowsOf(small, 'select pg_sleep(0.6)'))
    const client = new AbortController()
    const late = expect(rowsOf(small, 'select 1')).rejects.toThrow(StoreOverloaded)
    const left = expect(small.read([sql('select 1')], { signal: client.signal })).rejects.toThrow(
      'left',
    )
    await expect(rowsOf(small, 'select 1')).rejects.toThrow(StoreOverloaded)
    client.abort(new Error('left'))
    await Promise.all([late, left, ...sleeps])
    expect(await rowsOf(small, 'select 1')).toEqual([['1']])
  })

  it('opens connections up to the limit, and closes those that are idle', async () => {
    const small = open({ maxConnections: 3, idleTimeoutMs: 200 })
    const processes = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const [row] = await rowsOf(small, 'select pg_backend_pid(), pg_sleep(0.05)')
        return row![0]
      }),
    )
    expect(new Set(processes).size).toBe(3)
    const alive = () =>
      rowsOf(database, 'select 1 from pg_stat_activity where pid = any ($1::int[])', processes)
    expect(await alive()).toHaveLength(3)
    await expect.poll(alive, { timeout: 5_000 }).toEqual([])
    expect(await rowsOf(small, 'select 1')).toEqual([['1']])
  })

  it('finishes what is under way before it closes, and refuses what comes after', async () => {
    const closing = open()
    await rowsOf(closing, 'select 1')
    const last = rowsOf(closing, 'select 7, pg_sleep(0.2)')
    await Promise.all([closing.close(), closing.close()])
    expect(await last).toEqual([['7', '']])
    await expect(rowsOf(closing, 'select 1')).rejects.toThrow(StoreClosed)
  })

  it('says what is wrong with its address, which does not pass by itself', async () => {
    const nowhere = new PostgresDatabase(test.url.replace(test.name, 'nowhere'))
    const outcome = await rowsOf(nowhere, 'select 1').catch((error) => error)
    expect(outcome.message).toBe('Cannot connect to PostgreSQL: database "nowhere" does not exist.')
    expect(outcome).not.toBeInstanceOf(StoreUnavailable)
    await nowhere.close()
  })

  it('says that its role may not use the language that configures connections', async () => {
    await database.write([sql('revoke usage on language plpgsql from public')])
    const role = `limited_${test.name}`
    await database.write([sql(`create role ${role} login`)])
    const limited = new PostgresDatabase(test.url.replace('postgres@', `${role}@`))
    const outcome = await rowsOf(limited, 'select 1').catch((error) => error)
    expect(outcome.message).toBe(
      'Cannot configure a connection to PostgreSQL: permission denied for language plpgsql.',
    )
    await limited.close()
    await database.write([sql('grant usage on language plpgsql to public')])
    await database.write([sql(`drop role ${role}`)])
  })
})
