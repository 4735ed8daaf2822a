import { createRouter, model, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const writers = 8
const bookingsOfEach = 12

const fields = { price: z.int(), member: toOne('member') }
class BookingWithClass extends model('booking', fields) {
  get isFree() {
    return this.price === 0
  }
}

describePostgres('Clients that create items of one owner with a rollup at the same time', () => {
  it.each([
    ['that the service sets', model('booking', fields), true],
    ['that the service sets, for a model with a class of its own', BookingWithClass, true],
    ['that they choose, for a model with a class of its own', BookingWithClass, false],
  ])(
    'wait for each other, and none is refused: an owner %s',
    async (_, Booking, isSet) => {
      const database = await newDatabase()
      const errors: string[] = []
      const router = createRouter({
        policy: rest(),
        // Nobody gives up waiting for a lock, however busy the machine is.
        store: postgres(database.url, { maxConnections: 20, lockTimeoutMs: 60_000 }),
        onError: (error) => errors.push(String(error)),
        security: {
          callerSchema: z.object({ id: z.string() }),
          authentication: [
            {
              name: 'user',
              scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
              authenticate: ({ headers }) => ({ caller: { id: headers['x-user'] ?? 'nobody' } }),
            },
          ],
        },
      })
      onTestFinished(async () => {
        await router.close()
        await database.drop()
      })
      const Member = model('member', {
        name: z.string(),
        bookings: toMany('booking', { inverse: 'member' }),
        spent: rollup('bookings', { sum: 'price', countsHidden: true }),
      })
      router.prepare(Member)
      router
        .prepare(Booking)
        .access(({ caller, signedIn }) =>
          isSet ? { create: signedIn, set: { member: caller.id } } : { create: signedIn },
        )
      await router.load(Member, [{ id: 'bob', name: 'Bob' }])
      const create = async () => {
        const booking = { price: 1, ...(!isSet && { member: 'bob' }) }
        const request = new Request('http://localhost/bookings', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-user': 'bob' },
          body: JSON.stringify({ booking }),
        })
        return (await router.handle(request)).status
      }
      const statuses = await Promise.all(
        Array.from({ length: writers }, async () => {
          const own: number[] = []
          for (let index = 0; index < bookingsOfEach; index++) own.push(await create())
          return own
        }),
      )
      expect(errors).toEqual([])
      expect(new Set(statuses.flat())).toEqual(new Set([201]))
      const bob = await router.items(Member).get('bob')
      expect(bob).toMatchObject({ spent: writers * bookingsOfEach })
    },
    60_000,
  )
})
