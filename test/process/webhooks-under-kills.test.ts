import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'
import { killSenders } from '../support/webhooks/kill-senders.ts'

const bookings = Number(process.env.BOOKINGS ?? 100)
const kills = Number(process.env.KILLS ?? 3)

async function expectNoneLost(url: string): Promise<void> {
  const { events, repeatedDeliveries, ...outcome } = await killSenders({ url, bookings, kills })
  if (process.env.BOOKINGS)
    console.log(
      `${bookings} bookings, ${kills} kills, ${outcome.seconds} s: ${events.missing} events missing, ${outcome.repeatedEvents} repeated, ${outcome.refusedAttempts} attempts refused`,
    )
  expect(events).toEqual({ missing: 0, unknown: 0 })
  expect(repeatedDeliveries).toBe(0)
  expect(outcome.refusedAttempts).toBeGreaterThan(0)
}

const timeoutMs = 120_000 + kills * 30_000 + bookings * 100

describe('Webhooks of two processes that are killed at random times', () => {
  it(
    'get each event at least once, on SQLite',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'webhooks-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      await expectNoneLost(`sqlite:${join(folder, 'bookings.db')}`)
    },
    timeoutMs,
  )
})

describePostgres('Webhooks of two processes that are killed at random times', () => {
  it(
    'get each event at least once, on PostgreSQL',
    async () => {
      const database = await newDatabase()
      onTestFinished(() => database.drop())
      await expectNoneLost(database.url)
    },
    timeoutMs,
  )
})
