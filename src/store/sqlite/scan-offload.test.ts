import { afterEach, expect, test, vi } from 'vitest'
import { type Connection, StatementTimeout } from './connection.ts'
import type { PreparedStatement } from './driver.ts'
import { scanOffload } from './scan-offload.ts'
import type { ScanPool } from './scan-pool.ts'

const statement = { sql: 'select', parameters: [] }
const statementCount = 100

afterEach(() => {
  vi.restoreAllMocks()
})

/** How many of many statements in a row run in a worker, if each takes so long. */
async function countOffloaded(statementMs: number): Promise<number> {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const slowStatement: PreparedStatement = {
    all: () => {
      nowMs += statementMs
      return []
    },
    get: () => undefined,
    run: () => 0,
  }
  const connection = {
    withTimeout: (_, run) => run(),
    withByteLimit: (_, run) => run(),
    prepare: () => slowStatement,
  } as Pick<Connection, 'withTimeout' | 'withByteLimit' | 'prepare'> as Connection
  let offloaded = 0
  const rows: ScanPool['rows'] = async () => {
    offloaded++
    return []
  }
  const offload = scanOffload({ rows } as ScanPool)
  for (let count = 0; count < statementCount; count++)
    await offload.rows(connection, statement, undefined)
  return offloaded
}

test('a worker runs statements once the earlier ones have used the time of the main thread', async () => {
  expect(await countOffloaded(2)).toBeGreaterThan(0)
})

test('statements that take less time than a worker needs for them run at once, however many', async () => {
  expect(await countOffloaded(0.2)).toBe(0)
})

test('a statement that was slow goes to a worker at once with the same parameters, and soon with others', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const trials: number[] = []
  const connection = {
    withTimeout: (ms) => {
      trials.push(ms)
      nowMs += ms
      throw new StatementTimeout()
    },
  } as Pick<Connection, 'withTimeout'> as Connection
  const offload = scanOffload({ rows: async () => [] } as Partial<ScanPool> as ScanPool)
  for (const parameters of [['Spain'], ['Spain'], ['Peru'], ['Peru']]) {
    await offload.rows(connection, { sql: 'select', parameters }, undefined)
    nowMs += 1_000
  }
  expect(trials).toEqual([10, 2])
  nowMs += 10_000
  await offload.rows(connection, { sql: 'select', parameters: ['Spain'] }, undefined)
  expect(trials, 'The table may have become smaller.').toEqual([10, 2, 10])
})
