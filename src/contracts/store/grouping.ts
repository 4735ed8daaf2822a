import { expect } from 'vitest'
import {
  type Condition,
  type GroupKey,
  type ItemGroup,
  type Scalar,
  type StoredValues,
  toFieldPath,
} from '../../store/public.ts'
import {
  aggregates,
  by,
  countsOf,
  expectedCounts,
  fill,
  models,
  paid,
  planOfGroups,
  sale,
  sales,
  sumOf,
  valuesOf,
} from './grouped-sales.ts'
import { insertAll, type Suite } from './harness.ts'

export function grouping(suite: Suite): void {
  suite.alone(
    'sums numbers, integers and decimal numbers exactly',
    async (store) => {
      await fill(store)
      const members = ['price', 'units', 'total']
      const plan = planOfGroups({
        aggregates: aggregates(...members.map((member) => ['sum', member] as const)),
      })
      const [group] = await store.groups(sale, plan)
      expect(group?.count).toBe(120)
      for (const [index, member] of members.entries()) {
        const result = group!.results[index]!
        const values = valuesOf(member)
        expect(result).toMatchObject({ function: 'sum', count: values.length })
        if (result.function === 'sum') expect(sumOf([result.sum])).toBe(sumOf(values))
      }
    },
    models,
  )

  suite.alone(
    'sums each group by itself',
    async (store) => {
      await fill(store)
      const groups = await store.groups(
        sale,
        planOfGroups({ by: by('paid'), aggregates: aggregates(['sum', 'price']) }),
      )
      expect(groups.map(({ keys }) => keys)).toEqual([[null], [false], [true]])
      for (const { keys, results } of groups) {
        const values = sales().flatMap((item) => {
          const { paid, price } = item as unknown as { paid: Scalar; price: number | null }
          return paid === keys[0] && price !== null ? [price] : []
        })
        const [result] = results
        expect(result?.function === 'sum' && sumOf([result.sum])).toBe(sumOf(values))
      }
    },
    models,
  )

  suite.alone(
    'has one group of no items, and no groups by keys, in an empty list',
    async (store) => {
      const terms = aggregates(
        ['sum', 'price'],
        ['min', 'price'],
        ['max', 'at'],
        ['countDistinct', 'buyer'],
      )
      expect(await store.groups(sale, planOfGroups({ aggregates: terms }))).toEqual([
        {
          keys: [],
          count: 0,
          results: [
            { function: 'sum', sum: '0', count: 0 },
            { function: 'min', value: null },
            { function: 'max', value: null },
            { function: 'countDistinct', count: 0 },
          ],
        },
      ])
      const grouped = planOfGroups({ by: by('paid'), aggregates: terms })
      expect(await store.groups(sale, grouped)).toEqual([])
    },
    models,
  )

  suite.alone(
    'finds the least and the greatest value in its canonical form, and counts distinct ones',
    async (store) => {
      await fill(store)
      const terms = aggregates(
        ['min', 'price'],
        ['max', 'price'],
        ['min', 'units'],
        ['max', 'total'],
        ['min', 'total'],
        ['min', 'at'],
        ['max', 'at'],
        ['max', 'day'],
        ['min', 'box.weight'],
        ['countDistinct', 'shop'],
        ['countDistinct', 'buyer.vip'],
        ['countDistinct', 'at'],
      )
      const [group] = await store.groups(sale, planOfGroups({ aggregates: terms }))
      expect(
        group?.results.map((result) => ('value' in result ? result.value : result.count)),
      ).toEqual([
        -1e300,
        1e300,
        -5,
        '123456789012345678.000000000001',
        '-123456789012345678',
        '2021-01-03T17:00:00Z',
        '2024-12-30T23:30:00Z',
        '2024-12-30',
        0.1,
        6,
        2,
        5,
      ])
    },
    models,
  )

  suite.alone(
    'groups by values, by related values, and by the members of lists',
    async (store) => {
      await fill(store)
      const groupsBy = async (name: string) =>
        countsOf(await store.groups(sale, planOfGroups({ by: by(name) })))
      const names: Readonly<Record<string, string>> = { ada: 'Ada', bob: 'Bob' }
      const member = (name: string) => expectedCounts((item) => [(item[name] ?? null) as Scalar])
      expect(await groupsBy('shop')).toEqual(member('shop'))
      expect(await groupsBy('price')).toEqual(member('price'))
      expect(await groupsBy('buyer')).toEqual(member('buyer'))
      expect(await groupsBy('day')).toEqual(member('day'))
      expect(await groupsBy('buyer.name')).toEqual(
        expectedCounts(({ buyer }) => [names[String(buyer)] ?? null]),
      )
      expect(await groupsBy('box.kind')).toEqual(
        expectedCounts(({ box }) => [(box as { kind: string | null } | null)?.kind ?? null]),
      )
      for (const list of ['tags', 'labels'])
        expect(await groupsBy(list)).toEqual(
          expectedCounts((item) => {
            const members = [...new Set((item[list] ?? []) as readonly Scalar[])]
            return members.length === 0 ? [null] : members
          }),
        )
    },
    models,
  )

  suite.alone(
    'returns the largest groups first, and ties in the order of keys',
    async (store) => {
      const items = ['b', 'b', 'a', 'a', 'c', null].map((shop, index) => ({
        id: `s-${index}`,
        shop,
        labels: [],
      }))
      await insertAll(store, [[sale, items as unknown as readonly StoredValues[]]])
      const plan = planOfGroups({ by: by('shop'), order: 'largestFirst', limit: 3 })
      expect((await store.groups(sale, plan)).map(({ keys, count }) => [keys[0], count])).toEqual([
        ['a', 2],
        ['b', 2],
        [null, 1],
      ])
    },
    models,
  )

  suite.alone(
    'has the parts of dates in UTC and in a time zone',
    async (store) => {
      await fill(store)
      const keys = async (name: string, part: GroupKey['part'], timeZone?: string) => {
        const key: GroupKey = {
          path: toFieldPath(name),
          ...(part && { part }),
          ...(timeZone !== undefined && { timeZone }),
        }
        const groups = await store.groups(sale, planOfGroups({ by: [key] }))
        return groups.map((group) => group.keys[0])
      }
      expect(await keys('at', 'year')).toEqual([null, '2021', '2024'])
      expect(await keys('at', 'quarter')).toEqual([null, '2021-Q1', '2024-Q1', '2024-Q4'])
      expect(await keys('at', 'month')).toEqual([null, '2021-01', '2024-03', '2024-10', '2024-12'])
      expect(await keys('at', 'week')).toEqual([
        null,
        '2020-W53',
        '2024-W13',
        '2024-W43',
        '2025-W01',
      ])
      expect(await keys('at', 'day')).toEqual([
        null,
        '2021-01-03',
        '2024-03-31',
        '2024-10-26',
        '2024-12-30',
      ])
      expect(await keys('at', 'day', 'Europe/Berlin')).toEqual([
        null,
        '2021-01-03',
        '2024-03-31',
        '2024-10-27',
        '2024-12-31',
      ])
      expect(await keys('at', 'day', 'America/New_York')).toEqual([
        null,
        '2021-01-03',
        '2024-03-30',
        '2024-10-26',
        '2024-12-30',
      ])
      expect(await keys('day', 'week')).toEqual([null, '2020-W09', '2020-W53', '2025-W01'])
      expect(await keys('day', 'month', 'Asia/Tokyo')).toEqual([
        null,
        '2020-02',
        '2021-01',
        '2024-12',
      ])
    },
    models,
  )

  suite.alone(
    'takes a value as null where a guard hides it, and groups what satisfies the condition',
    async (store) => {
      await fill(store)
      const guards = [{ depth: 0, condition: paid }]
      const [all] = await store.groups(
        sale,
        planOfGroups({
          aggregates: [
            { function: 'sum', path: { names: ['units'], guards } },
            { function: 'sum', path: { names: ['units'] } },
          ],
        }),
      )
      const [shown] = await store.groups(
        sale,
        planOfGroups({ condition: paid, aggregates: aggregates(['sum', 'units']) }),
      )
      expect(all?.results[0]).toEqual(shown?.results[0])
      expect(all?.results[1]).not.toEqual(shown?.results[0])
      for (const name of ['shop', 'tags', 'labels', 'buyer']) {
        const guarded = await store.groups(
          sale,
          planOfGroups({ by: [{ path: { names: [name], guards } }] }),
        )
        const unguarded = await store.groups(sale, planOfGroups({ condition: paid, by: by(name) }))
        const visible = (groups: readonly ItemGroup[]) =>
          countsOf(groups.filter(({ keys }) => keys[0] !== null))
        expect(visible(guarded)).toEqual(visible(unguarded))
      }
      const vip: Condition = {
        kind: 'compare',
        path: toFieldPath('vip'),
        operator: 'equal',
        value: true,
      }
      const ofBuyers = await store.groups(
        sale,
        planOfGroups({
          by: [{ path: { names: ['buyer', 'name'], guards: [{ depth: 1, condition: vip }] } }],
        }),
      )
      expect(ofBuyers.map(({ keys }) => keys[0])).toEqual([null, 'Ada'])
    },
    models,
  )
}
