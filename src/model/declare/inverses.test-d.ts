import { type ItemChanges, model, type NewItem, type Router, toMany, toOne } from 'resourcery'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Unit extends model('unit', {
  name: z.string(),
  bookings: toMany<Booking>('booking', { inverse: 'unit' }),
  lastBooking: toOne<Booking>('booking', { optional: true }),
}) {}

class Booking extends model('booking', {
  days: z.int(),
  unit: toOne<Unit>('unit'),
  lastOf: toMany<Unit, 'lastBooking'>('unit', { inverse: 'lastBooking' }),
}) {}

class Person extends model('person', {
  name: z.string(),
  boss: toOne<Person>('person', { optional: true }),
  reports: toMany<Person, 'boss'>('person', { inverse: 'boss' }),
}) {}

declare const router: Router

describe('Two models whose inverses are both typed', () => {
  it('have types of their own in code', async () => {
    const unit = await router.items(Unit).get('u', { include: ['lastBooking'] })
    expectTypeOf(unit!.lastBooking!.days).toEqualTypeOf<number>()
    expectTypeOf<NewItem<typeof Booking>['lastOf']>().toEqualTypeOf<readonly string[] | undefined>()
    expectTypeOf<ItemChanges<typeof Unit>['bookings']>().toEqualTypeOf<
      readonly string[] | undefined
    >()
    expectTypeOf<NewItem<typeof Person>['reports']>().toEqualTypeOf<readonly string[] | undefined>()
    router.items(Booking).all((query) => query.where('unit.name').equal('x'))
  })

  it('name the inverse alike in both places', () => {
    // @ts-expect-error the option says another name
    toMany<Unit, 'lastBooking'>('unit', { inverse: 'bookings' })
    // @ts-expect-error an option that does not exist
    toMany<Unit, 'lastBooking'>('unit', { inverse: 'lastBooking', sort: 'name' })
  })
})
