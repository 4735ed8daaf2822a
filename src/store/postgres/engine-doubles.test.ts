import {
  type AnyModel,
  createRouter,
  field,
  type ItemsOf,
  model,
  type RouterOptions,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { EngineDouble } from '../../../test/support/postgres/engine-double.ts'
import {
  type EngineProfile,
  engineProfiles,
} from '../../../test/support/postgres/engine-profiles.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { storeWithTables } from '../../../test/support/postgres/store-with-tables.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { PostgresDatabase } from './database.ts'
import { postgresEngine } from './engine.ts'
import { type PostgresOptions, postgres } from './postgres-store.ts'
import { probeFeatures } from './probe-features.ts'
import { warnOfMissingFeatures } from './server-features.ts'

const Unit = model('unit', { name: z.string() })
const Booking = model('booking', { day: field(z.int(), { index: true }), unit: toOne('unit') })
const Note = model('note', { text: z.string(), code: field(z.string(), { unique: true }) })

const plain: EngineProfile = {
  ...engineProfiles.cockroachdb,
  refused: [],
  replaced: [],
  conflictShare: 0,
}

describePostgres('A server that speaks the protocol of PostgreSQL, and is another', () => {
  const disposals: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const dispose of disposals.splice(0).reverse()) await dispose()
  })

  const doubleOf = async (profile: EngineProfile) => {
    const server = await sharedServer()
    const database = await newDatabase({ options: profile.databaseOptions ?? '' })
    disposals.push(() => database.drop())
    const double = await EngineDouble.before(server, profile)
    disposals.push(() => double.close())
    return { double, database, url: double.url(database.name) }
  }

  const routerOf = (
    url: string,
    models: readonly AnyModel[],
    options = {},
    routerOptions: Partial<RouterOptions> = {},
  ) => {
    const store = postgres(url, { preparedStatements: false, ...options } as PostgresOptions)
    const router = createRouter({ policy: rest(), store, ...routerOptions })
    for (const each of models) router.prepare(each)
    disposals.push(() => router.close())
    return router
  }

  const featuresOf = async (url: string) => {
    const database = new PostgresDatabase(url, { preparedStatements: false })
    disposals.push(() => database.close())
    let count = 0
    const features = await probeFeatures((texts) => {
      count++
      return database.longTransaction(async (transaction) => {
        const results = await transaction.run(texts.map((sql) => ({ sql, parameters: [] })))
        await transaction.rollback()
        return results
      })
    }, true)
    return { ...features, lacks: [...features.lacks].sort(), count }
  }

  it('is asked what it can do, and PostgreSQL in two transactions', async () => {
    const database = await newDatabase()
    disposals.push(() => database.drop())
    const features = await featuresOf(database.url)
    expect(features).toEqual({
      name: expect.stringMatching(/^PostgreSQL \d+\.\d+$/),
      lacks: [],
      count: 2,
    })
  })

  it.each([
    [
      'cockroachdb',
      'CockroachDB',
      ['advisoryLocks', 'deferredKeys', 'exclusions', 'notifications', 'transactionIds'],
    ],
    [
      'yugabytedb',
      'PostgreSQL 15.2-YB-2024.2.3.0-b1',
      ['advisoryLocks', 'exclusions', 'notifications', 'transactionIds'],
    ],
    ['citus', 'PostgreSQL 16.4', ['locksOfSeveralRows']],
    [
      'aurora-dsql',
      'PostgreSQL 16',
      [
        'advisoryLocks',
        'collations',
        'deferredKeys',
        'exclusions',
        'locksOfSeveralRows',
        'notifications',
        'savepoints',
        'schemaTransactions',
        'sharedRowLocks',
        'transactionIds',
        'weakRowLocks',
      ],
    ],
  ] as const)('is found to lack what the double of %s refuses', async (engine, name, lacks) => {
    const { url } = await doubleOf({ ...engineProfiles[engine], conflictShare: 0 })
    expect(await featuresOf(url)).toMatchObject({ name, lacks })
  })

  it.each([
    ['cockroachdb', 'CockroachDB', 'advisory locks'],
    ['citus', 'PostgreSQL 16.4', 'locks of several rows by one statement'],
  ] as const)(
    'is named for the start line, with what the double of %s lacks',
    async (engine, name, lacked) => {
      const { url } = await doubleOf({ ...engineProfiles[engine], conflictShare: 0 })
      const store = postgres(url, { foreignKeys: false, preparedStatements: false })
      const router = createRouter({ policy: rest(), store })
      router.prepare(model('thing', {}))
      disposals.push(() => router.close())
      expect(await store.admin?.describe?.()).toBe(undefined)
      await router.open()
      const description = await store.admin?.describe?.()
      expect([description?.engine, description?.lacks?.includes(lacked)]).toEqual([name, true])
    },
  )

  it('leaves no table behind that a probe creates', async () => {
    const { url, database } = await doubleOf(engineProfiles.cockroachdb)
    await featuresOf(url)
    const server = await sharedServer()
    const tables = await server.run(
      "select relname from pg_class where relname like 'resourcery%'",
      [],
      database.name,
    )
    expect(tables).toEqual([])
  })

  it('is refused if it cannot compare texts as lists need it', async () => {
    const { url } = await doubleOf({
      ...engineProfiles['aurora-dsql'],
      databaseOptions: '',
    })
    await expect(routerOf(url, [Unit]).open()).rejects.toThrow(
      /^The database is PostgreSQL 16, which has no collation "C", and does not compare text by code point, as lists need it\./,
    )
  })

  it.each([
    ['cockroachdb', [Unit, Booking], {}, "Set 'foreignKeys: false'"],
    [
      'cockroachdb',
      [model('note', { text: z.string() }, { changes: true })],
      {},
      'which does not have ids of transactions and snapshots',
    ],
    ['aurora-dsql', [Unit], {}, "Create the tables yourself, and set 'manage: false'."],
    [
      'aurora-dsql',
      [Unit],
      { manage: false },
      "The table 'resourcery_locks', which transactions lock, does not exist.",
    ],
  ] as const)('is refused as %s, with a sentence (%#)', async (engine, models, options, text) => {
    const { url } = await doubleOf({ ...engineProfiles[engine], conflictShare: 0 })
    await expect(routerOf(url, models, options).open()).rejects.toThrow(text)
  })

  it.each(['cockroachdb', 'yugabytedb', 'citus', 'aurora-dsql'] as const)(
    'locks what code decides by, as %s',
    async (engine) => {
      const profile = engineProfiles[engine]
      const { url, database } = await doubleOf({ ...profile, conflictShare: 0 })
      const routers = [0, 1].map(() => {
        const store = postgres(url, {
          ...profile.options,
          foreignKeys: false,
          preparedStatements: false,
          maxConnections: 6,
          versionSecret: 'a secret of sixteen',
        })
        const isMade = profile.options.manage === false
        const router = createRouter({
          policy: rest(),
          store: isMade ? storeWithTables(store, database.url) : store,
        })
        router.prepare(Unit)
        router.prepare(Booking)
        disposals.push(() => router.close())
        return router
      })
      // Both at once, so that both find no table of locks, where the store may create one.
      if (profile.options.manage === false) for (const router of routers) await router.open()
      else await Promise.all(routers.map((router) => router.open()))
      await routers[0]!.load(
        Unit,
        Array.from({ length: 5 }, (_, id) => ({ id: `u${id}`, name: '' })),
      )
      const book = (index: number) =>
        routers[index % 2]!.transaction(async (items: ItemsOf) => {
          const unit = `u${index % 5}`
          const bookings = items(Booking)
          if ((await bookings.count((query) => query.where('unit').equal(unit))) > 0) return false
          // With two values, each of which has a lock.
          await bookings.create({ day: index, unit })
          return true
        })
      const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => book(index)))
      expect(outcomes.filter(Boolean)).toHaveLength(5)
    },
  )

  it('writes a record again where the log takes no message, and answers the repetition', async () => {
    const text = /pg_logical_emit_message/
    const { url, database } = await doubleOf({
      ...plain,
      refused: [{ text, sqlState: '42883', message: 'unknown function' }],
    })
    const router = routerOf(url, [Note], {}, { idempotency: true })
    await router.open()
    const server = await sharedServer()
    const writerOfRecord = async () =>
      (
        await server.run('select xmin::text as xmin from resourcery_requests', [], database.name)
      )[0]!['xmin']
    const send = async () => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'key-1' }
      const body = JSON.stringify({ note: { text: 'once', code: '1' } })
      const request = new Request('http://localhost/notes', { method: 'POST', headers, body })
      const { status, headers: answered } = await router.handle(request)
      return { status, isReplayed: answered.get('idempotency-replayed') }
    }
    expect(await send()).toEqual({ status: 201, isReplayed: null })
    const first = await writerOfRecord()
    expect(await send()).toEqual({ status: 201, isReplayed: 'true' })
    expect(await writerOfRecord()).not.toBe(first)
  })

  it('does not run a transaction again for a caller that has left', async () => {
    const { url } = await doubleOf({
      ...plain,
      refused: [{ text: /savepoint/, sqlState: '0A000', message: 'no savepoints' }],
    })
    const writer = new PostgresDatabase(url, { preparedStatements: false })
    disposals.push(() => writer.close())
    await writer.adaptEngine(postgresEngine, false)
    const caller = new AbortController()
    let runs = 0
    const written = writer.transaction(
      (transaction) => {
        const sql = `select ${++runs} / 0`
        return transaction.attempt([{ sql, parameters: [] }]).catch((error) => {
          if (runs === 3) caller.abort(new Error('left'))
          throw error
        })
      },
      { signal: caller.signal },
    )
    await expect(written).rejects.toThrow('left')
    expect(runs).toBe(3)
  })

  it('can be without savepoints: what it refuses is refused, and the rest is written', async () => {
    const { url } = await doubleOf({
      ...plain,
      refused: [{ text: /savepoint/, sqlState: '0A000', message: 'no savepoints' }],
    })
    const router = routerOf(url, [Note])
    await router.open()
    const notes = router.items(Note)
    await notes.create({ id: 'a', text: 'first', code: '1' })
    let runs = 0
    const codes = await router.transaction(async (items: ItemsOf) => {
      runs++
      const refusals: string[] = []
      for (const [id, code] of [
        ['b', '2'],
        ['a', '3'],
        ['c', '1'],
        ['d', '4'],
      ] as const)
        await items(Note)
          .create({ id, text: 'more', code })
          .catch((error: { code: string }) => refusals.push(error.code))
      return refusals
    })
    expect(codes).toHaveLength(2)
    expect(runs).toBeGreaterThan(2)
    const ids = (await notes.all()).map(({ id }) => id)
    expect(ids.sort()).toEqual(['a', 'b', 'd'])
  })

  it('may conflict at each commit: a transaction runs eight times at most', async () => {
    const { url, double } = await doubleOf(plain)
    const router = routerOf(url, [Note])
    await router.open()
    double.conflictShare = 1
    await expect(router.items(Note).create({ text: '', code: '1' })).rejects.toThrow(
      StoreUnavailable,
    )
    expect(double.conflictCount).toBe(8)
    double.conflictShare = 0
    expect(await router.items(Note).count()).toBe(0)
  })

  it('may let reads conflict, which then run again', async () => {
    const { url, database } = await doubleOf(plain)
    await (await sharedServer()).run(
      `create sequence calls; create function conflict_once() returns text language plpgsql as $$
         begin if nextval('calls') = 1 then raise exception using errcode = '40001'; end if; return 'read'; end $$`,
      [],
      database.name,
    )
    const reader = new PostgresDatabase(url, { preparedStatements: false })
    disposals.push(() => reader.close())
    const [result] = await reader.read([{ sql: 'select conflict_once()', parameters: [] }])
    expect(result!.rows).toEqual([['read']])
  })

  it('waits when it closes for a transaction that conflicts, and runs again', async () => {
    const { url, double } = await doubleOf(plain)
    const writer = new PostgresDatabase(url, { preparedStatements: false })
    await writer.write([{ sql: 'create table lines (value text)', parameters: [] }])
    double.conflictShare = 1
    let runs = 0
    const written = writer.transaction(async (transaction) => {
      runs++
      await transaction.run([{ sql: "insert into lines values ('a')", parameters: [] }])
      if (runs === 2) double.conflictShare = 0
    })
    const closed = writer.close()
    await written
    await closed
    expect(runs).toBe(2)
  })

  describe('that does not say whether it has committed', () => {
    let send: (key: string) => Promise<{ status: number; body: string }>
    let double: EngineDouble
    let count: () => Promise<number>
    beforeAll(() => vi.restoreAllMocks())

    const start = async () => {
      const started = await doubleOf(plain)
      const router = routerOf(started.url, [Note], {}, { idempotency: true })
      await router.open()
      double = started.double
      count = () => router.items(Note).count()
      send = async (key) => {
        const headers = { 'content-type': 'application/json', 'idempotency-key': key }
        const body = JSON.stringify({ note: { text: 'once', code: '1' } })
        const response = await router.handle(
          new Request('http://localhost/notes', { method: 'POST', headers, body }),
        )
        return { status: response.status, body: await response.text() }
      }
    }

    it.each([
      ['unknown', true],
      ['unknown', false],
      ['cut', true],
      ['cut', false],
    ] as const)('(%s, made: %s) gets 503, and the truth when asked again', async (kind, isMade) => {
      await start()
      double.commitFault = { kind, isMade, table: 'notes' }
      const first = await send('key-1')
      expect(first.status).toBe(503)
      expect(double.commitFault).toBe(undefined)
      expect((await send('key-1')).status).toBe(201)
      expect(await count()).toBe(1)
    })
  })
})

it('what a server lacks is said once, with what the store does about it', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const lacks = new Set(['advisoryLocks', 'notifications'] as const)
  for (let times = 0; times < 2; times++) warnOfMissingFeatures({ name: 'Imitation 1', lacks })
  warnOfMissingFeatures({ name: 'Complete 1', lacks: new Set() })
  expect(warn.mock.calls).toEqual([
    [
      'The database is Imitation 1, which does not have advisory locks: locks are rows of a table; notifications: the log of changes is read at least ten times a second.',
      { code: 'RESOURCERY_SERVER' },
    ],
  ])
  warn.mockRestore()
})
