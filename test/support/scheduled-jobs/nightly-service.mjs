// A service with jobs that run each hour. Its clock is fast, and the same in each process of it:
// its arguments are the store, the file to which runs are appended, when the clock began, and how
// many milliseconds an hour takes.
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

const [url = '', file = '', start, hourMs] = process.argv.slice(2)

class Report extends model('report', { hour: z.string() }) {}

const speed = 3_600_000 / Number(hourMs)
const router = createRouter({
  policy: rest(),
  store: url.startsWith('sqlite:') ? sqlite(url.slice(7)) : postgres(url),
  now: () => new Date(Number(start) + (Date.now() - Number(start)) * speed),
  onError: (error) => console.error(String(error)),
})
router.prepare(Report)
router.job('mails', { every: '1 hour' }, async ({ scheduledAt, signal }) => {
  const line = `${process.pid} ${scheduledAt.toISOString()}\n`
  appendFileSync(file, `begin ${line}`)
  await wait(1_000, undefined, { signal })
  appendFileSync(file, `end ${line}`)
})
router.job('reports', { every: '1 hour', inTransaction: true }, async ({ items, scheduledAt }) => {
  await items(Report).create({ hour: scheduledAt.toISOString() })
})
await router.open()
console.log(`open ${process.pid}`)
