import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field, hash } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toMany } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { always, idEquals, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import type { Condition, Scalar } from '../../query/query-plan.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { Store } from '../store.ts'
import { loadDriver } from './driver.ts'
import { sqlite } from './sqlite.ts'

const one = (of: AnyModel): ModelDescription => describeModels([of])[0]!

const fields = {
  title: field(z.string(), { index: true }),
  code: field(z.string(), { unique: true }),
  pages: z.int(),
  note: z.string().optional(),
  parts: toMany('book'),
  hash: hash(),
}
const items: readonly StoredValues[] = [
  { id: 'b-1', title: 'One 😀', code: 'c1', pages: 1, note: 'N1 😀', parts: ['b-2'] },
  { id: 'b-2', title: 'Two', code: 'c2', pages: 2, parts: [] },
]

/** Opens the file with a model, and returns the steps that the start told of. */
async function opened(file: string, of: ModelDescription) {
  const store = sqlite(file, { durability: 'normal' })
  onTestFinished(() => store.close())
  const steps: string[] = []
  await store.open([of], { onProgress: ({ step }) => steps.push(step) })
  return { store, steps }
}

async function fileOf(of: ModelDescription): Promise<string> {
  const file = temporaryFile()
  const { store } = await opened(file, of)
  for (const values of items)
    await store.write((transaction) => transaction.insert(of, createStoredItem(of, values, 1)))
  await store.close()
  return file
}

async function valuesOf(store: Store, of: ModelDescription, id: string) {
  return readStoredValues(of, (await store.find(of, idEquals(id)))!)
}

async function idsWith(store: Store, of: ModelDescription, condition: Condition) {
  const pageRange = { kind: 'offset', offset: 0, limit: 100 } as const
  return (await store.page(of, { condition, sort: [], pageRange })).entries.map(({ id }) => id)
}

const equal = (name: string, value: Scalar): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator: 'equal',
  value,
})

test('a start reads no item where a model has got optional fields only', async () => {
  const before = one(model('book', fields))
  const file = await fileOf(before)
  const after = one(
    model('book', {
      ...fields,
      year: field(z.int().optional(), { index: true }),
      hint: z.string().optional(),
    }),
  )
  const planned = sqlite(file)
  expect(await planned.admin!.plan!([after])).toContainEqual({
    kind: 'instant',
    endsOldProcesses: true,
    summary: "Note the members of 'books'. No item changes.",
    sql: [],
  })
  const { store, steps } = await opened(file, after)
  expect(steps).toEqual([])
  expect((await store.find(after, idEquals('b-1')))?.revision).toBe(1)
  await store.write((transaction) =>
    transaction.replace(after, createStoredItem(after, { ...items[1]!, year: 1931 }, 2)),
  )
  expect(await idsWith(store, after, equal('year', 1931))).toEqual(['b-2'])
  expect(await idsWith(store, after, equal('year', null))).toEqual(['b-1'])
})

test('an optional field that comes back has the values that items had', async () => {
  const whole = one(model('book', fields))
  const file = await fileOf(whole)
  const { note: _, ...others } = fields
  const without = one(model('book', others))
  await (await opened(file, without)).store.close()
  const { store } = await opened(file, whole)
  expect(await valuesOf(store, whole, 'b-1')).toEqual(items[0])
  expect(await valuesOf(store, whole, 'b-2')).toEqual(items[1])
})

test.each([
  { change: 'is optional', field: z.string().optional() },
  { change: 'has a default', field: z.string().default('none') },
  { change: 'is required', field: z.string() },
])('values come back under the later name of a field that $change', async ({ field: schema }) => {
  const whole = one(model('book', { ...fields, note: z.string() }))
  const noted = items.map((item) => ({ ...item, note: `of ${item.id}` }))
  const { note: _, ...others } = fields
  const renamed = one(model('book', { ...others, remark: field(schema, { was: 'note' }) }))
  const betweens = {
    'the field is gone': one(model('book', others)),
    'the name is new, and the former one not declared': one(
      model('book', { ...others, remark: z.string().optional() }),
    ),
  }
  for (const [between, description] of Object.entries(betweens)) {
    const file = temporaryFile()
    const first = await opened(file, whole)
    for (const item of noted)
      await first.store.write((transaction) =>
        transaction.insert(whole, createStoredItem(whole, item, 1)),
      )
    await first.store.close()
    await (await opened(file, description)).store.close()
    const { store } = await opened(file, renamed)
    for (const { id, note } of noted) {
      const { remark } = (await valuesOf(store, renamed, String(id))) as { remark?: string }
      expect([between, remark]).toEqual([between, note])
    }
    await store.close()
  }
})

test('an optional field that comes back after its values were pruned has none, in its column too', async () => {
  const whole = one(model('book', { ...fields, year: field(z.int().optional(), { index: true }) }))
  const without = one(model('book', fields))
  const file = temporaryFile()
  const first = await opened(file, whole)
  await first.store.write((transaction) =>
    transaction.insert(whole, createStoredItem(whole, { ...items[0]!, year: 1931 }, 1)),
  )
  await first.store.close()
  await (await opened(file, without)).store.close()
  const pruned = sqlite(file)
  await pruned.admin!.prune!([without], { drops: true })
  await pruned.close()
  const { store, steps } = await opened(file, whole)
  expect(steps).toEqual([])
  expect(await idsWith(store, whole, equal('year', 1931))).toEqual([])
  expect(await idsWith(store, whole, equal('year', null))).toEqual(['b-1'])
})

test('a rename, a default and a removal leave columns, versions of other items and relations right', async () => {
  const before = one(model('book', fields))
  const file = await fileOf(before)
  const { note: _, pages: __, ...others } = fields
  const after = one(
    model('book', {
      ...others,
      summary: field(z.string().optional(), { was: 'note', index: true }),
      stock: z.int().default(7),
    }),
  )
  const { store } = await opened(file, after)
  const { note, pages: ___, ...kept } = items[0]!
  expect(await valuesOf(store, after, 'b-1')).toEqual({ ...kept, summary: note, stock: 7 })
  const item = (await store.find(after, idEquals('b-1')))!
  expect(item.revision).toBe(2)
  expect(JSON.parse(item.text).hash).toBe(item.hash)
  expect(await idsWith(store, after, equal('summary', 'N1 😀'))).toEqual(['b-1'])
  expect(await idsWith(store, after, equal('stock', 7))).toEqual(['b-1', 'b-2'])
  expect(await idsWith(store, after, equal('title', 'Two'))).toEqual(['b-2'])
  expect(await idsWith(store, after, relatesToAny('parts', 'toMany', ['b-2']))).toEqual(['b-1'])
  expect(
    await store.write((transaction) =>
      transaction.insert(after, createStoredItem(after, { ...kept, id: 'b-3' }, 1)),
    ),
  ).toEqual({ kind: 'taken', fields: ['code'] })
})

test('a column that writes set has the default of items that had no value', async () => {
  const before = one(
    model('book', { ...fields, level: field(z.int().optional(), { index: true }) }),
  )
  const file = await fileOf(before)
  const after = one(model('book', { ...fields, level: field(z.int().default(3), { index: true }) }))
  const { store } = await opened(file, after)
  expect(await idsWith(store, after, equal('level', 3))).toEqual(['b-1', 'b-2'])
  expect(await store.count(after, always)).toBe(2)
})

test('rows of several batches change in place, and one by one where the text alone does not tell how', async () => {
  const count = 450
  const id = (index: number) => `b-${String(index).padStart(3, '0')}`
  const valuesAt = (index: number) => ({
    id: id(index),
    title: `T${index} 😀`,
    code: `c${index}`,
    pages: index,
    parts: index === 0 ? [] : [id(index - 1)],
    ...(index % 3 > 0 && { note: `N${index}` }),
  })
  const before = one(model('book', fields))
  const { note, ...others } = fields
  const file = temporaryFile()
  const first = await opened(file, before)
  await first.store.write(async (transaction) => {
    for (let index = 0; index < count; index++)
      await transaction.insert(before, createStoredItem(before, valuesAt(index), 1))
  })
  await first.store.close()
  // Every tenth item has a value that a former model left under the new name.
  const database = (await loadDriver()).open(file, { readOnly: false })
  database.exec(`update books set hidden = '{"summary":"archived"}' where id like '%5'`)
  database.close()
  const after = one(
    model('book', {
      ...others,
      summary: field(note, { was: 'note' }),
      stock: z.int().default(7),
    }),
  )
  const { store } = await opened(file, after)
  const found = await store.page(after, {
    condition: always,
    sort: [],
    pageRange: { kind: 'offset', offset: 0, limit: 1_000 },
  })
  expect(found.entries.length).toBe(count)
  for (const [index, { id }] of found.entries.entries()) {
    const item = (await store.find(after, idEquals(id)))!
    const { note, ...kept } = valuesAt(index) as Record<string, unknown>
    const summary = index % 10 === 5 ? 'archived' : note
    expect(readStoredValues(after, item)).toEqual({
      ...kept,
      stock: 7,
      ...(summary !== undefined && { summary }),
    })
    expect([item.revision, JSON.parse(item.text).hash]).toEqual([2, item.hash])
  }
  expect(await idsWith(store, after, relatesToAny('parts', 'toMany', [id(7)]))).toEqual([id(8)])
})

test('a default that fails ends the start, and one that takes a promise is awaited', async () => {
  const before = one(model('book', fields))
  const withYear = (year: z.ZodType) => one(model('book', { ...fields, year }))
  let fails = false
  const failing = withYear(
    z.int().default(() => {
      if (fails) throw new Error('There is no year.')
      return 1_965
    }),
  )
  const file = await fileOf(before)
  fails = true
  await expect(opened(file, failing)).rejects.toThrow('There is no year.')
  const waiting = withYear(
    z
      .int()
      .default(1_965)
      .refine(async () => true),
  )
  const { store } = await opened(file, waiting)
  expect(await valuesOf(store, waiting, 'b-1')).toEqual({ ...items[0]!, year: 1_965 })
})
