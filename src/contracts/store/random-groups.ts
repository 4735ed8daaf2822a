import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type AggregateTerm,
  always,
  type Condition,
  type GroupKey,
  type GroupPlan,
  type Scalar,
  type StoredValues,
  toFieldPath,
} from '../../store/public.ts'
import { buyer, label, models, paid, sale, saleValues } from './grouped-sales.ts'
import { comparableGroups, expectedGroups } from './groups-oracle.ts'
import { refill, type Suite, type World } from './harness.ts'

const sales: fc.Arbitrary<readonly StoredValues[]> = fc
  .array(
    fc.record(
      Object.fromEntries(
        Object.entries(saleValues).map(([name, values]) => [
          name,
          fc.constantFrom<unknown>(...values),
        ]),
      ),
    ),
    { maxLength: 12 },
  )
  .map((items) =>
    items.map((item, index) => ({ ...item, id: `s-${index}` }) as unknown as StoredValues),
  )

const buyers: fc.Arbitrary<readonly StoredValues[]> = fc
  .record({
    ada: fc.constantFrom('Ada', 'Bob', null),
    isVip: fc.constantFrom(true, false, null),
  })
  .map(
    ({ ada, isVip }) =>
      [
        { id: 'ada', name: ada, vip: isVip },
        { id: 'bob', name: 'Bob', vip: false },
      ] as unknown as readonly StoredValues[],
  )

const worlds: fc.Arbitrary<World> = fc.tuple(buyers, sales).map(([ofBuyers, ofSales]) => [
  [buyer, ofBuyers],
  [label, [{ id: 'l-1', name: 'new' }, { id: 'l-2' }] as unknown as readonly StoredValues[]],
  [sale, ofSales],
])

/** What a condition compares: members whose values are the same in each form. */
const compared: Readonly<Record<string, readonly Scalar[]>> = {
  shop: saleValues.shop,
  price: saleValues.price,
  units: saleValues.units,
  paid: saleValues.paid,
  day: saleValues.day,
  buyer: saleValues.buyer,
  'buyer.name': ['Ada', 'Bob', null],
  'box.kind': ['small', null],
}

const comparison: fc.Arbitrary<Condition> = fc
  .constantFrom(...Object.keys(compared))
  .chain((name) => {
    const path = fc.constant(toFieldPath(name))
    const value = fc.constantFrom(...compared[name]!)
    return fc.oneof(
      fc.record({
        kind: fc.constant('compare' as const),
        path,
        operator: fc.constantFrom('equal', 'notEqual', 'greaterThan', 'lessThanOrEqual'),
        value,
      }),
      fc.record({
        kind: fc.constant('oneOf' as const),
        path,
        values: fc.array(value, { maxLength: 3 }),
      }),
    )
  })

const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(always) },
  { weight: 3, arbitrary: comparison },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('and', 'or'),
      conditions: fc.array(comparison, { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('not' as const), condition: comparison }),
  },
)

/** Some paths have a guard. */
function pathsTo(...names: readonly string[]): fc.Arbitrary<GroupKey['path']> {
  return fc
    .tuple(fc.constantFrom(...names), fc.nat(4))
    .map(([name, each]) =>
      each === 0
        ? { ...toFieldPath(name), guards: [{ depth: 0, condition: paid }] }
        : toFieldPath(name),
    )
}

const listKey: fc.Arbitrary<GroupKey> = fc.record({ path: pathsTo('tags', 'labels') })
const key: fc.Arbitrary<GroupKey> = fc.oneof(
  fc.record({
    path: pathsTo(
      'price',
      'units',
      'total',
      'at',
      'day',
      'paid',
      'shop',
      'box.kind',
      'buyer',
      'buyer.name',
      'buyer.vip',
    ),
  }),
  fc.record(
    {
      path: pathsTo('at', 'day'),
      part: fc.constantFrom('year', 'quarter', 'month', 'week', 'day'),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
    },
    { requiredKeys: ['path', 'part'] },
  ),
)
const keys: fc.Arbitrary<readonly GroupKey[]> = fc
  .tuple(fc.array(key, { maxLength: 2 }), fc.option(listKey, { freq: 3 }), fc.boolean())
  .map(([others, list, isFirst]) => {
    if (!list) return others
    return isFirst ? [list, ...others] : [...others, list]
  })

const term: fc.Arbitrary<AggregateTerm> = fc.oneof(
  fc.record({
    function: fc.constant('sum' as const),
    path: pathsTo('price', 'units', 'total', 'box.weight'),
  }),
  fc.record({
    function: fc.constantFrom('min', 'max'),
    path: pathsTo('price', 'units', 'total', 'at', 'day', 'box.weight'),
  }),
  fc.record({
    function: fc.constant('countDistinct' as const),
    path: pathsTo('price', 'total', 'at', 'day', 'shop', 'buyer', 'buyer.name'),
  }),
)

const plans: fc.Arbitrary<GroupPlan> = fc.record({
  condition,
  by: keys,
  aggregates: fc.array(term, { maxLength: 4 }),
  order: fc.constantFrom('keys', 'largestFirst'),
  limit: fc.constantFrom(1, 3, 1_000),
})

/** A world costs a write, and a plan only a read, so each world gets many plans. */
const seeds = fc.record({
  world: worlds,
  plans: fc.array(plans, { minLength: 12, maxLength: 12 }),
})

export function randomGroups(suite: Suite): void {
  suite.alone(
    'groups random items by random plans as the definition does',
    async (store) => {
      await fc.assert(
        fc.asyncProperty(seeds, async ({ world, plans: questions }) => {
          await refill(store, world)
          for (const plan of questions)
            expect(
              comparableGroups(await store.groups(sale, plan)),
              JSON.stringify(plan, undefined, 2),
            ).toEqual(expectedGroups(world, plan))
        }),
        { numRuns: 200, interruptAfterTimeLimit: 15_000 },
      )
    },
    models,
  )
}
