import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { gauges, listenTo, type StatementsRun, statementsRun } from '../../telemetry/channels.ts'
import { PostgresDatabase } from './database.ts'

const sql = (text: string) => ({ sql: text, parameters: [] })

function readGauges(): Readonly<Record<string, number>> {
  const values: Record<string, number> = {}
  gauges.publish({
    read: (gauge, value) => {
      values[gauge] = (values[gauge] ?? 0) + value
    },
  })
  return values
}

describePostgres('A pool of PostgreSQL that is measured', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await newDatabase()
  })
  afterAll(() => test.drop())

  it('tells how many connections are used, idle and allowed, and nothing once it is closed', async () => {
    const before = readGauges()
    const database = new PostgresDatabase(test.url, { maxConnections: 4 })
    const sleep = database.read([sql('select pg_sleep(0.5)')])
    await expect.poll(() => readGauges().connectionsUsed).toBe((before.connectionsUsed ?? 0) + 1)
    expect(readGauges().connectionsMax).toBe((before.connectionsMax ?? 0) + 4)
    await sleep
    expect(readGauges().connectionsIdle).toBe((before.connectionsIdle ?? 0) + 1)
    await database.close()
    expect(readGauges()).toEqual(before)
  })

  it('tells of each round trip, and whether it failed', async () => {
    const runs: StatementsRun[] = []
    const end = listenTo(statementsRun, (run) => runs.push(run))
    const database = new PostgresDatabase(test.url)
    await database.read([sql('select 1'), sql('select 2')])
    await expect(database.read([sql('select 1 / 0')])).rejects.toThrow()
    end()
    await database.read([sql('select 3')])
    expect(runs.map(({ statements, failure }) => [statements, failure !== undefined])).toEqual([
      [['select 1', 'select 2'], false],
      [['select 1 / 0'], true],
    ])
    await database.close()
  })
})
