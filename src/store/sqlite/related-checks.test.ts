import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { sqlite } from './sqlite.ts'

const { statements } = vi.hoisted(() => ({ statements: [] as string[] }))
vi.mock('./run-statement.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('./run-statement.ts')>()
  return {
    ...original,
    queryRows: (...args: Parameters<typeof original.queryRows>) => {
      statements.push(args[1].sql)
      return original.queryRows(...args)
    },
  }
})

const models = describeModels([
  model('customer', { name: field(z.string(), { index: true }) }),
  model('sale', { customer: toOne('customer') }),
]) as readonly [ModelDescription, ModelDescription]
const [customer, sale] = models

beforeEach(() => {
  statements.length = 0
})

/** A store with 200 sales of 20 customers. */
async function openStore() {
  const store = sqlite(temporaryFile(), { durability: 'normal', largeTableRows: 1 })
  onTestFinished(() => store.close())
  await store.open(models)
  const insert = (of: ModelDescription, values: { id: string; name: string }) =>
    store.write((transaction) => transaction.insert(of, createStoredItem(of, values, 1)))
  for (let id = 0; id < 20; id++) await insert(customer, { id: `c-${id}`, name: `Name ${id}` })
  await store.write(async (transaction) => {
    for (let id = 0; id < 200; id++) {
      const values = { id: `s-${1_000 + id}`, customer: `c-${id % 20}` }
      await transaction.insert(sale, createStoredItem(sale, values, 1))
    }
  })
  const read = async (offset: number): Promise<number> => {
    const plan: QueryPlan = {
      ...allItemsPlan,
      sort: [{ path: toFieldPath('customer.name'), direction: 'asc' }],
      pageRange: { kind: 'offset', offset, limit: 20 },
    }
    return (await store.page(sale, plan)).entries.length
  }
  return { store, insert, read }
}

/** How many statements have looked up the related items since the last call. */
function lookUps(): number {
  return statements.splice(0).filter((sql) => sql.includes('with recursive')).length
}

test('missing related items are found once, until the next commit', async () => {
  const { store, insert, read } = await openStore()
  await store.write((transaction) => transaction.remove(customer, 'c-7'))
  lookUps()
  expect(await read(0)).toBe(20)
  // The page, and why it was empty.
  expect(lookUps()).toBe(2)
  for (let offset = 20; offset < 200; offset += 20) expect(await read(offset)).toBe(20)
  expect(lookUps()).toBe(0)
  await insert(customer, { id: 'c-20', name: 'Name 20' })
  await read(0)
  expect(lookUps()).toBe(2)
  await insert(customer, { id: 'c-7', name: 'Name 7' })
  for (const offset of [0, 20]) expect(await read(offset)).toBe(20)
  // Each page by the order of the related items, and nothing else.
  expect(lookUps()).toBe(2)
})

test('pages after the last item say nothing about related items, and scan nothing', async () => {
  const { read } = await openStore()
  lookUps()
  for (let page = 0; page < 3; page++) expect(await read(200)).toBe(0)
  // Three pages, and one check; neither a trial scan nor a scan of the table.
  expect(statements).toHaveLength(4)
  expect(lookUps()).toBe(4)
  expect(await read(180)).toBe(20)
  expect(lookUps()).toBe(1)
})
