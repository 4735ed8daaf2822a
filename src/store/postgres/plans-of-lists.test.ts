import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type QueryPlan } from '../../query/query-plan.ts'
import type { Store } from '../store.ts'
import { PostgresConnection } from './connection.ts'
import { postgres } from './postgres-store.ts'

const [Book] = describeModels([
  model('book', { title: z.string(), price: field(z.number(), { index: true }) }),
])

describePostgres('The statement of a list', () => {
  let database: TestDatabase
  let store: Store
  const connections = new Set<PostgresConnection>()

  const pageOf = (limit: number, offset: number): QueryPlan => ({
    ...allItemsPlan,
    condition: {
      kind: 'compare',
      path: toFieldPath('price'),
      operator: 'greaterThan',
      value: 10,
    },
    sort: [{ path: toFieldPath('price'), direction: 'desc' }],
    pageRange: { kind: 'offset', offset, limit },
  })
  const idsOf = async (plan: QueryPlan) => {
    const { entries } = await store.page(Book!, plan)
    return entries.map(({ id }) => id)
  }
  /** How often the statements of lists were planned, and how many of them there are. */
  const counts = async () => {
    const [connection] = connections
    const sql = `select count(*), sum(custom_plans), sum(generic_plans) from pg_prepared_statements where statement like '%from "books" t where%order by%' and statement not like '%pg_prepared%'`
    const [result] = await connection!.run([{ sql, parameters: [] }], { timeoutMs: 10_000 })
    return result!.rows[0]!.map(Number)
  }

  beforeAll(async () => {
    database = await newDatabase()
    store = postgres(database.url, { maxConnections: 1 })
    await store.open([Book!])
    const server = await sharedServer()
    const rows = `select 'b-' || n, 'Title ' || n, n from generate_series(1, 10000) n`
    await server.run(`insert into books (id, title, price) ${rows}`, [], database.name)
    await server.run('analyze books', [], database.name)
    const { run } = PostgresConnection.prototype
    vi.spyOn(PostgresConnection.prototype, 'run').mockImplementation(function (
      this: PostgresConnection,
      ...args
    ) {
      connections.add(this)
      return run.apply(this, args)
    })
  }, 120_000)
  afterAll(async () => {
    vi.restoreAllMocks()
    await store?.close()
    await database?.drop()
  })

  it('is planned a few times, and then for all pages of a similar size', async () => {
    for (let turn = 0; turn < 30; turn++) await idsOf(pageOf(20 + (turn % 10), 0))
    const [statements, customPlans, genericPlans] = await counts()
    // PostgreSQL compares the first five plans with one that does not know the parameters.
    expect({ statements, customPlans, genericPlans }).toEqual({
      statements: 1,
      customPlans: 5,
      genericPlans: 25,
    })
  })

  it.each([
    [0, 0],
    [1, 0],
    [20, 0],
    [21, 40],
    [64, 1],
    [20, 9_980],
    [5_000, 0],
  ])('returns a page of %d items after %d', async (limit, offset) => {
    const expected = Array.from({ length: 10_000 - 10 }, (_, index) => `b-${10_000 - index}`)
    expect(await idsOf(pageOf(limit, offset))).toEqual(expected.slice(offset, offset + limit))
  })
})
