import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { killConsumers } from '../support/consumers/kill-consumers.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'

const bookings = Number(process.env.BOOKINGS ?? 300)
const kills = Number(process.env.KILLS ?? 3)

async function expectNoneLost(url: string): Promise<void> {
  const outcome = await killConsumers({ url, bookings, kills })
  const { mails, invoices, repeatedMails, seconds, longestGapMs } = outcome
  if (process.env.BOOKINGS)
    console.log(
      `${bookings} bookings, ${kills} kills, ${seconds} s: ${mails.missing} mails missing, ${repeatedMails} repeated, ${invoices.missing} invoices missing, ${invoices.repeated} repeated; at most ${longestGapMs} ms without a mail`,
    )
  expect(mails).toEqual({ missing: 0, unknown: 0 })
  expect(invoices).toEqual({ missing: 0, repeated: 0 })
  expect(outcome.outOfOrder).toEqual([])
}

const timeoutMs = 60_000 + kills * 20_000 + bookings * 50

describe('Consumers of two processes that are killed at random times', () => {
  it(
    'send each mail at least once, and write each invoice exactly once, on SQLite',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'consumers-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      await expectNoneLost(`sqlite:${join(folder, 'bookings.db')}`)
    },
    timeoutMs,
  )
})

describePostgres('Consumers of two processes that are killed at random times', () => {
  it(
    'send each mail at least once, and write each invoice exactly once, on PostgreSQL',
    async () => {
      const database = await newDatabase()
      onTestFinished(() => database.drop())
      await expectNoneLost(database.url)
    },
    timeoutMs,
  )
})
