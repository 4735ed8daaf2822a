import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyModel, createRouter, type Policy, type Router, type Store } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { afterEach, beforeEach, describe } from 'vitest'
import { loadDriver } from '../../src/store/sqlite/driver.ts'
import { type Client, client } from './client.ts'
import { disposeTogether } from './dispose-together.ts'
import { describePostgres } from './postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from './postgres/shared-server.ts'

/** A database that another program reads and writes too. */
interface SharedDatabase {
  /** A new store over it. */
  open(options?: { readonly manage?: boolean }): Store
  /**
   * Disposes of the stores over it, which has to happen before it is dropped: now, or together with
   * those of other tests.
   */
  dispose(disposal: () => Promise<unknown>): Promise<void>
  /** Runs statements of the other program; rows are arrays. */
  sql(text: string): Promise<readonly (readonly unknown[])[]>
  drop(): Promise<unknown>
}

export interface TestTables {
  /** A service with these models over the database; it is closed some time after the test. */
  serve(
    models: readonly AnyModel[],
    options?: { readonly policy?: Policy; readonly manage?: boolean; readonly store?: Store },
  ): { readonly router: Router; readonly api: Client; readonly store: Store }
  sql: SharedDatabase['sql']
  /** Why a start with these models is refused. */
  refusals(models: readonly AnyModel[]): Promise<readonly string[]>
}

/** A `describe` for tests of ordinary tables, which run on PostgreSQL and on SQLite. */
export function describeTables(
  name: string,
  body: (tables: TestTables, engine: 'postgres' | 'sqlite') => void,
): void {
  describePostgres(`${name}, on PostgreSQL`, () => body(testTables(newPostgres), 'postgres'))
  describe(`${name}, on SQLite`, () => body(testTables(newSqlite), 'sqlite'))
}

function testTables(make: () => Promise<SharedDatabase>): TestTables {
  let database: SharedDatabase
  let routers: Router[] = []
  beforeEach(async () => {
    database = await make()
  }, 120_000)
  afterEach(async () => {
    const served = routers
    routers = []
    const { dispose, drop } = database
    await dispose(async () => {
      await Promise.all(served.map((router) => router.close()))
      await drop()
    })
  })
  const serve: TestTables['serve'] = (models, { policy = rest(), manage, store: shared } = {}) => {
    const store = shared ?? database.open(manage === undefined ? {} : { manage })
    const router = createRouter({ policy, store, onError: () => {} })
    for (const prepared of models) router.prepare(prepared)
    routers.push(router)
    const mediaType = policy.name === 'rest' ? 'application/json' : 'application/vnd.api+json'
    return { router, store, api: client(router, undefined, mediaType) }
  }
  return {
    serve,
    sql: (text) => database.sql(text),
    refusals: async (models) =>
      ((await serve(models).router.plan()) ?? []).flatMap(({ kind, summary }) =>
        kind === 'refused' && !summary.startsWith('The store changes no table') ? [summary] : [],
      ),
  }
}

async function newPostgres(): Promise<SharedDatabase> {
  const { name, url, drop } = await newDatabase()
  const server = await sharedServer()
  return {
    open: (options) => postgres(url, { maxConnections: 2, ...options }),
    // Each holds connections, of which the server has few.
    dispose: async (disposal) => void (await disposal()),
    sql: async (text) =>
      ((await server.run(text, [], name)) ?? []).map((row) => Object.values(row)),
    drop,
  }
}

async function newSqlite(): Promise<SharedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  const file = join(folder, 'tables.db')
  const other = (await loadDriver()).open(file, { readOnly: false })
  other.exec('pragma busy_timeout = 5000')
  return {
    open: (options) => sqlite(file, { layout: 'tables', durability: 'normal', ...options }),
    dispose: disposeTogether,
    async sql(text) {
      if (/^\s*(select|explain)/i.test(text)) return other.prepare(text).all([])
      other.exec(text)
      return []
    },
    async drop() {
      other.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
