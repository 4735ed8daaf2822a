// A service that takes long work, as a process of its own.
//   node bench/long-work/server.mjs <sqlite | tables | postgres> <file or url of the database>

import { readFileSync } from 'node:fs'
import { createRouter, model } from 'resourcery'
import { jobs } from 'resourcery/jobs'
import { serve } from 'resourcery/node'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
import { watchTurns } from './turns.mjs'

const [kind = 'sqlite', database = ''] = process.argv.slice(2)

const store =
  kind === 'postgres'
    ? postgres(database)
    : sqlite(database, kind === 'tables' ? { layout: 'tables' } : {})
const router = createRouter({
  policy: rest({ csv: true }),
  store,
  security: {
    authentication: [
      {
        name: 'bench',
        scheme: { type: 'http', scheme: 'bearer' },
        authenticate: () => ({ caller: { id: 'bench' } }),
      },
    ],
    callerSchema: z.object({ id: z.string() }),
  },
})
const Book = model('book', {
  title: z.string().min(1),
  isbn: z.string(),
  price: z.number().min(0),
  copies: z.int().default(0),
})
const Note = model('note', { text: z.string() })
router.prepare(Book)
router.prepare(Note)
jobs(router, { callerOf: (id) => ({ id }) })
await router.load(
  Note,
  Array.from({ length: 100 }, (_, index) => ({ id: `n${index}`, text: `${index}` })),
)
const { port } = await serve(router, { host: '127.0.0.1', port: 0 })

const turnsSince = watchTurns()
const statusOf = (/** @type {'VmRSS' | 'VmHWM'} */ name) =>
  Number(
    new RegExp(`${name}:\\s*(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0,
  ) / 1024

const processorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

process.on('message', (message) => {
  if (message === 'collect') globalThis.gc?.()
  process.send?.({
    turns: turnsSince(),
    residentMiB: statusOf('VmRSS'),
    processorMs: processorMs(),
    heapMiB: process.memoryUsage().heapUsed / 1_048_576,
    peakMiB: statusOf('VmHWM'),
  })
})
process.send?.(port)
process.once('disconnect', () => process.exit(0))
