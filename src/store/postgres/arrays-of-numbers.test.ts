import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals } from '../../query/conditions.ts'
import type { Store } from '../store.ts'
import { postgres } from './postgres-store.ts'

const Series = model(
  'measurement',
  {
    note: z.string().optional(),
    prices: z.array(z.string()).optional(),
    counts: z.array(z.string()).optional(),
    large: z.array(z.int().nullable()).optional(),
    weights: z.array(z.number()).optional(),
  },
  { table: 'measurements' },
)

describePostgres('Arrays of numbers', () => {
  let database: TestDatabase
  let store: Store
  let api: Client
  const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)

  beforeAll(async () => {
    database = await newDatabase()
    await run(
      'create table measurements (id text primary key, note text, prices numeric(10, 2)[], counts bigint[], large bigint[], weights numeric[])',
    )
    store = postgres(database.url, { maxConnections: 2 })
    const router = createRouter({ policy: rest(), store })
    router.prepare(Series)
    api = client(router)
  }, 120_000)
  afterAll(async () => {
    await store?.close()
    await database?.drop()
  })

  it('are texts with all of their digits where the field has texts', async () => {
    const measurement = { id: 'm', prices: ['1.10', '2.00'], counts: ['9007199254740993'] }
    const created = await api.post('/measurements', { measurement })
    expect(created.status, created.text).toBe(201)
    expect(created.at('/measurement')).toMatchObject(measurement)
    const changed = await api.patch('/measurements/m', { measurement: { note: 'x' } })
    expect(changed.status, changed.text).toBe(200)
    expect(changed.at('/measurement')).toMatchObject({ ...measurement, note: 'x' })
    for (const filter of ['prices]=1.10', 'counts]=9007199254740993'])
      expect((await api.get(`/measurements?filter[${filter}`)).ids('measurements')).toEqual(['m'])
  })

  it('are numbers where the field has numbers', async () => {
    const measurement = { id: 'n', large: [1, null, 9007199254740991], weights: [0.1, 2] }
    const created = await api.post('/measurements', { measurement })
    expect(created.at('/measurement')).toMatchObject(measurement)
  })

  it('keep the digits that JavaScript cannot hold, as texts', async () => {
    await run("insert into measurements (id, large) values ('o', '{9007199254740993, -5, null}')")
    const [described] = describeModels([Series])
    const item = await store.find(described!, idEquals('o'))
    expect(JSON.parse(item!.text)).toEqual({ id: 'o', large: ['9007199254740993', -5, null] })
  })
})
