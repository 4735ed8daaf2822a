import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field } from '../../../model/declare/field.ts'
import { model } from '../../../model/declare/model.ts'
import { describeModels } from '../../../model/describe/describe-models.ts'
import { always } from '../../../query/conditions.ts'
import type { GroupPlan } from '../../../query/group-plan.ts'
import { toInstantKey } from '../../../query/instant.ts'
import type { Condition } from '../../../query/query-plan.ts'
import { datePart } from '../../groups/date-part.ts'
import type { Store } from '../../store.ts'
import { loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'

const [Sale] = describeModels([
  model(
    'sale',
    {
      soldAt: field(z.iso.datetime({ offset: true }).nullish(), { column: 'sold_at' }),
      shop: z.string(),
      amount: z.int().nullish(),
      // The same values, as numbers that JavaScript rounds.
      rate: field(z.number().nullish(), { column: 'rate' }),
    },
    { table: 'sales', key: 'id' },
  ),
])

const times = [
  '2024-01-31T23:59:59Z',
  '2024-02-29T00:00:00Z',
  // There is no such day: it counts as the first of March.
  '2023-02-29T12:00:00Z',
  '2024-12-31T23:30:00-02:00',
  '2024-12-31 23:30:00',
  '2024-12-30T23:30:00.250Z',
  '2024-06-30T10:00Z',
  '2024-06-30',
  'midsummer',
  '',
  '1969-12-31T23:59:59Z',
  '1900-03-01T00:00:00.000Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2023-02-30T23:59:59.999Z',
  '2024-03-31T24:00:00Z',
  // SQLite reads these as other days, or as days.
  '2023-02-30T12:00:00z',
  '2023-02-30T12:00:00.1  Z',
  '2024-05-31T23:59:59.9999Z',
  '-2024-05-01T12:00:00',
  '-024-05-01T12:00:00Z',
  '2460000.500000000000',
  '12:00:00.12345678901',
  '2024-13-01T00:00:00Z',
]

const firstHundred = { kind: 'offset', offset: 0, limit: 100 } as const

/** By shop: the sum is exact whatever integers and other numbers there are. */
const amounts = {
  small: ['1', '-3', 'null', '40'],
  unsafe: ['9007199254740993', '9007199254740993', '-1'],
  overflowing: ['9223372036854775807', '9223372036854775807', '2'],
  mixed: ['1.5', '2', "'three'", "x'04'", '1e300'],
  none: ['null'],
} as const

describe('Groups of a table that other programs write', () => {
  let folder: string
  let store: Store

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
    const file = join(folder, 'sales.db')
    const other = (await loadDriver()).open(file, { readOnly: false })
    other.exec(
      'create table sales (id integer primary key, sold_at text, shop text not null, amount, rate)',
    )
    const add = (columns: string, values: string) =>
      other.exec(`insert into sales (${columns}) values (${values})`)
    for (const time of times) add('sold_at, shop', `'${time}', 'times'`)
    add('sold_at, shop', "x'32303234', 'times'")
    add('sold_at, shop', "cast('2024-01-31T23:59:59Z' as blob), 'times'")
    add('sold_at, shop', "2024, 'times'")
    for (const [shop, values] of Object.entries(amounts))
      for (const value of values) add('shop, amount, rate', `'${shop}', ${value}, ${value}`)
    other.close()
    store = sqlite(file, { layout: 'tables' })
    await store.open([Sale!])
  })
  afterAll(async () => {
    await store?.close()
    await rm(folder, { recursive: true, force: true })
  })
  const shownItems = async () => {
    const plan = { condition: always, sort: [], pageRange: firstHundred }
    const shown: Record<string, unknown>[] = []
    for await (const items of store.list(Sale!, plan))
      shown.push(...items.map(({ text }) => JSON.parse(text)))
    return shown
  }
  const groups = (plan: Pick<GroupPlan, 'by' | 'aggregates'>) =>
    store.groups(Sale!, { condition: always, order: 'keys', limit: 100, ...plan })

  it.each(['year', 'quarter', 'month', 'week', 'day'] as const)(
    'have the %s of the date-times that clients see',
    async (part) => {
      const expected = new Map<string | null, number>()
      for (const { soldAt } of await shownItems()) {
        const key =
          typeof soldAt === 'string' ? datePart(toInstantKey(soldAt), part, undefined) : null
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
      const path = { names: ['soldAt'] }
      // The values of a day that differ do not say how many values of a month do.
      for (const aggregates of [[], [{ function: 'countDistinct', path }]] as const) {
        const found = await groups({ by: [{ path, part }], aggregates })
        expect(Object.fromEntries(found.map(({ keys: [key], count }) => [key, count]))).toEqual(
          Object.fromEntries(expected),
        )
        expect(found.length).toBeGreaterThan(2)
      }
    },
  )

  it('sum integers beyond 2^53 and 2^63, and numbers among them', async () => {
    const path = { names: ['amount'] }
    const byShop = await groups({
      by: [{ path: { names: ['shop'] } }],
      aggregates: [{ function: 'sum', path }],
    })
    const sums = byShop.map(({ keys: [key], results: [result] }) => [key, result])
    const large = `1${'0'.repeat(300)}`
    expect(Object.fromEntries(sums)).toMatchObject({
      small: { sum: '38', count: 3 },
      unsafe: { sum: '18014398509481985', count: 3 },
      overflowing: { sum: '18446744073709551616', count: 3 },
      mixed: { sum: `${large.slice(0, -1)}3.5` },
      none: { sum: '0', count: 0 },
    })
  })

  it('have integers beyond 2^53 as clients see them', async () => {
    const unsafe: Condition = {
      kind: 'compare',
      path: { names: ['shop'] },
      operator: 'equal',
      value: 'unsafe',
    }
    const found = async (name: string) => {
      const path = { names: [name] }
      const plan = { condition: unsafe, order: 'keys', limit: 100 } as const
      const [max] = await store.groups(Sale!, {
        ...plan,
        by: [],
        aggregates: [
          { function: 'max', path },
          { function: 'sum', path },
        ],
      })
      const byValue = await store.groups(Sale!, { ...plan, by: [{ path }], aggregates: [] })
      return [max!.results, byValue.map(({ keys: [key] }) => key)]
    }
    expect(await found('amount')).toMatchObject([
      [{ value: '9007199254740993' }, { sum: '18014398509481985' }],
      [-1, '9007199254740993'],
    ])
    expect(await found('rate')).toMatchObject([
      [{ value: 9_007_199_254_740_992 }, { sum: '18014398509481983' }],
      [-1, 9_007_199_254_740_992],
    ])
  })
})
