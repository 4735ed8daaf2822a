// A service with bookings, whose consumers append mails to a file and write invoices. Each process
// of it also books until all bookings are there: its arguments are the store, the file and the
// number of bookings.
import { appendFileSync } from 'node:fs'
import { ApiError, createRouter, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

const [url = '', mailFile = '', count] = process.argv.slice(2)

class Booking extends model('booking', { seat: z.int(), isPaid: z.boolean() }) {}
class Invoice extends model('invoice', { booking: z.string(), kind: z.string() }) {}

const router = createRouter({
  policy: rest(),
  store: url.startsWith('sqlite:') ? sqlite(url.slice(7)) : postgres(url),
  changes: true,
  onError: (error) => console.error(String(error)),
})
router.prepare(Booking)
router.prepare(Invoice)
const options = { models: [Booking], from: /** @type {const} */ ('start'), pauseMs: 20 }
router.consume('mailer', options, async (changes, { signal }) => {
  for (const { kind, id } of changes) {
    if (signal.aborted) return Promise.reject(signal.reason)
    // One call, so that a kill leaves a whole line or none.
    appendFileSync(mailFile, `${kind} ${id} ${Date.now()}\n`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
})
router.consume('invoices', { ...options, inTransaction: true }, async (changes, { items }) => {
  for (const { kind, id } of changes) await items(Invoice).create({ booking: id, kind })
  // A function that fails now and then, after it has written.
  if (Math.random() < 0.05) throw new Error('invoices fail by chance')
})
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
