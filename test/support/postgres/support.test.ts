import { existsSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { basebackupPath } from './binaries.ts'
import { describePgBouncer, describePostgres } from './describe-postgres.ts'
import { startPgBouncer } from './pg-bouncer.ts'
import { PostgresReplica } from './postgres-replica.ts'
import { PostgresServer, type TestDatabase } from './postgres-server.ts'
import { newDatabase, sharedServer } from './shared-server.ts'
import { schemaChanges } from './statement-log.ts'

describePostgres('the PostgreSQL server of tests', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase({ logsStatements: true })
  }, 120_000)
  afterAll(() => database.drop())

  it('is one for all who share it, with databases of their own', async () => {
    const [server, other] = [await sharedServer(), await newDatabase({ logsStatements: true })]
    await server.run('create table notes (text text)', [], database.name)
    await expect(server.run('select * from notes', [], other.name)).rejects.toThrow('notes')
    await other.drop()
    await expect(server.run('select 1', [], other.name)).rejects.toThrow('does not exist')
  })

  it('logs the statements of each database, and knows those that change a schema', async () => {
    const server = await sharedServer()
    const own = await newDatabase({ logsStatements: true })
    const table = 'create table books (\n  title text\n)'
    const insert = 'insert into books values (\'drop "table" books\')'
    await server.run(table, [], own.name)
    await server.run(insert, [], own.name)
    await server.run('select title from books where title = $1', ['x'], own.name)
    const statements = await own.statements()
    expect(statements).toEqual([table, insert, 'select title from books where title = $1'])
    expect(schemaChanges(statements)).toEqual([table])
    await own.drop()
  })

  it('copies a database as a template', async () => {
    const server = await sharedServer()
    const template = await newDatabase({ logsStatements: true })
    await server.run('create table shelves (id text)', [], template.name)
    const copy = await newDatabase({ template: template.name, logsStatements: true })
    expect(await server.run('select * from shelves', [], copy.name)).toEqual([])
    await template.drop()
    await copy.drop()
  })

  it('sorts text by a language unless a query says otherwise', async () => {
    const server = await sharedServer()
    const [row] = await server.run(`select 'a' < 'B' as linguistic, 'a' < 'B' collate "C" as bytes`)
    expect(row).toEqual({ linguistic: true, bytes: false })
  })
})

describePostgres('a PostgreSQL server of a test', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 120_000)
  afterAll(() => server.stop())

  it('can be killed, and started with what it had committed', async () => {
    await server.run('create table kept (value int)')
    await server.run('insert into kept values (7)')
    await server.kill()
    expect(server.isRunning).toBe(false)
    await expect(server.run('select 1')).rejects.toThrow(/ECONNREFUSED|ENOENT/)
    await server.start()
    expect(await server.run('select value from kept')).toEqual([{ value: 7 }])
  })

  it('can be paused, with its connections', async () => {
    const client = new pg.Client({ connectionString: server.url() })
    await client.connect()
    server.pause()
    let isAnswered = false
    const answer = client.query('select 1').then(() => {
      isAnswered = true
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(isAnswered).toBe(false)
    server.resume()
    await answer
    await client.end()
  })

  it.skipIf(basebackupPath === undefined)('has replicas that can lag', async () => {
    const replica = await PostgresReplica.startFrom(server)
    await server.run('create table lines (value int)')
    await replica.catchUp()
    expect(await replica.run('select value from lines')).toEqual([])
    await expect(replica.run('insert into lines values (1)')).rejects.toThrow('read-only')
    await replica.pauseReplay()
    await server.run('insert into lines values (1)')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await replica.run('select value from lines')).toEqual([])
    await replica.resumeReplay()
    await replica.catchUp()
    expect(await replica.run('select value from lines')).toEqual([{ value: 1 }])
    await replica.stop()
    expect(existsSync(`${replica.folder}/data/postmaster.pid`)).toBe(false)
  })
})

describePgBouncer('the PgBouncer of tests', () => {
  it('gives each transaction of a client any connection', async () => {
    const server = await sharedServer()
    const database = await newDatabase({ logsStatements: true })
    const bouncer = await startPgBouncer(server, 2)
    const [client, other] = [database, database].map(
      ({ name }) => new pg.Client({ connectionString: bouncer.url(name) }),
    )
    await Promise.all([client!.connect(), other!.connect()])
    await other!.query('begin')
    const processes = new Set<unknown>()
    const pid = async (from: pg.Client) =>
      (await from.query('select pg_backend_pid() as pid')).rows[0].pid
    processes.add(await pid(other!))
    processes.add(await pid(client!))
    expect(processes.size).toBe(2)
    await other!.query('commit')
    for (let count = 0; count < 4; count++) processes.delete(await pid(client!))
    expect(processes.size).toBe(0)
    await Promise.all([client!.end(), other!.end()])
    await bouncer.stop()
    await database.drop()
  })
})
