import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { PostgresServer } from '../../../test/support/postgres/postgres-server.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store-failures.ts'
import { PostgresDatabase } from './database.ts'

const maxConnections = 6
const sql = (text: string, ...parameters: readonly unknown[]): Statement => ({
  sql: text,
  parameters,
})
const left = new Error('left')

describePostgres('PostgresDatabase under callers who leave and a server that restarts', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.run('create table sums (id int primary key, value int not null)')
    await server.run('insert into sums select i, 0 from generate_series(1, 5) i')
  }, 120_000)
  afterAll(() => server.stop())

  it('answers every call rightly or with the error of a store, and loses no connection', async () => {
    const database = new PostgresDatabase(server.url(), {
      maxConnections,
      statementTimeoutMs: 400,
      acquireTimeoutMs: 1_000,
      idleTimeoutMs: 50,
      failoverWaitMs: 100,
    })
    const outcomes = new Map<string, number>()
    let committed = 0
    let uncertain = 0
    const calls: ((call: StoreCall, number: number) => Promise<void>)[] = [
      async (call, number) => {
        const [read] = await database.read([sql(`select $1::int, ${number % 300}`, number)], call)
        expect(read!.rows).toEqual([[`${number}`, `${number % 300}`]])
      },
      async (call, number) => {
        const [read] = await database.read([sql('select $1::int, pg_sleep(0.2)', number)], call)
        expect(read!.rows).toEqual([[`${number}`, '']])
      },
      async (call) => void (await database.read([sql('select pg_sleep(60)')], call)),
      async (call, number) => {
        const [first, second] = [1 + (number % 5), 1 + ((number + 2) % 5)]
        const add = sql('update sums set value = value + $2 where id = $1', first, 1)
        const subtract = sql('update sums set value = value + $2 where id = $1', second, -1)
        await database.transaction(async (transaction) => {
          await transaction.run([add])
          await transaction.run([subtract])
        }, call)
      },
      async (call) => {
        try {
          await database.write([sql('update sums set value = value + 100 where id = 1')], call)
          committed++
        } catch (error) {
          uncertain++
          throw error
        }
      },
    ]
    let isOver = false
    const client = async (seed: number): Promise<void> => {
      for (let number = seed; !isOver; number += 17) {
        const abort = new AbortController()
        const timer = setTimeout(() => abort.abort(left), Math.random() * 900)
        const call = calls[number % calls.length]!
        const outcome = await call({ signal: abort.signal }, number).then(
          () => 'done',
          (error: Error) => {
            if (error === left) return 'left'
            for (const kind of [StoreUnavailable, StoreOverloaded, StoreTimeout])
              if (error instanceof kind) return error.name
            throw error
          },
        )
        clearTimeout(timer)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        // Calls fail at once while the server is down.
        if (outcome === 'StoreUnavailable') await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const clients = Array.from({ length: 24 }, (_, seed) => client(seed))
    for (const disturb of [() => server.restart(), restartAfterKill, endAllConnections]) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await disturb()
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    isOver = true
    await Promise.all(clients)

    for (const outcome of ['done', 'left', 'StoreTimeout', 'StoreUnavailable'])
      expect([outcome, outcomes.get(outcome)]).toEqual([outcome, expect.any(Number)])
    // Soon all connections are free: as many statements as there may be run at the same time.
    const connectionsInUse = async (): Promise<number> => {
      const results = await Promise.all(
        Array.from({ length: maxConnections }, () =>
          database.read([sql('select pg_backend_pid(), pg_sleep(0.2)')]),
        ),
      )
      return new Set(results.map(([result]) => result!.rows[0]![0])).size
    }
    await expect.poll(connectionsInUse, { timeout: 10_000 }).toBe(maxConnections)
    const [sum] = (await database.read([sql('select sum(value) from sums')]))[0]!.rows
    const writes = Number(sum![0]) / 100
    expect(writes).toBeGreaterThanOrEqual(committed)
    expect(writes).toBeLessThanOrEqual(committed + uncertain)
    expect(Number.isInteger(writes)).toBe(true)
    await database.close()
    const open = "select 1 from pg_stat_activity where application_name = 'resourcery'"
    await expect.poll(() => server.run(open), { timeout: 5_000 }).toEqual([])
  }, 60_000)

  async function restartAfterKill(): Promise<void> {
    await server.kill()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await server.start()
  }

  async function endAllConnections(): Promise<void> {
    await server.run(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'resourcery'",
    )
  }
})
