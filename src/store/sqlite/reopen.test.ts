import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field, hash } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { always, idEquals, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { Store } from '../store.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { loadDriver } from './driver.ts'
import { sqlite } from './sqlite.ts'

const one = (of: AnyModel): ModelDescription => describeModels([of])[0]!

async function opened(file: string, of: ModelDescription): Promise<Store> {
  const store = sqlite(file, { durability: 'normal' })
  onTestFinished(() => store.close())
  await store.open([of])
  return store
}

const add = (store: Store, of: ModelDescription, values: StoredValues) =>
  store.write((transaction) => transaction.insert(of, createStoredItem(of, values, 1)))

async function idsOf(
  store: Store,
  of: ModelDescription,
  condition: Condition,
  sort: QueryPlan['sort'] = [],
) {
  const pageRange = { kind: 'offset', offset: 0, limit: 100 } as const
  return (await store.page(of, { condition, sort, pageRange: pageRange })).entries.map(
    ({ id }) => id,
  )
}

test('a new field gets its column and index, with the values of stored items', async () => {
  const file = temporaryFile()
  const before = one(
    model('film', { title: z.string(), year: z.int(), Name: z.string().optional() }),
  )
  const first = await opened(file, before)
  await add(first, before, { id: 'f-1', title: 'M', year: 1931 })
  await add(first, before, { id: 'f-2', title: 'Alien', year: 1979 })
  await first.close()

  const after = one(
    model('film', {
      title: z.string(),
      year: field(z.int(), { index: true }),
      name: z.string().optional(),
      Name: z.string().optional(),
      rating: field(z.number(), { index: true, missing: 'allow' }),
      code: field(z.string().optional(), { unique: true }),
      sequels: toMany('film'),
      origin: toOne('film', { optional: true }),
    }),
  )
  const second = await opened(file, after)
  await add(second, after, {
    id: 'f-3',
    title: 'Aliens',
    year: 1986,
    rating: 8,
    name: 'low',
    Name: 'up',
    sequels: ['f-1'],
  })
  const year: Condition = {
    kind: 'compare',
    path: toFieldPath('year'),
    operator: 'greaterThan',
    value: 1950,
  }
  expect(
    await idsOf(second, after, year, [{ path: toFieldPath('year'), direction: 'desc' }]),
  ).toEqual(['f-3', 'f-2'])
  // Required now, but absent from what was stored before: still the smallest.
  const rating: Condition = {
    kind: 'compare',
    path: toFieldPath('rating'),
    operator: 'lessThan',
    value: 9,
  }
  expect(await idsOf(second, after, rating)).toEqual(['f-1', 'f-2', 'f-3'])
  const name: Condition = {
    kind: 'compare',
    path: toFieldPath('name'),
    operator: 'equal',
    value: 'up',
  }
  expect(await idsOf(second, after, name)).toEqual([])
  expect(await idsOf(second, after, relatesToAny('sequels', 'toMany', ['f-1']))).toEqual(['f-3'])
})

test('the join table of a new relation is filled from stored items', async () => {
  const file = temporaryFile()
  const before = one(model('film', { sequels: z.array(z.string()) }))
  const first = await opened(file, before)
  await add(first, before, { id: 'f-1', sequels: ['f-2', 'f-3'] })
  await first.close()
  const after = one(model('film', { sequels: toMany('film') }))
  const second = await opened(file, after)
  expect(await idsOf(second, after, relatesToAny('sequels', 'toMany', ['f-3']))).toEqual(['f-1'])
})

test('items get a version when their model gets one', async () => {
  const file = temporaryFile()
  const before = one(model('film', { title: z.string() }))
  const first = await opened(file, before)
  await add(first, before, { id: 'f-1', title: 'M' })
  await first.close()
  const after = one(model('film', { title: z.string(), hash: hash() }))
  const second = await opened(file, after)
  await add(second, after, { id: 'f-2', title: 'Alien' })
  expect(await second.fastPaths!.findVersion!(after, idEquals('f-1'))).toMatch(/^[\w-]{43}$/)
  expect(await second.fastPaths!.findVersion!(after, idEquals('f-1'))).toBe(
    (await second.find(after, idEquals('f-1')))!.hash,
  )
  expect(await second.fastPaths!.findVersion!(after, idEquals('f-2'))).toBe(
    (await second.find(after, idEquals('f-2')))?.hash,
  )
})

test('an error names the field that cannot become unique', async () => {
  const file = temporaryFile()
  const before = one(model('film', { code: z.string() }))
  const first = await opened(file, before)
  await add(first, before, { id: 'f-1', code: 'x' })
  await add(first, before, { id: 'f-2', code: 'x' })
  await first.close()
  const after = one(model('film', { code: field(z.string(), { unique: true }) }))
  await expect(opened(file, after)).rejects.toThrow(
    "The field 'code' of the model 'film' is unique",
  )
  expect(await (await opened(file, before)).count(before, always)).toBe(2)
})

test('the store is unavailable once it is closed, and while its file cannot be opened', async () => {
  const film = one(model('film', { title: z.string() }))
  const store = await opened(temporaryFile(), film)
  await store.close()
  await expect(store.find(film, idEquals('x'))).rejects.toThrow(StoreUnavailable)
  await expect(add(store, film, { id: 'x', title: 'x' })).rejects.toThrow(StoreUnavailable)
  await expect(
    store
      .list(film, {
        condition: always,
        sort: [],
        pageRange: { kind: 'offset', offset: 0, limit: 1 },
      })
      [Symbol.asyncIterator]()
      .next(),
  ).rejects.toThrow(StoreUnavailable)

  const folder = temporaryFile('')
  const elsewhere = sqlite(folder)
  await expect(elsewhere.open([film])).rejects.toThrow(StoreUnavailable)
})

test('a field that a model left out for a while compares by the values that it had, also of items written meanwhile', async () => {
  const file = temporaryFile()
  const whole = one(model('film', { title: z.string(), year: field(z.int(), { index: true }) }))
  const without = one(model('film', { title: z.string() }))
  const first = await opened(file, whole)
  await add(first, whole, { id: 'f-1', title: 'M', year: 1931 })
  await first.close()

  const second = await opened(file, without)
  await second.write(async (transaction) => {
    await transaction.replace(without, createStoredItem(without, { id: 'f-1', title: 'N' }, 2))
  })
  await second.close()

  const third = await opened(file, whole)
  const year = toFieldPath('year')
  const of1931: Condition = { kind: 'compare', path: year, operator: 'equal', value: 1931 }
  expect(await idsOf(third, whole, of1931)).toEqual(['f-1'])
  expect(await idsOf(third, whole, { ...of1931, value: null })).toEqual([])
})

test('a file with generated columns, as layout version 1 had them, is read and written', async () => {
  const file = temporaryFile()
  const film = one(model('film', { title: z.string(), year: field(z.int(), { index: true }) }))
  const made = (await loadDriver()).open(file, { readOnly: false })
  made.exec(`
    create table "_layout" (key text primary key not null, value) without rowid;
    insert into "_layout" values ('version', 1);
    create table "films" (id text primary key not null,
      "text.year#" real generated always as ("text" ->> '$."year"') stored,
      text text not null, split integer not null, hidden text, hash text,
      revision integer not null) without rowid`)
  made.close()
  const store = await opened(file, film)
  await add(store, film, { id: 'f-1', title: 'M', year: 1931 })
  await store.write((transaction) =>
    transaction.replace(film, createStoredItem(film, { id: 'f-1', title: 'M', year: 1932 }, 2)),
  )
  const year = toFieldPath('year')
  const of1932: Condition = { kind: 'compare', path: year, operator: 'equal', value: 1932 }
  expect(await idsOf(store, film, of1932)).toEqual(['f-1'])
  await store.close()
  const later = (await loadDriver()).open(file, { readOnly: true })
  onTestFinished(() => later.close())
  // Programs that know version 1 alone would not set the columns of new tables.
  expect(later.prepare(`select value from "_layout" where key = 'version'`).get([])).toEqual([2])
})

test('a field that had another type for a while compares by its values of today', async () => {
  const file = temporaryFile()
  const year = { kind: 'compare', path: toFieldPath('year'), operator: 'equal' } as const
  const numbers = one(model('film', { year: field(z.int(), { unique: true }) }))
  const mixed = one(model('film', { year: z.union([z.int(), z.string()]) }))
  const first = await opened(file, numbers)
  await add(first, numbers, { id: 'f-1', year: 1931 })
  await add(first, numbers, { id: 'f-2', year: 1979 })
  await first.close()

  const second = await opened(file, mixed)
  await second.write(async (transaction) => {
    await transaction.replace(mixed, createStoredItem(mixed, { id: 'f-1', year: 1979 }, 2))
    await transaction.replace(mixed, createStoredItem(mixed, { id: 'f-2', year: 1931 }, 2))
  })
  await second.close()

  const third = await opened(file, numbers)
  expect(await idsOf(third, numbers, { ...year, value: 1931 })).toEqual(['f-2'])
  expect(await add(third, numbers, { id: 'f-3', year: 1979 })).toEqual({
    kind: 'taken',
    fields: ['year'],
  })
})

test('a unique value that moved while its field was hidden stays where it is', async () => {
  const file = temporaryFile()
  const shown = one(model('user', { email: field(z.string(), { unique: true }) }))
  const hidden = one(model('user', { email: field(z.string(), { unique: true, hidden: true }) }))
  const first = await opened(file, shown)
  await add(first, shown, { id: 'u-1', email: 'a' })
  await add(first, shown, { id: 'u-2', email: 'x' })
  await first.close()

  const second = await opened(file, hidden)
  await second.write(async (transaction) => {
    await transaction.replace(hidden, createStoredItem(hidden, { id: 'u-2', email: 'z' }, 2))
    await transaction.replace(hidden, createStoredItem(hidden, { id: 'u-1', email: 'x' }, 2))
  })
  await second.close()

  const third = await opened(file, shown)
  const email = { kind: 'compare', path: toFieldPath('email'), operator: 'equal' } as const
  expect(await idsOf(third, shown, { ...email, value: 'x' })).toEqual(['u-1'])
})

test('a process stops using the file once another sets other columns', async () => {
  const file = temporaryFile()
  const numbers = one(model('film', { year: z.int() }))
  const mixed = one(model('film', { year: z.union([z.int(), z.string()]) }))
  const first = await opened(file, numbers)
  await add(first, numbers, { id: 'f-1', year: 1931 })
  await opened(file, mixed)
  await expect(add(first, numbers, { id: 'f-2', year: 1979 })).rejects.toThrow(StoreUnavailable)
})
