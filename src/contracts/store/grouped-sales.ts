// What is grouped, with values chosen to break doubles, and what it has to add up to.

import { z } from 'zod'
import { dateTime, decimal, model, toMany, toOne } from '../../index.ts'
import {
  type AggregateFunction,
  always,
  type Condition,
  describeModels,
  type GroupKey,
  type GroupPlan,
  type ItemGroup,
  type ModelDescription,
  type Scalar,
  type Store,
  type StoredValues,
  toFieldPath,
} from '../../store/public.ts'
import { insertAll } from './harness.ts'

const Buyer = model('buyer', { name: z.string().nullish(), vip: z.boolean().nullish() })
const Label = model('label', { name: z.string().nullish() })
const Sale = model('sale', {
  price: z.number().nullish(),
  units: z.int().nullish(),
  total: decimal(30, 12, { nullable: true, optional: true }),
  at: dateTime({ nullable: true, optional: true }),
  day: z.iso.date().nullish(),
  paid: z.boolean().nullish(),
  shop: z.string().nullish(),
  tags: z.array(z.string().nullable()).nullish(),
  box: z.object({ weight: z.number().nullish(), kind: z.string().nullish() }).nullish(),
  buyer: toOne('buyer', { optional: true }),
  labels: toMany('label'),
})

export const models: readonly ModelDescription[] = describeModels([Buyer, Label, Sale])
export const buyer: ModelDescription = models[0]!
export const label: ModelDescription = models[1]!
export const sale: ModelDescription = models[2]!

/** Sums of doubles that depend on the order of the rows, or lose small values. */
const breakingDoubles = [
  0.1,
  0.2,
  -0.3,
  1e16,
  1,
  -1e16,
  1e300,
  -1e300,
  5e-324,
  0.123_456_789_012_345_6,
  2 ** 53,
  1.1,
  123_456_789.012_345,
  -7.25,
  1e-7,
  999_999_999.999_999,
]
const breakingDecimals = [
  '0.1',
  '0.2',
  '-0.3',
  '123456789012345678.000000000001',
  '-123456789012345678',
  '0.50',
  '7',
  '-0.000000000009',
]
const largeIntegers = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 2, -5, 0]

/** The values of each member. */
export const saleValues: Readonly<
  Record<
    'price' | 'units' | 'total' | 'at' | 'day' | 'paid' | 'shop' | 'buyer',
    readonly Scalar[]
  > &
    Record<'tags' | 'box' | 'labels', readonly unknown[]>
> = {
  price: [...breakingDoubles, null],
  units: [...largeIntegers, null],
  total: [...breakingDecimals, null],
  at: [
    '2024-03-31T00:59:59Z',
    '2024-03-31T01:00:00.5Z',
    '2024-10-27T00:30:00+02:00',
    '2024-12-30T23:30:00Z',
    '2021-01-03T12:00:00-05:00',
    null,
  ],
  day: ['2024-12-30', '2021-01-03', '2020-02-29', null],
  paid: [true, false, null],
  shop: ["O'Neill", 'Ångström', 'a\u0001b', '😀', '\uFFFD', '', null],
  tags: [[], ['red'], ['red', 'red', 'blue'], [null, 'blue'], null],
  box: [{ weight: 0.1, kind: 'small' }, { weight: 2.5, kind: null }, null],
  buyer: ['ada', 'bob', null],
  labels: [[], ['l-1'], ['l-1', 'l-2']],
}

export function sales(): readonly StoredValues[] {
  let state = 7
  const oneOf = <T>(values: readonly T[]): T => {
    state = (state * 48_271) % 2_147_483_647
    return values[state % values.length]!
  }
  return Array.from({ length: 120 }, (_, index) => {
    const values = Object.entries(saleValues).map(([name, all]) => [name, oneOf<unknown>(all)])
    return { id: `s-${String(index).padStart(3, '0')}`, ...Object.fromEntries(values) }
  }) as unknown as readonly StoredValues[]
}

export async function fill(store: Store): Promise<void> {
  await insertAll(store, [
    [
      buyer,
      [
        { id: 'ada', name: 'Ada', vip: true },
        { id: 'bob', name: 'Bob', vip: false },
      ],
    ],
    [label, [{ id: 'l-1', name: 'new' }, { id: 'l-2' }]],
    [sale, sales()],
  ])
}

export function expectedCounts(
  keysOf: (item: Record<string, unknown>) => readonly Scalar[],
): object {
  const counts: Record<string, number> = {}
  for (const item of sales())
    for (const key of keysOf(item as unknown as Record<string, unknown>)) {
      const name = JSON.stringify([key])
      counts[name] = (counts[name] ?? 0) + 1
    }
  return counts
}

/** The exact sum of numbers as they are written, in units of ten to the power of -330. */
export function sumOf(values: readonly (string | number)[]): bigint {
  return values.reduce((sum, value) => {
    const [mantissa = '', exponent = '0'] = String(value).split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    return sum + BigInt(whole + fraction) * 10n ** BigInt(330 - fraction.length + Number(exponent))
  }, 0n)
}

export function valuesOf(member: string): readonly (string | number)[] {
  return sales().flatMap((item) => {
    const value = (item as unknown as Record<string, string | number | null>)[member]
    return value === null || value === undefined ? [] : [value]
  })
}

export /** The counts of groups, by the texts of their keys. */
function countsOf(groups: readonly ItemGroup[]): object {
  return Object.fromEntries(groups.map(({ keys, count }) => [JSON.stringify(keys), count]))
}

export const paid: Condition = {
  kind: 'compare',
  path: toFieldPath('paid'),
  operator: 'equal',
  value: true,
}

export function planOfGroups(plan: Partial<GroupPlan>): GroupPlan {
  return { condition: always, by: [], aggregates: [], order: 'keys', limit: 1_000, ...plan }
}

export function by(...names: readonly string[]): readonly GroupKey[] {
  return names.map((name) => ({ path: toFieldPath(name) }))
}

export function aggregates(
  ...terms: readonly (readonly [AggregateFunction, string])[]
): GroupPlan['aggregates'] {
  return terms.map(([name, path]) => ({ function: name, path: toFieldPath(path) }))
}
