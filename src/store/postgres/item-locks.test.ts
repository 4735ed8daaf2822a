import {
  createRouter,
  field,
  type Items,
  type ItemsOf,
  model,
  type Router,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import { postgres } from './postgres-store.ts'

const Shop = model('shop', { name: z.string() })
const Unit = model('unit', { name: z.string(), shop: toOne('shop') })
const Booking = model('booking', {
  day: field(z.int(), { index: true }),
  note: z.string().optional(),
  shop: toOne('shop'),
  unit: toOne('unit'),
})

type Bookings = Items<typeof Booking>

describePostgres('What transactions lock that decide by what they find', () => {
  let database: TestDatabase
  let routers: readonly Router[]
  const sql = async (text: string) =>
    (await sharedServer()).run(text, [], database.name) as Promise<Record<string, unknown>[]>
  const waiting = async () =>
    Number(
      (
        await sql(
          "select count(*) as n from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
        )
      )[0]!.n,
    )

  beforeAll(async () => {
    database = await newDatabase()
    routers = [0, 1].map(() => {
      const store = postgres(database.url, { maxConnections: 6 })
      const router = createRouter({ policy: rest(), store })
      for (const prepared of [Shop, Unit, Booking]) router.prepare(prepared)
      return router
    })
    for (const router of routers) await router.open()
    await routers[0]!.load(
      Shop,
      ['north', 'south'].map((id) => ({ id, name: id })),
    )
    await routers[0]!.load(
      Unit,
      ['drill', 'saw'].map((id) => ({ id, name: id, shop: 'north' })),
    )
  }, 120_000)
  afterAll(async () => {
    for (const router of routers ?? []) await router.close()
    await database?.drop()
  })
  beforeEach(async () => {
    await sql('truncate bookings')
    for (const unit of ['drill', 'saw'])
      await routers[0]!.items(Booking).create({ id: unit, day: 1, shop: 'north', unit })
  })

  const ofUnit = (unit: string) => (bookings: Bookings) =>
    bookings.count((query) => query.where('unit').equal(unit))
  const add =
    (unit: string, shop = 'north', day = 1) =>
    (bookings: Bookings) =>
      bookings.create({ day, shop, unit })

  /** Does the second transaction wait until the first one has ended? */
  const waits = async (
    first: readonly ((bookings: Bookings) => Promise<unknown>)[],
    second: readonly ((bookings: Bookings) => Promise<unknown>)[],
  ): Promise<boolean> => {
    const { promise: end, resolve: release } = promiseWithResolvers<void>()
    const { promise: ready, resolve: isReady } = promiseWithResolvers<void>()
    const run = (steps: typeof first) => async (items: ItemsOf) => {
      for (const step of steps) await step(items(Booking))
    }
    const firstDone = routers[0]!.transaction(async (items) => {
      await run(first)(items)
      isReady()
      await end
    })
    await ready
    let hasEnded = false
    const secondDone = routers[1]!.transaction(run(second)).then(() => {
      hasEnded = true
    })
    while (!hasEnded && (await waiting()) === 0) await new Promise((tick) => setTimeout(tick, 5))
    const result = !hasEnded
    release()
    await firstDone
    await secondDone
    return result
  }

  it.each([
    ['the same value', [ofUnit('drill')], [ofUnit('drill')], true],
    ['another value', [ofUnit('drill'), add('drill')], [ofUnit('saw'), add('saw')], false],
    [
      'a value of an item that the first one adds',
      [ofUnit('drill'), add('saw')],
      [ofUnit('saw')],
      true,
    ],
    [
      'a value of an item that the first one added before it counted',
      [add('saw'), ofUnit('drill')],
      [ofUnit('saw')],
      true,
    ],
    [
      'a value that an item had before the first one changed it',
      [ofUnit('drill'), (bookings) => bookings.update('saw', { unit: 'drill' })],
      [ofUnit('saw')],
      true,
    ],
    [
      'a value of an item that the first one deleted',
      [ofUnit('drill'), (bookings) => bookings.delete('saw')],
      [ofUnit('saw')],
      true,
    ],
    [
      'a value of another field of an item that the first one adds',
      [ofUnit('drill'), add('drill')],
      [(bookings) => bookings.count((query) => query.where('shop').equal('north'))],
      true,
    ],
    [
      'a value of another field that no item has',
      [ofUnit('drill'), add('drill')],
      [(bookings) => bookings.count((query) => query.where('shop').equal('south'))],
      false,
    ],
    ['all items', [ofUnit('drill')], [(bookings) => bookings.count()], true],
    ['one value after all items', [(bookings) => bookings.count()], [ofUnit('saw')], true],
    [
      'a field without an index, which locks all items',
      [ofUnit('drill')],
      [(bookings) => bookings.first((query) => query.where('note').equal('x'))],
      true,
    ],
    [
      'a value of a field with an index, beside other conditions',
      [
        (bookings) =>
          bookings.first((query) => query.where('note').equal('x').where('day').equal(3)),
      ],
      [
        (bookings) =>
          bookings.first((query) => query.where('day').equal(3).where('note').equal('y')),
      ],
      true,
    ],
    ['no items: writes without counts do not wait', [ofUnit('drill')], [add('drill')], false],
  ] satisfies [
    string,
    ((bookings: Bookings) => Promise<unknown>)[],
    ((bookings: Bookings) => Promise<unknown>)[],
    boolean,
  ][])('%s', async (_, first, second, expected) => {
    expect(await waits(first, second)).toBe(expected)
  })

  it('keeps a rule for each unit, also where transactions lock all items after one value', async () => {
    const book = (router: Router, unit: string) =>
      router.transaction(async (items) => {
        const count = await ofUnit(unit)(items(Booking))
        await items(Booking).count()
        if (count < 4) await add(unit)(items(Booking))
      })
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        book(routers[index % 2]!, index % 4 < 2 ? 'drill' : 'saw'),
      ),
    )
    for (const unit of ['drill', 'saw'])
      expect(await ofUnit(unit)(routers[0]!.items(Booking))).toBe(4)
  })
})
