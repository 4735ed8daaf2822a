import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { idIsAnyOf, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type Condition, type QueryPlan } from '../../query/query-plan.ts'
import type { Store } from '../store.ts'
import { PostgresConnection } from './connection.ts'
import { postgres } from './postgres-store.ts'

const [customer, sale] = describeModels([
  model('customer', { name: field(z.string(), { index: true }), country: z.string() }),
  model('sale', {
    amount: z.int(),
    customer: toOne('customer'),
    seller: toOne('customer', { optional: true }),
  }),
]) as readonly [ModelDescription, ModelDescription]

describePostgres('A list through relations, on PostgreSQL', () => {
  let database: TestDatabase
  let store: Store
  const ran: { connection: PostgresConnection; sql: string; parameters: readonly unknown[] }[] = []

  beforeAll(async () => {
    database = await newDatabase()
    store = postgres(database.url, { maxConnections: 1 })
    await store.open([customer, sale])
    const server = await sharedServer()
    const run = (sql: string) => server.run(sql, [], database.name)
    await run(
      `insert into customers (id, name, country) select 'c-' || n, 'Name ' || lpad((n * 7 % 500)::text, 3, '0'), 'Country ' || n % 20 from generate_series(1, 500) n`,
    )
    await run(
      `insert into sales (id, amount, customer_id, seller_id) select 's-' || lpad(n::text, 5, '0'), n, 'c-' || 1 + n % 500, case when n % 4 > 0 then 'c-' || 1 + n % 300 end from generate_series(1, 30000) n`,
    )
    await run('analyze')
    const original = PostgresConnection.prototype.run
    vi.spyOn(PostgresConnection.prototype, 'run').mockImplementation(function (
      this: PostgresConnection,
      ...args
    ) {
      for (const statement of args[0]) ran.push({ connection: this, ...statement })
      return original.apply(this, args)
    })
  }, 120_000)
  beforeEach(() => {
    ran.length = 0
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await store?.close()
    await database?.drop()
  })

  const planOf = async (index = 0): Promise<string> => {
    const { connection, sql, parameters } = ran.filter((one) => one.sql.includes('"sales"'))[index]!
    const explain = { sql: `explain ${sql}`, parameters }
    const [result] = await connection.run([explain as never], { timeoutMs: 10_000 })
    return result!.rows.map(([line]) => line).join('\n')
  }
  const nameOf = (number: number) => String((number * 7) % 500).padStart(3, '0')
  const numbers = Array.from({ length: 30_000 }, (_, index) => index + 1)
  const idOf = (number: number) => `s-${String(number).padStart(5, '0')}`
  const sortedBy = (keyOf: (number: number) => string) =>
    numbers
      .map((number) => [keyOf(number), idOf(number)] as const)
      .sort((one, other) => (one.join() < other.join() ? -1 : 1))
      .map(([, id]) => id)
  const page = async (plan: Partial<QueryPlan>) =>
    (await store.page(sale, { ...allItemsPlan, ...plan })).entries
  const by = (name: string, direction: 'asc' | 'desc' = 'asc') => [
    { path: toFieldPath(name), direction },
  ]
  const first = (limit: number) => ({ kind: 'offset', offset: 0, limit }) as const

  it('sorted by an indexed field of a required relation reads its index', async () => {
    const expected = sortedBy((number) => nameOf(1 + (number % 500)))
    const entries = await page({ sort: by('customer.name'), pageRange: first(20) })
    expect(entries.map(({ id }) => id)).toEqual(expected.slice(0, 20))
    const steps = await planOf()
    expect(steps).toContain('using customers_name_idx')
    expect(steps).not.toMatch(/SubPlan|Seq Scan on sales/)
    ran.length = 0
    const after = { kind: 'after', position: entries[19]!.position, limit: 20 } as const
    const next = await page({ sort: by('customer.name'), pageRange: after })
    expect(next.map(({ id }) => id)).toEqual(expected.slice(20, 40))
    const nextSteps = await planOf()
    expect(nextSteps).toMatch(/Index Cond: \(name >= /)
    expect(nextSteps).not.toMatch(/SubPlan|Seq Scan on sales/)
  })

  it('sorted by other fields joins once', async () => {
    await page({ sort: by('customer.country'), pageRange: first(20) })
    expect(await planOf()).not.toContain('SubPlan')
    ran.length = 0
    const expected = sortedBy((number) => (number % 4 > 0 ? nameOf(1 + (number % 300)) : ''))
    for (const direction of ['asc', 'desc'] as const) {
      const order = direction === 'asc' ? expected : expected.toReversed()
      const entries = await page({ sort: by('seller.name', direction), pageRange: first(9_000) })
      expect(entries.map(({ id }) => id)).toEqual(order.slice(0, 9_000))
      const position = entries[7_400]!.position
      const after = { kind: 'after', position, limit: 200 } as const
      const next = await page({ sort: by('seller.name', direction), pageRange: after })
      expect(next.map(({ id }) => id)).toEqual(order.slice(7_401, 7_601))
    }
    expect(await planOf()).not.toContain('SubPlan')
  })

  it('filtered by a related field is a join', async () => {
    const country = (name: string, operator: 'equal' | 'notEqual'): Condition => ({
      kind: 'compare',
      path: toFieldPath(`${name}.country`),
      operator,
      value: 'Country 3',
    })
    expect(await store.count(sale, country('customer', 'equal'))).toBe(1_500)
    expect(await planOf()).not.toContain('SubPlan')
    ran.length = 0
    expect(await store.count(sale, country('seller', 'notEqual'))).toBe(
      numbers.filter((number) => number % 4 === 0 || (1 + (number % 300)) % 20 !== 3).length,
    )
    expect(await planOf()).not.toContain('SubPlan')
  })

  it('of the items of some owners reads the index of the relation', async () => {
    const owners = Array.from({ length: 4 }, (_, index) => `c-${index + 1}`)
    const condition = relatesToAny('customer', 'toOne', owners)
    let count = 0
    for await (const items of store.list(sale, { ...allItemsPlan, condition }))
      count += items.length
    expect(count).toBe(240)
    expect(await planOf()).toContain('sales_customer_id_idx')
    expect(await planOf()).not.toContain('Seq Scan on sales')
    // The ids are found once, however many batches there are.
    expect(
      ran.filter(
        ({ sql }) =>
          sql.startsWith('select') && sql.includes('order by') && !sql.includes('s.position'),
      ).length,
    ).toBe(1)
  })

  it('looks up the items of a batch by their ids, whatever else it asks of them', async () => {
    const isSmall: Condition = {
      kind: 'compare',
      path: toFieldPath('amount'),
      operator: 'lessThan',
      value: 20_000,
    }
    const ids: string[] = []
    for await (const items of store.list(sale, {
      ...allItemsPlan,
      condition: isSmall,
      sort: by('amount', 'desc'),
    }))
      ids.push(...items.map(({ id }) => id))
    expect(ids).toEqual(numbers.slice(0, 19_999).map(idOf).toReversed())
    const lookUps = ran.flatMap(({ sql }, index) => (sql.includes('s.position') ? [index] : []))
    // Of 50, 100, 200 and 400 items, and then of 500 each.
    expect(lookUps.length).toBe(4 + 39)
    const steps = await planOf(lookUps[0])
    expect(steps).toContain('Index Scan using sales_pkey')
    expect(steps).not.toContain('Seq Scan')
  })

  it('of ids takes one statement, if these are no more than a batch', async () => {
    const ids = numbers.slice(100, 600).map(idOf)
    const found: string[] = []
    for await (const items of store.list(sale, { ...allItemsPlan, condition: idIsAnyOf(ids) }))
      found.push(...items.map(({ id }) => id))
    expect(found).toEqual(ids)
    expect(ran.length).toBe(1)
  })

  it('of the items of some owners finds their ids once without an index too', async () => {
    const server = await sharedServer()
    await server.run('drop index sales_seller_id_idx', [], database.name)
    const unmanaged = postgres(database.url, {
      maxConnections: 1,
      manage: false,
      versionSecret: 'a secret of this test',
    })
    await unmanaged.open([customer, sale])
    ran.length = 0
    const owners = Array.from({ length: 10 }, (_, index) => `c-${index + 1}`)
    const condition = relatesToAny('seller', 'toOne', owners)
    let count = 0
    for await (const items of unmanaged.list(sale, { ...allItemsPlan, condition }))
      count += items.length
    expect(count).toBe(
      numbers.filter((number) => number % 4 > 0 && 1 + (number % 300) <= 10).length,
    )
    const lookUps = ran.filter(({ sql }) => sql.includes('s.position'))
    expect(ran.length - lookUps.length).toBe(1)
    await unmanaged.close()
  })
})
