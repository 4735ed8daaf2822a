import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'
import { killJobs } from '../support/scheduled-jobs/kill-jobs.ts'

const kills = Number(process.env.KILLS ?? 1)
const hourMs = 3_600_000

async function expectEachHourOnce(url: string): Promise<void> {
  const { killed, ended, overlaps, reports } = await killJobs(url, kills)
  if (process.env.KILLS)
    console.log(`${kills} kills, ${ended.length} hours: ${overlaps.length} runs at once`)
  const first = Date.parse(ended[0]!)
  const hours = ended.map((_, index) => new Date(first + index * hourMs).toISOString())
  // Each hour once, also those whose first run was killed.
  expect(ended).toEqual(hours)
  expect(reports).toEqual(hours)
  expect(new Set(killed).size).toBe(kills)
  expect(ended).toEqual(expect.arrayContaining([...killed]))
  expect(overlaps).toEqual([])
}

const timeoutMs = 120_000 + kills * 60_000

// At the same time, because the processes mostly wait for the lock of the one that was killed.
describe.concurrent('Jobs of two processes, of which the one that runs them is killed', () => {
  it(
    'run each time once, on SQLite',
    async ({ onTestFinished }) => {
      const folder = mkdtempSync(join(tmpdir(), 'jobs-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      await expectEachHourOnce(`sqlite:${join(folder, 'reports.db')}`)
    },
    timeoutMs,
  )

  describePostgres('in a database', () => {
    it(
      'run each time once, on PostgreSQL',
      async ({ onTestFinished }) => {
        const database = await newDatabase()
        onTestFinished(() => database.drop())
        await expectEachHourOnce(database.url)
      },
      timeoutMs,
    )
  })
})
