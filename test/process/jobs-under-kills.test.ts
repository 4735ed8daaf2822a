import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { killImporters } from '../support/jobs/kill-importers.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'

const lines = Number(process.env.LINES ?? 1_000)
const kills = Number(process.env.KILLS ?? 3)
const actions = 20

async function expectEachOnce(url: string): Promise<void> {
  const outcome = await killImporters({ url, lines, actions, kills })
  const failed = lines / 10
  expect(outcome).toEqual({
    lines: { missing: 0, twice: 0, failed },
    result: { created: lines - failed, updated: 0, failed },
    counted: actions,
    kept: actions + 1,
  })
}

const timeoutMs = 120_000 + kills * 30_000 + lines * 30

describe('Jobs of two processes that are killed at random times', () => {
  it(
    'create the item of each line once, and run each action once, on SQLite',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'jobs-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      await expectEachOnce(`sqlite:${join(folder, 'tickets.db')}`)
    },
    timeoutMs,
  )
})

describePostgres('Jobs of two processes that are killed at random times', () => {
  it(
    'create the item of each line once, and run each action once, on PostgreSQL',
    async () => {
      const database = await newDatabase()
      onTestFinished(() => database.drop())
      await expectEachOnce(database.url)
    },
    timeoutMs,
  )
})
