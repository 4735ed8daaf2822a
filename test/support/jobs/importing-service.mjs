// A service that carries out jobs: its arguments are the store, and how many jobs it runs at once.
import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model } from 'resourcery'
import { jobs } from 'resourcery/jobs'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

export const Ticket = model('ticket', { seat: z.int().min(0) })
export const Counter = model('counter', { value: z.int() })

/**
 * @param {string} url of the store
 * @param {number} atOnce
 */
export function importingService(url, atOnce) {
  const router = createRouter({
    policy: rest({ csv: true }),
    store: url.startsWith('sqlite:') ? sqlite(url.slice(7)) : postgres(url),
    security: {
      authentication: [
        {
          name: 'anybody',
          scheme: { type: 'http', scheme: 'bearer' },
          authenticate: ({ headers }) =>
            headers.authorization ? { caller: { id: headers.authorization.slice(7) } } : undefined,
        },
      ],
      callerSchema: z.object({ id: z.string() }),
    },
    onError: (error) => console.error(error),
  })
  // Kills come while lines are carried out.
  router.prepare(Ticket).use({ write: { before: () => wait(2) } })
  router.prepare(Counter).itemOperation(
    'increment',
    async ({ item }) => {
      await wait(20)
      item.value++
    },
    { async: true },
  )
  jobs(router, { callerOf: (id) => ({ id }), atOnce, maxPerOwner: 1_000 })
  return router
}

const [url, atOnce] = process.argv.slice(2)
if (process.argv[1] === import.meta.filename) {
  await importingService(url ?? '', Number(atOnce)).open()
  console.log('open')
  // Nothing else keeps the process.
  setInterval(() => undefined, 1_000)
}
