import { createRouter, model, type Router, type Store, toOne } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { postgres } from './postgres-store.ts'

const Unit = model('unit', { name: z.string() })
const fields = {
  unit: toOne('unit'),
  from: z.int().nullish(),
  to: z.int().nullish(),
  isOpen: z.boolean().default(true),
}
const Free = model('booking', fields)
const Booking = model('booking', fields, {
  unique: [{ fields: ['unit'], range: ['from', 'to'], where: { isOpen: true } }],
})
const Other = model('booking', fields, {
  unique: [{ fields: ['unit'], range: ['from', 'to'] }],
})

describePostgres('Ranges in tables', () => {
  let database: TestDatabase
  let routers: Router[]
  const sql = async (text: string) =>
    (await sharedServer()).run(text, [], database.name) as Promise<Record<string, unknown>[]>
  const service = (store: Store, Prepared: typeof Booking) => {
    const router = createRouter({ policy: rest(), store, onError: () => undefined })
    router.prepare(Unit)
    router.prepare(Prepared)
    routers.push(router)
    return router
  }
  const open = async (Prepared: typeof Booking, options: { readonly manage?: boolean } = {}) => {
    const router = service(postgres(database.url, { maxConnections: 8, ...options }), Prepared)
    await router.open()
    return router
  }
  const plan = async (Prepared: typeof Booking) => {
    const store = postgres(database.url)
    const steps = await store.admin!.plan!(describeModels([Unit, Prepared]))
    await store.close()
    return steps.map(({ kind, summary }) => `${kind}: ${summary}`)
  }

  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(async () => {
    await database?.drop()
  })
  beforeEach(async () => {
    routers = []
    await sql('drop schema public cascade')
    await sql('create schema public')
  })
  afterEach(async () => {
    for (const router of routers) await router.close()
  })

  const insert = (id: string, from: number | null, to: number | null) =>
    sql(
      `insert into bookings (id, unit_id, "from", "to", is_open) values ('${id}', 'drill', ${from}, ${to}, true)`,
    )
  const unit = () => sql("insert into units (id, name) values ('drill', 'Drill')")

  it('are constraints, which hold for other programs too', async () => {
    await open(Booking)
    await unit()
    await insert('a', 1, 5)
    await expect(insert('b', 4, 6)).rejects.toThrow('exclusion constraint')
    await insert('c', 5, 6)
    // What the service would not write does not overlap.
    await insert('d', 6, 1)
    await insert('e', null, null)
    await expect(insert('f', null, 2)).rejects.toThrow('exclusion constraint')
  })

  it('are added to tables that exist, unless items overlap', async () => {
    await open(Free)
    await unit()
    for (const [id, from, to] of [
      ['a', 1, 5],
      ['b', 4, 6],
      ['c', 7, 9],
    ] as const)
      await insert(id, from, to)
    const fault =
      "The field 'unit' of the model 'booking' is unique from 'from' to 'to', but 2 items have a range that overlaps another one: a, b."
    expect(await plan(Booking)).toContain(`refused: ${fault}`)
    await expect(open(Booking)).rejects.toThrow(fault)
    await sql("update bookings set is_open = false where id = 'b'")
    expect(await plan(Booking)).toContain(
      "online: Refuse items of 'bookings' that overlap: the same 'unit_id' from 'from' to 'to'. Other statements wait until the index is there.",
    )
    await open(Booking)
    await expect(insert('d', 8, 9)).rejects.toThrow('exclusion constraint')
    expect(await plan(Booking)).toEqual([])
    expect(await plan(Free)).toContainEqual(
      expect.stringMatching(
        /^never: Drop the constraint 'bookings_unit_id_from_to_where_[0-9a-f]{8}_excl' of 'bookings', which is not a range of the model 'booking'\. Until then values that overlap are 422\.$/,
      ),
    )
  })

  it('refuse what the memory store refuses', async () => {
    const apis = [client(await open(Other)), client(service(memory(), Other))]
    for (const api of apis) await api.post('/units', { unit: { id: 'drill', name: 'Drill' } })
    const bounds = (seed: number) => {
      const [from, length] = [(seed * 7919) % 40, ((seed * 104_729) % 6) + 1]
      return {
        from: seed % 11 === 0 ? null : from,
        to: seed % 13 === 0 ? null : from + length,
        unit: 'drill',
      }
    }
    const statuses = await Promise.all(
      apis.map(async (api) => {
        const result: number[] = []
        for (let seed = 1; seed < 60; seed++)
          result.push(
            (await api.post('/bookings', { booking: { id: `b${seed}`, ...bounds(seed) } })).status,
          )
        for (let seed = 1; seed < 60; seed++)
          result.push((await api.patch(`/bookings/b${seed}`, { booking: bounds(seed + 5) })).status)
        return result
      }),
    )
    expect(new Set(statuses[0])).toEqual(new Set([200, 201, 404, 409]))
    expect(statuses[0]).toEqual(statuses[1])
  })

  it('hold in tables of other programs without a constraint, for services at the same time', async () => {
    await sql('create table units (id text primary key, name text not null)')
    await sql(
      'create table bookings (id text primary key, unit_id text not null references units, "from" bigint, "to" bigint, is_open boolean not null)',
    )
    await unit()
    const services = [
      await open(Booking, { manage: false }),
      await open(Booking, { manage: false }),
    ].map((router) => client(router))
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        services[index % 2]!.post('/bookings', {
          booking: { unit: 'drill', from: index % 3, to: 10 },
        }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(15).fill(409)])
    expect(await sql('select count(*)::int as n from bookings')).toEqual([{ n: 1 }])
  })
})
