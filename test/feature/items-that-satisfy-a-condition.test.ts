import type { Store } from 'resourcery'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../../src/model/declare/model.ts'
import { toMany, toOne } from '../../src/model/declare/relation.ts'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import type { ModelDescription } from '../../src/model/model-description.ts'
import { allOf, idEquals, negate, toFieldPath } from '../../src/query/conditions.ts'
import { allItemsPlan, type Condition, type Scalar } from '../../src/query/query-plan.ts'
import { satisfyingIds } from '../../src/store/satisfying-ids.ts'
import type { StoreReader } from '../../src/store/store-reader.ts'
import { createStoredItem } from '../../src/stored-item/create-stored-item.ts'
import type { StoredItem } from '../../src/stored-item/stored-item.ts'
import { counted } from '../support/counted.ts'
import { stores } from '../support/stores.ts'

const [team, member] = describeModels([
  model('team', { name: z.string(), members: toMany('member', { inverse: 'team' }) }),
  model('member', {
    isPublic: z.boolean(),
    code: z.uuid().nullish(),
    team: toOne('team', { optional: true }),
    friends: toMany('member'),
    followers: toMany('member', { inverse: 'friends' }),
  }),
]) as [ModelDescription, ModelDescription]

const equal = (name: string, value: Scalar): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator: 'equal',
  value,
})
const holdsAny = (name: string, ...values: Scalar[]): Condition => ({
  kind: 'members',
  path: toFieldPath(name),
  quantity: 'any',
  values,
})
const code = '6f0f6cc2-4a2c-4a0e-9d0c-1d3b8f6c8a11'
const count = 1_200

async function listMembers(store: StoreReader): Promise<StoredItem[]> {
  const items: StoredItem[] = []
  for await (const batch of store.list(member, allItemsPlan)) items.push(...batch)
  return items
}

describe.each(stores)('Items that satisfy a condition, on $name', ({ make }) => {
  let store: Store
  let calls: string[]
  let items: readonly StoredItem[]
  const nameOf = (index: number) => `m-${String(index).padStart(4, '0')}`

  beforeAll(async () => {
    const inner = await make()
    await inner.open([team, member])
    await inner.write(async (transaction) => {
      await transaction.insert(team, createStoredItem(team, { id: 'red', name: 'Red' }, 1))
      await transaction.insert(team, createStoredItem(team, { id: 'blue', name: 'Blue' }, 1))
      for (let index = 0; index < count; index++) {
        const values = {
          id: nameOf(index),
          isPublic: index % 2 === 0,
          code: index === 0 ? code : null,
          team: index % 3 === 0 ? 'red' : 'blue',
          friends: index === 5 ? [nameOf(6), nameOf(7)] : [],
        }
        await transaction.insert(member, createStoredItem(member, values, 1))
      }
    })
    ;({ store, calls } = counted(inner))
    items = await listMembers(inner)
    expect(items).toHaveLength(count)
  }, 120_000)

  const idsOf = async (condition: Condition, of = items) => {
    calls.length = 0
    return [...(await satisfyingIds(store, member, of, condition))].toSorted()
  }
  const indexes = Array.from({ length: count }, (_, index) => index)

  it('are told by what they hold without a query', async () => {
    const isRed = equal('team', 'red')
    expect(await idsOf(allOf([equal('isPublic', true), isRed]))).toEqual(
      indexes.filter((index) => index % 6 === 0).map(nameOf),
    )
    const path = { names: ['team'], guards: [{ depth: 0, condition: equal('isPublic', true) }] }
    expect(await idsOf({ kind: 'compare', path, operator: 'equal', value: 'red' })).toEqual(
      indexes.filter((index) => index % 6 === 0).map(nameOf),
    )
    expect(await idsOf(holdsAny('friends', nameOf(6)))).toEqual([nameOf(5)])
    expect(await idsOf({ kind: 'always' })).toHaveLength(count)
    expect(await idsOf({ kind: 'never' })).toEqual([])
    expect(calls).toEqual([])
  })

  it('are asked for in batches where the condition leads to other items', async () => {
    const isOfRed = equal('team.name', 'Red')
    expect(await idsOf(isOfRed)).toEqual(indexes.filter((index) => index % 3 === 0).map(nameOf))
    expect(calls).toEqual(['page member', 'page member', 'page member'])
    expect(await idsOf(allOf([equal('isPublic', true), isOfRed]))).toEqual(
      indexes.filter((index) => index % 6 === 0).map(nameOf),
    )
    expect(calls).toEqual(['page member', 'page member'])
    expect(await idsOf(holdsAny('followers', nameOf(5)))).toEqual([nameOf(6), nameOf(7)])
    const path = { names: ['team'], guards: [{ depth: 1, condition: equal('name', 'Red') }] }
    expect(await idsOf({ kind: 'compare', path, operator: 'equal', value: 'blue' })).toEqual([])
    expect(calls.length).toBeGreaterThan(0)
    expect(await idsOf(allOf([{ kind: 'never' }, isOfRed]))).toEqual([])
    expect(await idsOf(isOfRed, [])).toEqual([])
    expect(calls).toEqual([])
  })

  it('are the same as the store finds where columns compare in a way of their own', async () => {
    for (const condition of [
      equal('code', code.toUpperCase()),
      negate(equal('code', code.toUpperCase())),
      { kind: 'compare', path: toFieldPath('id'), operator: 'lessThan', value: 'm-0010' } as const,
    ])
      expect(await idsOf(condition)).toHaveLength(await store.count(member, condition))
  })

  it('are told by the writes of the transaction that asks', async () => {
    const undone = new Error('undone')
    const [first] = items
    await expect(
      store.write(async (transaction) => {
        const isOfGreen = equal('team.name', 'Green')
        expect(await satisfyingIds(transaction, member, [first!], isOfGreen)).toEqual(new Set())
        await transaction.find(team, idEquals('red'))
        await transaction.replace(team, createStoredItem(team, { id: 'red', name: 'Green' }, 2))
        expect(await satisfyingIds(transaction, member, [first!], isOfGreen)).toEqual(
          new Set([first!.id]),
        )
        throw undone
      }),
    ).rejects.toBe(undone)
    expect(await idsOf(equal('team.name', 'Green'))).toEqual([])
  })

  it('do not include items that the store does not have, where it is asked', async () => {
    const values = { id: 'new', isPublic: true, team: 'red', friends: [] }
    const unstored = createStoredItem(member, values, 1)
    expect(await idsOf(equal('team.name', 'Red'), [unstored])).toEqual([])
    expect(await idsOf(equal('isPublic', true), [unstored])).toEqual(['new'])
  })

  it('cannot be told by a path that the model does not have', async () => {
    await expect(idsOf(equal('nothing', 1), [])).rejects.toThrow(TypeError)
  })
})
