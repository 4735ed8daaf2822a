import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { always, toFieldPath } from '../../query/conditions.ts'
import type { GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import { PostgresConnection } from './connection.ts'
import { postgres } from './postgres-store.ts'

const [Sale] = describeModels([
  model('sale', { shop: z.int().nullish(), till: z.int() }, { table: 'sales', key: 'id' }),
])

describePostgres('The statement of groups of a table of another program', () => {
  let database: TestDatabase
  const statements: string[] = []

  const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)

  async function groupsBy(name: string): Promise<readonly ItemGroup[]> {
    const plan: GroupPlan = {
      condition: always,
      by: [{ path: toFieldPath(name) }],
      aggregates: [],
      order: 'largestFirst',
      limit: 3,
    }
    const store = postgres(database.url, { manage: false })
    try {
      await store.open([Sale!])
      statements.length = 0
      return await store.groups(Sale!, plan)
    } finally {
      await store.close()
    }
  }

  /** The steps of the plan without groups that are hashed, and without a scan of the table. */
  async function planOfStatement(): Promise<string> {
    const sql = statements.find((statement) => statement.includes(' group by '))!
    await run(
      `alter database ${database.name} set enable_hashagg = off; alter database ${database.name} set enable_seqscan = off; alter database ${database.name} set enable_bitmapscan = off`,
    )
    const rows = await run(`explain (costs off) ${sql}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  beforeAll(async () => {
    database = await newDatabase()
    await run('create table sales (id integer primary key, shop integer, till integer not null)')
    // Two shops, and no shop, have as many sales.
    await run('insert into sales select n, nullif(n % 4, 3), n % 4 from generate_series(1, 4000) n')
    const { run: original } = PostgresConnection.prototype
    vi.spyOn(PostgresConnection.prototype, 'run').mockImplementation(function (
      this: PostgresConnection,
      ...args
    ) {
      statements.push(...args[0].map(({ sql }) => sql))
      return original.apply(this, args)
    })
  }, 120_000)
  afterEach(() => run('drop index sales_grouped'))
  afterAll(async () => {
    vi.restoreAllMocks()
    await database?.drop()
  })

  it.each([
    'index sales_grouped on sales (shop)',
    'index sales_grouped on sales (shop nulls first)',
    'index sales_grouped on sales (shop desc)',
    'index sales_grouped on sales (shop desc nulls last)',
    'unique index sales_grouped on sales (shop, id)',
    'unique index sales_grouped on sales (shop nulls first, id)',
  ])('reads them in the order of an %s, and sorts the groups alone', async (index) => {
    await run(`create ${index}`)
    await run('vacuum analyze sales')
    expect(await groupsBy('shop')).toEqual([
      { keys: [null], count: 1_000, results: [] },
      { keys: [0], count: 1_000, results: [] },
      { keys: [1], count: 1_000, results: [] },
    ])
    const plan = await planOfStatement()
    expect(plan).toMatch(/Index (Only )?Scan.* sales_grouped/)
    expect(plan.match(/Sort$/gm) ?? []).toHaveLength(1)
  })

  it('reads them in the order of an index of a column that has no nulls', async () => {
    await run('create index sales_grouped on sales (till)')
    await run('vacuum analyze sales')
    expect((await groupsBy('till')).map(({ keys }) => keys)).toEqual([[0], [1], [2]])
    const plan = await planOfStatement()
    expect(plan).toMatch(/Index (Only )?Scan.* sales_grouped/)
    expect(plan.match(/Sort$/gm) ?? []).toHaveLength(1)
  })
})
