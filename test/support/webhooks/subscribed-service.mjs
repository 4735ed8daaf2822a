// A service whose bookings a webhook gets. Each process of it also books until all bookings are
// there: its arguments are the store and the number of bookings.
import { ApiError, createRouter, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { webhooks } from 'resourcery/webhooks'
import { z } from 'zod'

export const Booking = model('booking', { seat: z.int(), isPaid: z.boolean() })

/** @param {string} url of the store */
export function subscribedService(url) {
  const store = url.startsWith('sqlite:') ? sqlite(url.slice(7)) : postgres(url)
  const router = createRouter({
    policy: rest(),
    store,
    changes: true,
    security: { cursorSecret: 'a secret of at least 32 characters' },
    onError: (error) => console.error(String(error)),
  })
  router.prepare(Booking)
  const models = webhooks(router, {
    models: [Booking],
    callerOf: (id) => ({ id }),
    allowedHosts: ['localhost'],
    timeoutMs: 1_000,
    access: ({ anyone }) => ({ read: anyone, create: anyone }),
    deliveryAccess: ({ anyone }) => ({ read: anyone }),
  })
  return { router, store, models }
}

const [url, count] = process.argv.slice(2)
if (process.argv[1] === import.meta.filename) {
  const { router } = subscribedService(url ?? '')
  await router.open()
  console.log('open')
  for (let seat = 0; seat < Number(count); seat++) {
    const id = `b-${seat}`
    try {
      await router.transaction(async (items) => {
        const booking = await items(Booking).get(id)
        if (!booking) await items(Booking).create({ id, seat, isPaid: false })
      })
      await router.items(Booking).update(id, { isPaid: true })
    } catch (error) {
      // The other process may have been faster.
      if (!(error instanceof ApiError && error.status === 409)) console.error(String(error))
    }
  }
  console.log('booked')
}
