import fc from 'fast-check'
import { expect } from 'vitest'
import { z } from 'zod'
import { dateTime, decimal, field, model, toMany, toOne } from '../../index.ts'
import {
  always,
  type Condition,
  describeModels,
  type FieldPath,
  type ManyRelation,
  type ModelDescription,
  mapPaths,
  mapSortPaths,
  type PageRange,
  type PathCondition,
  printQueryPlan,
  type Scalar,
  type SortKey,
  type Store,
  type StoredValues,
  toFieldPath,
} from '../../store/public.ts'
import { idsOf, planOf, refill, type Suite } from './harness.ts'
import { isTrue } from './oracle.ts'
import { pagesOf } from './related-pages.ts'

const isOptional = { optional: true, nullable: true } as const

const [person] = describeModels([
  model('person', {
    name: z.string().nullish(),
    isPublic: z.boolean().nullish(),
    email: field(z.string().nullish(), { index: true }),
    age: field(z.int().nullish(), { index: true }),
    balance: field(decimal(6, 2, isOptional), { index: true }),
    seenAt: field(dateTime(isOptional), { index: true }),
    tags: z.array(z.string()).nullish(),
    address: z.object({ city: z.string().nullish() }).nullish(),
    mentor: toOne('person', { optional: true }),
    friends: toMany('person'),
    // No rule hides it, so that its pages are the same without the hidden values.
    colleagues: toMany('person'),
  }),
]) as readonly [ModelDescription]

const id = fc.constantFrom('p-0', 'p-1', 'p-2', 'p-3', 'p-4')
const text = fc.constantFrom('', 'a', 'Á', 'ab', 'b')
const integer = fc.constantFrom(-1, 0, 1, 10)
const balance = fc.constantFrom('-1.50', '0.00', '2.00', '10.00')
const instant = fc.constantFrom(
  '2024-01-01T00:00:00Z',
  '2024-01-01T00:00:00.5Z',
  '2025-01-01T00:00:00Z',
)
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })

const people: fc.Arbitrary<readonly StoredValues[]> = fc
  .array(
    fc.record({
      name: orNull(text),
      isPublic: orNull(fc.boolean()),
      email: orNull(text),
      age: orNull(integer),
      balance: orNull(balance),
      seenAt: orNull(instant),
      tags: orNull(fc.array(text, { maxLength: 2 })),
      address: orNull(fc.record({ city: orNull(text) })),
      mentor: orNull(id),
      friends: fc.uniqueArray(id, { maxLength: 3 }),
      colleagues: fc.uniqueArray(id, { maxLength: 3 }),
    }),
    { maxLength: 5 },
  )
  .map((items) => items.map((item, index) => ({ ...item, id: `p-${index}` })))

const scalars: Readonly<Record<string, fc.Arbitrary<Scalar>>> = {
  id,
  name: text,
  email: text,
  age: integer,
  balance,
  seenAt: instant,
  'address.city': text,
  mentor: id,
  'mentor.email': text,
  'mentor.balance': balance,
  'mentor.mentor.seenAt': instant,
}
const texts = ['name', 'email', 'address.city', 'mentor.email', 'mentor.mentor.name']
const members: Readonly<Record<string, fc.Arbitrary<Scalar>>> = {
  tags: text,
  friends: id,
  'mentor.tags': text,
  'mentor.friends': id,
}

const comparisons = Object.entries(scalars).map(([name, value]) => {
  const path = fc.constant(toFieldPath(name))
  return fc.oneof(
    fc.record({
      kind: fc.constant('compare' as const),
      path,
      operator: fc.constantFrom(
        'equal',
        'notEqual',
        'greaterThan',
        'greaterThanOrEqual',
        'lessThan',
        'lessThanOrEqual',
      ),
      value: orNull(value),
    }),
    fc.record({
      kind: fc.constant('oneOf' as const),
      path,
      values: fc.array(orNull(value), { maxLength: 3 }),
    }),
  )
})

const conditions: fc.Arbitrary<Condition> = fc.letrec<{ any: Condition; leaf: Condition }>(
  (tie) => ({
    leaf: fc.oneof(
      ...comparisons,
      fc.record({
        kind: fc.constant('text' as const),
        path: fc.constantFrom(...texts).map(toFieldPath),
        operator: fc.constantFrom(
          'contains',
          'startsWith',
          'endsWith',
          'like',
          'equalIgnoringCase',
          'containsIgnoringCase',
          'startsWithIgnoringCase',
        ),
        value: fc.constantFrom('', 'a', 'A', 'b%', '%'),
      }),
      fc.record({
        kind: fc.constant('search' as const),
        fields: fc.array(
          fc.record({
            path: fc.constantFrom(...texts).map(toFieldPath),
            weight: fc.constantFrom(1, 2),
          }),
          { minLength: 1, maxLength: 2 },
        ),
        terms: fc.array(
          fc.record({
            words: fc.constantFrom('a', 'b'),
            ending: fc.constantFrom('word' as const, 'beginning' as const),
            isExcluded: fc.boolean(),
          }),
          { minLength: 1, maxLength: 2 },
        ),
      }),
      ...Object.entries(members).map(([name, value]) =>
        fc.record({
          kind: fc.constant('members' as const),
          path: fc.constant(toFieldPath(name)),
          quantity: fc.constantFrom('any', 'all'),
          values: fc.array(value, { maxLength: 2 }),
        }),
      ),
      fc.constant(always),
    ),
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      tie('any').map((condition): Condition => ({ kind: 'not', condition })),
      fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('any'), { maxLength: 3 }))
        .map(([kind, all]): Condition => ({ kind, conditions: all })),
    ),
  }),
).any

const sortKeys: fc.Arbitrary<SortKey> = fc.record({
  path: fc.constantFrom(...Object.keys(scalars)).map(toFieldPath),
  direction: fc.constantFrom('asc', 'desc'),
})

const equal = (name: string, value: Scalar): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator: 'equal',
  value,
})

/** Who may see a field of a person, without date-times and decimals, which the oracle lacks. */
const audiences = fc.constantFrom<Condition>(
  { kind: 'never' },
  equal('isPublic', true),
  { kind: 'not', condition: equal('isPublic', true) },
  { kind: 'compare', path: toFieldPath('age'), operator: 'greaterThan', value: 0 },
  { kind: 'text', path: toFieldPath('name'), operator: 'containsIgnoringCase', value: 'a' },
  equal('mentor', 'p-1'),
  equal('mentor.isPublic', true),
  { kind: 'members', path: toFieldPath('friends'), quantity: 'any', values: ['p-0', 'p-2'] },
  { kind: 'not', condition: equal('mentor.mentor.name', 'a') },
  {
    kind: 'or',
    conditions: [equal('id', 'p-0'), equal('mentor', 'p-0'), equal('isPublic', null)],
  },
)

const rulesOfFields = fc.record(
  Object.fromEntries(
    ['email', 'age', 'balance', 'seenAt', 'tags', 'address', 'mentor', 'friends'].map((name) => [
      name,
      audiences,
    ]),
  ),
  { requiredKeys: [] },
)

/** By field name. */
type Rules = Readonly<Record<string, Condition | undefined>>

/** The people without the values that their rules hide. */
function withoutHidden(items: readonly StoredValues[], rules: Rules): readonly StoredValues[] {
  return items.map((item) => {
    const hidden = Object.entries(rules)
      .filter(([, rule]) => rule && !isTrue([[person, items]], person, item, rule))
      .map(([name]) => name)
    const shown = Object.entries(item).filter(([name]) => !hidden.includes(name))
    return { ...Object.fromEntries(shown), id: item.id }
  })
}

/** The path with a guard at the depth of each name that has a rule. */
function guardedBy(rules: Rules, path: FieldPath): FieldPath {
  const guards = path.names.flatMap((name, depth): PathCondition[] => {
    const condition = rules[name]
    return condition ? [{ depth, condition }] : []
  })
  return { ...path, guards }
}

interface Query {
  readonly condition: Condition
  readonly sort: readonly SortKey[]
}

/** All that a store answers to a query. */
async function answersTo(store: Store, { condition, sort }: Query) {
  const pageOf = async (pageRange: PageRange) => {
    const { entries } = await store.page(person, planOf(condition, sort, pageRange))
    return entries.map(({ id, position }) => ({ id, position }))
  }
  const whole = { kind: 'offset', offset: 0, limit: 100 } as const
  const all = await pageOf(whole)
  const middle = all[all.length >> 1]?.position
  const last = all.at(-1)?.position
  const colleagues = person.relations.find(({ name }) => name === 'colleagues') as ManyRelation
  const owners = ['p-0', 'p-1', 'p-2']
  const ofOwners = await pagesOf(store, person, colleagues, owners, {
    ...planOf(condition, sort),
    pageRange: { ...whole, limit: 2 },
  })
  return {
    all,
    ids: await idsOf(store, person, planOf(condition, sort)),
    count: await store.count(person, condition),
    first: await pageOf({ ...whole, limit: 1 }),
    after: middle && (await pageOf({ kind: 'after', position: middle, limit: 2 })),
    before: middle && (await pageOf({ kind: 'before', position: middle, limit: 2 })),
    between:
      middle && last && (await pageOf({ kind: 'between', after: middle, before: last, limit: 2 })),
    ofOwners: Object.fromEntries(ofOwners),
  }
}

export function guards(suite: Suite): void {
  suite.alone(
    'answers with guards as it does without them where the hidden values are missing',
    async (store) => {
      const seeds = fc.record({
        items: people,
        rules: rulesOfFields,
        queries: fc.array(
          fc.record({ condition: conditions, sort: fc.array(sortKeys, { maxLength: 2 }) }),
          { minLength: 8, maxLength: 8 },
        ),
      })
      await fc.assert(
        fc.asyncProperty(seeds, async ({ items, rules, queries }) => {
          const guard = (path: FieldPath) => guardedBy(rules, path)
          const guarded = queries.map(({ condition, sort }) => ({
            condition: mapPaths(condition, guard),
            sort: sort.map((key) => mapSortPaths(key, guard)),
          }))
          await refill(store, [[person, items]])
          const actual = []
          for (const query of guarded) actual.push(await answersTo(store, query))
          await refill(store, [[person, withoutHidden(items, rules)]])
          for (const [index, query] of queries.entries()) {
            const what = printQueryPlan({ ...planOf(), ...guarded[index]! })
            expect(actual[index], what).toEqual(await answersTo(store, query))
          }
        }),
        { numRuns: 60, interruptAfterTimeLimit: 15_000 },
      )
    },
    [person],
  )
}
