import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../../src/model/declare/model.ts'
import { toMany, toOne } from '../../src/model/declare/relation.ts'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import type { ModelDescription } from '../../src/model/model-description.ts'
import { allOf, always, andAlso, anyOf, idEquals, negate } from '../../src/query/conditions.ts'
import type { Condition, FieldPath, Scalar } from '../../src/query/query-plan.ts'
import { holdsForValues } from '../../src/store/holds-for-values.ts'
import type { Store } from '../../src/store/store.ts'
import { createStoredItem } from '../../src/stored-item/create-stored-item.ts'
import type { StoredValues } from '../../src/stored-item/stored-item.ts'
import { stores } from '../support/stores.ts'

const [team, member] = describeModels([
  model('team', {
    name: z.string().optional(),
    lead: toOne('member', { optional: true }),
    members: toMany('member', { inverse: 'team' }),
  }),
  model('member', {
    age: z.int().nullish(),
    team: toOne('team', { optional: true }),
    friends: toMany('member'),
    followers: toMany('member', { inverse: 'friends' }),
    led: toMany('team', { inverse: 'lead' }),
  }),
]) as [ModelDescription, ModelDescription]

const members: readonly StoredValues[] = [
  { id: 'a', age: 20, team: 'red', friends: ['b', 'c'] },
  { id: 'b', age: 30, team: 'blue', friends: [] },
  { id: 'c', age: null, team: null, friends: ['a'] },
  { id: 'd', age: 40, team: 'red', friends: ['c', 'd'] },
]

const path = (names: string, guards?: FieldPath['guards']): FieldPath => ({
  names: names.split('.'),
  ...(guards && { guards }),
})
const compare = (
  to: FieldPath,
  value: Scalar,
  operator: 'equal' | 'notEqual' | 'lessThan' = 'equal',
): Condition => ({ kind: 'compare', path: to, operator, value })
const someOf = (names: string, condition: Condition, guards?: FieldPath['guards']): Condition => ({
  kind: 'some',
  path: path(names, guards),
  condition,
})
const membersOf = (
  names: string,
  quantity: 'any' | 'all',
  values: readonly Scalar[],
  guards?: FieldPath['guards'],
): Condition => ({ kind: 'members', path: path(names, guards), quantity, values })
const isRed = compare(path('name'), 'Red')
const guardAt = (depth: number, condition: Condition) => [{ depth, condition }]

const leaves: readonly Condition[] = [
  compare(path('age'), 20),
  compare(path('age'), null),
  compare(path('age'), 35, 'lessThan'),
  compare(path('team'), 'red'),
  compare(path('team.name'), 'Red'),
  compare(path('team.name'), 'Red', 'notEqual'),
  compare(path('team.name'), null),
  compare(path('team.lead.age'), 20),
  compare(path('team.lead.team.name'), 'Red'),
  compare(path('team.name', guardAt(1, compare(path('name'), 'Blue'))), 'Red'),
  compare(path('team.name', guardAt(1, isRed)), 'Red'),
  compare(path('team.name', guardAt(0, compare(path('age'), 20))), 'Red'),
  compare(path('team', guardAt(1, isRed)), 'red'),
  compare(path('team', guardAt(1, compare(path('name'), 'Blue'))), null),
  membersOf('friends', 'any', ['c']),
  membersOf('friends', 'all', ['b', 'c']),
  membersOf('friends', 'all', []),
  membersOf('friends', 'any', ['c'], guardAt(1, compare(path('age'), 30))),
  membersOf('followers', 'any', ['a']),
  membersOf('followers', 'all', ['a', 'd']),
  membersOf('followers', 'all', []),
  membersOf('team.members', 'any', ['a']),
  someOf('friends', compare(path('age'), 30)),
  someOf('friends', compare(path('age'), 30), guardAt(1, compare(path('team'), 'red'))),
  someOf('followers', compare(path('team.name'), 'Red')),
  someOf('led', always),
  someOf('led', isRed),
  someOf('team.members', compare(path('age'), 40)),
]

const conditions: readonly Condition[] = [
  ...leaves,
  ...leaves.map(negate),
  ...leaves.map((leaf, index) => allOf([leaf, leaves[(index + 3) % leaves.length]!])),
  ...leaves.map((leaf, index) => anyOf([leaf, negate(leaves[(index + 5) % leaves.length]!)])),
]

describe.each(stores)('A condition on values that are not read, on $name', ({ make }) => {
  let store: Store

  beforeAll(async () => {
    store = await make()
    await store.open([team, member])
    const insert = (of: ModelDescription, values: StoredValues) =>
      store.write((transaction) => transaction.insert(of, createStoredItem(of, values, 1)))
    const later = new Map(members.map((values) => [values.id, values]))
    for (const { id } of members) await insert(member, { id, age: 0, team: null, friends: [] })
    await insert(team, { id: 'red', name: 'Red', lead: 'a' })
    await insert(team, { id: 'blue', lead: null })
    for (const values of later.values())
      await store.write((transaction) =>
        transaction.replace(member, createStoredItem(member, values, 2)),
      )
  })

  it('holds exactly where the store finds an item with these values', async () => {
    const results = new Set<boolean>()
    for (const condition of conditions)
      for (const values of members) {
        const isFound =
          (await store.find(member, andAlso(condition, idEquals(values.id)))) !== undefined
        const holds = await holdsForValues(store, member, values, condition)
        expect({ id: values.id, condition, holds }).toEqual({
          id: values.id,
          condition,
          holds: isFound,
        })
        results.add(holds)
      }
    expect(results.size).toBe(2)
  })

  it('looks at what the values say, not at what is stored', async () => {
    const past = { ...members[1]!, team: 'red', age: 99 }
    expect(await holdsForValues(store, member, past, compare(path('team.name'), 'Red'))).toBe(true)
    expect(await holdsForValues(store, member, past, compare(path('age'), 30))).toBe(false)
    const gone = { ...past, team: 'gone' }
    expect(await holdsForValues(store, member, gone, compare(path('team.name'), 'Red'))).toBe(false)
  })
})
