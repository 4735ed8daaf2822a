import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { connect } from './connect.ts'
import { noTimeouts } from './server-timeouts.ts'
import { StatementNames } from './statement-names.ts'

describePostgres('A connection of the store', () => {
  const connection = async () => {
    const database = await newDatabase()
    onTestFinished(() => database.drop())
    const server = await sharedServer()
    const opened = await connect(database.url, 'primary', {
      connectTimeoutMs: 5_000,
      names: new StatementNames(true),
      timeouts: noTimeouts,
    })
    onTestFinished(() => opened.destroy())
    const active = async (): Promise<number> => {
      const [row] = await server.run(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()",
        [],
        database.name,
      )
      return (row as { n: number }).n
    }
    return { opened, active }
  }

  it('compiles no statement', async () => {
    const { opened } = await connection()
    const [result] = await opened.run([{ sql: 'show jit', parameters: [] }], { timeoutMs: 5_000 })
    expect(result!.rows).toEqual([['off']])
  })

  it('leaves no statement behind when it is closed', async () => {
    const { opened, active } = await connection()
    const sleeping = opened.run([{ sql: 'select pg_sleep(60)', parameters: [] }], {
      timeoutMs: 60_000,
    })
    await expect.poll(active, { timeout: 10_000 }).toBe(1)
    opened.destroy()
    await expect(sleeping).rejects.toThrow()
    await wait(100)
    await expect.poll(active, { timeout: 20_000 }).toBe(0)
  })
})
