import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { z } from 'zod'
import { dateTime } from '../../../model/declare/date-time.ts'
import { field } from '../../../model/declare/field.ts'
import { model } from '../../../model/declare/model.ts'
import { toOne } from '../../../model/declare/relation.ts'
import { describeModels } from '../../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../../model/model-description.ts'
import { allOf, toFieldPath } from '../../../query/conditions.ts'
import { toInstantKey } from '../../../query/instant.ts'
import {
  allItemsPlan,
  type Condition,
  type PageRange,
  type QueryPlan,
  type SortDirection,
} from '../../../query/query-plan.ts'
import type { Statement } from '../../sql/statement-cache.ts'
import type { Store } from '../../store.ts'
import { type Database, loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'

const { statements } = vi.hoisted(() => ({ statements: [] as Statement[] }))
vi.mock('../run-statement.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../run-statement.ts')>()
  return {
    ...original,
    queryRows: (...args: Parameters<typeof original.queryRows>) => {
      statements.push(args[1])
      return original.queryRows(...args)
    },
  }
})

const [, sale] = describeModels([
  model(
    'customer',
    { name: field(z.string(), { index: true }), country: z.string() },
    { table: 'customers', key: 'customer_id' },
  ),
  model(
    'sale',
    {
      soldAt: field(dateTime(), { column: 'sold_at', index: true }),
      paidAt: field(z.iso.datetime().nullable(), { column: 'paid_at', index: true }),
      closedAt: field(dateTime({ optional: true }), { column: 'closed_at', index: true }),
      customer: toOne('customer', { column: 'customer_id' }),
      seller: toOne('customer', { column: 'seller_id' }),
    },
    { table: 'sales', key: 'sale_id' },
  ),
]) as readonly [ModelDescription, ModelDescription]

/** As other programs write date-times, in any order of texts and zones. */
const writtenAt = (day: number, form: number): string => {
  const date = `2024-${String(1 + Math.floor(day / 28)).padStart(2, '0')}-${String(1 + (day % 28)).padStart(2, '0')}`
  return [
    `${date}T10:00:00Z`,
    `${date} 10:00:00`,
    `${date}T10:00:00.250Z`,
    `${date}T00:30:00+14:00`,
    `${date}T23:30:00-14:00`,
    `${date}T24:00:00-14:59`,
    '2024-02-31T10:00:00Z',
    'soon',
  ][form]!
}

let folder: string
let other: Database
let store: Store
const soldAt = new Map<string, string>()
const paidAt = new Map<string, string | null>()
/** Of a column that is declared as `datetime`. */
const closedAt = new Map<string, string | null>()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  const file = join(folder, 'tables.db')
  other = (await loadDriver()).open(file, { readOnly: false })
  other.exec(`
    create table customers (customer_id integer primary key, name text not null, country text not null);
    create table sales (sale_id integer primary key, sold_at text not null, paid_at text, closed_at datetime,
      customer_id integer not null references customers, seller_id integer not null);
    create index by_time on sales (sold_at);
    create index by_payment on sales (paid_at);
    create index by_closing on sales (closed_at);
    create index by_customer on sales (customer_id);
    create index by_seller on sales (seller_id);
    create index by_name on customers (name);
    begin;`)
  const customer = other.prepare('insert into customers values (?, ?, ?)')
  for (let id = 1; id <= 30; id++)
    customer.run([id, `Customer ${String((id * 7) % 30).padStart(2, '0')}`, `Country ${id % 3}`])
  const insert = other.prepare('insert into sales values (?, ?, ?, ?, ?, ?)')
  for (let id = 1; id <= 3_000; id++) {
    const form = id % 500 === 0 ? 6 + (id % 1_000 === 0 ? 1 : 0) : id % 6
    const written = writtenAt((id * 37) % 280, form)
    const paid =
      id % 9 === 0 ? null : `2024-03-${String(1 + (id % 28)).padStart(2, '0')} 0${id % 7}:00:00`
    const closed = id % 11 === 0 ? null : writtenAt((id * 41) % 280, id % 3)
    soldAt.set(String(id), written)
    paidAt.set(String(id), paid)
    closedAt.set(String(id), closed)
    // No foreign key sees to the seller: some are missing.
    insert.run([id, written, paid, closed, 1 + (id % 30), 1 + (id % 40)])
  }
  other.exec('commit')
  store = sqlite(file, { layout: 'tables', manage: false, durability: 'normal' })
  await store.open([...new Set(sale.ownedRelations.map(({ relatedModel }) => relatedModel)), sale])
  statements.length = 0
})

afterEach(async () => {
  await store.close()
  other.close()
  await rm(folder, { recursive: true, force: true })
})

const page = (limit: number, offset = 0): PageRange => ({ kind: 'offset', offset, limit })
const sortedBy = (name: string, direction: SortDirection, pageRange: PageRange): QueryPlan => ({
  ...allItemsPlan,
  sort: [{ path: toFieldPath(name), direction }],
  pageRange,
})
const entriesOf = async (plan: QueryPlan) => (await store.page(sale, plan)).entries
const idsOf = async (plan: QueryPlan) => (await entriesOf(plan)).map(({ id }) => id)
const stepsOf = (statement: Statement | undefined) =>
  other
    .prepare(`explain query plan ${statement!.sql.replaceAll(/check_interrupt\(\)/g, 'true')}`)
    .all(statement!.parameters)
    .map((row) => row[3])
    .join('\n')

/** The ids in the order of `keyOf`, null first, then of the ids. */
function sorted(keyOf: (id: string) => string | null, direction: SortDirection): string[] {
  const ids = [...soldAt.keys()]
  const order = (one: string, another: string) => {
    const [key, otherKey] = [keyOf(one), keyOf(another)]
    if (key === otherKey) return Number(one) - Number(another)
    if (key === null || otherKey === null) return key === null ? -1 : 1
    return key < otherKey ? -1 : 1
  }
  ids.sort(order)
  return direction === 'asc' ? ids : ids.reverse()
}

const instantOf = (text: string | null | undefined) =>
  text == null ? null : toInstantKey(text.replace(/^(....-..-..) /, '$1T'))

it.each([
  ['soldAt', 'asc'],
  ['soldAt', 'desc'],
  ['paidAt', 'asc'],
  ['paidAt', 'desc'],
  ['closedAt', 'asc'],
  ['closedAt', 'desc'],
] as const)('reads a range of the index of %s for a page sorted %s', async (name, direction) => {
  const texts: ReadonlyMap<string, string | null> = { soldAt, paidAt, closedAt }[name]
  const expected = sorted((id) => instantOf(texts.get(id)), direction)
  for (const [limit, offset] of [
    [1, 0],
    [20, 0],
    [50, 333],
    [100, 2_950],
  ] as const)
    expect(await idsOf(sortedBy(name, direction, page(limit, offset)))).toEqual(
      expected.slice(offset, offset + limit),
    )
  // Where there is NULL, this is another range: the index is read, and no row beside those.
  const index = {
    soldAt: 'SEARCH t .*INDEX by_time',
    paidAt: 'SCAN t .*INDEX by_payment',
    closedAt: 'SCAN t .*INDEX by_closing',
  }[name]
  expect(stepsOf(statements[0])).toMatch(new RegExp(index))
})

it('pages by cursor through date-times of all forms, forwards and backwards', async () => {
  for (const direction of ['asc', 'desc'] as const) {
    const expected = sorted((id) => instantOf(soldAt.get(id)), direction)
    const seen: string[] = []
    let pageRange: PageRange = page(450)
    for (;;) {
      const entries = await entriesOf(sortedBy('soldAt', direction, pageRange))
      seen.push(...entries.map(({ id }) => id))
      if (entries.length < 450) break
      pageRange = { kind: 'after', position: entries.at(-1)!.position, limit: 450 }
    }
    expect(seen).toEqual(expected)
    const [entry] = await entriesOf(sortedBy('soldAt', direction, page(1, 1_000)))
    const before: PageRange = { kind: 'before', position: entry!.position, limit: 30 }
    expect(await idsOf(sortedBy('soldAt', direction, before))).toEqual(expected.slice(970, 1_000))
  }
})

it('filters by the index of a date-time, whatever form it has', async () => {
  const compare = (operator: 'greaterThanOrEqual' | 'lessThan' | 'equal', value: string) =>
    ({ kind: 'compare', path: toFieldPath('soldAt'), operator, value }) as Condition
  for (const [from, until] of [
    ['2024-03-05T10:00:00Z', '2024-03-06T10:00:00Z'],
    ['2024-03-05T23:59:59Z', '2024-03-08T00:00:00+02:00'],
    ['2024-03-02T10:00:00Z', '2024-03-02T10:00:00.100Z'],
  ] as const) {
    statements.length = 0
    const condition = allOf([compare('greaterThanOrEqual', from), compare('lessThan', until)])
    const expected = [...soldAt].flatMap(([id, text]) => {
      const key = instantOf(text)!
      return key >= toInstantKey(from) && key < toInstantKey(until) ? [id] : []
    })
    expect(expected.length).toBeGreaterThan(0)
    const ids = await idsOf({ ...allItemsPlan, condition, pageRange: page(500) })
    expect(ids).toEqual(expected)
    expect(stepsOf(statements[0])).toContain('INDEX by_time (sold_at>? AND sold_at<?)')
    statements.length = 0
    expect(await store.count(sale, compare('equal', from))).toBe(
      [...soldAt.values()].filter((text) => instantOf(text) === toInstantKey(from)).length,
    )
    expect(stepsOf(statements[0])).toContain('INDEX by_time (sold_at>? AND sold_at<?)')
  }
})

it('filters by the index of a column that is declared as datetime', async () => {
  const compare = (operator: 'greaterThanOrEqual', value: string) =>
    ({ kind: 'compare', path: toFieldPath('closedAt'), operator, value }) as Condition
  const from = '2024-03-05T10:00:00Z'
  const expected = sorted((id) => instantOf(closedAt.get(id)), 'asc').filter((id) => {
    const key = instantOf(closedAt.get(id))
    return key !== null && key >= toInstantKey(from)
  })
  const plan = sortedBy('closedAt', 'asc', page(50))
  expect(await idsOf({ ...plan, condition: compare('greaterThanOrEqual', from) })).toEqual(
    expected.slice(0, 50),
  )
  expect(stepsOf(statements[0])).toMatch(/SEARCH t .*INDEX by_closing \(closed_at>\?/)
})

it.each(['asc', 'desc'] as const)(
  'reads related items in their order where a foreign key leads to each, sorted %s',
  async (direction) => {
    const nameOf = (id: number) => `Customer ${String((id * 7) % 30).padStart(2, '0')}`
    const expected = sorted((id) => nameOf(1 + (Number(id) % 30)), direction)
    const plan = sortedBy('customer.name', direction, page(20))
    const entries = await entriesOf(plan)
    expect(entries.map(({ id }) => id)).toEqual(expected.slice(0, 20))
    const steps = stepsOf(statements[0])
    expect(steps).toMatch(
      /SCAN r\d+ USING (COVERING )?INDEX by_name\nSEARCH t USING (COVERING )?INDEX by_customer/,
    )
    statements.length = 0
    const after: PageRange = { kind: 'after', position: entries.at(-1)!.position, limit: 450 }
    expect(await idsOf({ ...plan, pageRange: after })).toEqual(expected.slice(20, 470))
    expect(stepsOf(statements[0])).toMatch(/SEARCH r\d+ USING (COVERING )?INDEX by_name \(name[<>]/)
    const between: PageRange = {
      kind: 'between',
      after: entries[4]!.position,
      before: entries[9]!.position,
      limit: 20,
    }
    expect(await idsOf({ ...plan, pageRange: between })).toEqual(expected.slice(5, 9))
  },
)

it('keeps items whose related item is missing', async () => {
  const nameOf = (id: number) =>
    id > 30 ? null : `Customer ${String((id * 7) % 30).padStart(2, '0')}`
  const expected = sorted((id) => nameOf(1 + (Number(id) % 40)), 'asc')
  expect(await idsOf(sortedBy('seller.name', 'asc', page(500, 600)))).toEqual(
    expected.slice(600, 1_100),
  )
})
