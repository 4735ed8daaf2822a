import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { Store } from '../store.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { loadDriver } from './driver.ts'
import { sqlite } from './sqlite.ts'

const one = (of: AnyModel): ModelDescription => describeModels([of])[0]!
const talk = one(model('talk', { title: z.string() }))

function storeOf(file: string): Store {
  const store = sqlite(file, { durability: 'normal' })
  onTestFinished(() => store.close())
  return store
}

const write = (store: Store, kind: 'insert' | 'replace', values: StoredValues) =>
  store.write((transaction) => transaction[kind](talk, createStoredItem(talk, values, 1)))

async function fileWithTalks(): Promise<{ file: string; old: Store }> {
  const file = temporaryFile()
  const old = storeOf(file)
  await old.open([talk])
  await old.write(async (transaction) => {
    for (let id = 10; id < 40; id++)
      await transaction.insert(talk, createStoredItem(talk, { id: `t${id}`, title: `T${id}` }, 1))
  })
  return { file, old }
}

/** So slow that several batches fill in the items. */
const slug = (of: (title: string) => string) =>
  field(z.string(), {
    backfill: async (old) => {
      await wait(8)
      return of(old.heading ?? old.title)
    },
  })

async function valuesOf(store: Store, of: ModelDescription): Promise<Map<string, StoredValues>> {
  const values = new Map<string, StoredValues>()
  for await (const items of store.list(of, allItemsPlan))
    for (const item of items) values.set(item.id, readStoredValues(of, item))
  return values
}

async function tablesIn(file: string): Promise<readonly unknown[]> {
  const database = (await loadDriver()).open(file, { readOnly: true })
  onTestFinished(() => database.close())
  return database
    .prepare("select name from sqlite_schema where type in ('table', 'trigger') order by name")
    .all([])
    .map(([name]) => name)
}

test('processes of the old version go on until the last step, and what they write is filled in', async () => {
  const { file, old } = await fileWithTalks()
  const lecture = one(
    model(
      'lecture',
      { heading: field(z.string(), { was: 'title' }), slug: slug((title) => `of ${title}`) },
      { was: 'talk' },
    ),
  )
  const written: Promise<unknown>[] = []
  const next = storeOf(file)
  await next.open([lecture], {
    onProgress: ({ step }) => {
      if (written.length > 0 || !step.startsWith('Filling in')) return
      written.push(write(old, 'replace', { id: 't10', title: 'changed' }))
      written.push(write(old, 'insert', { id: 't00', title: 'added' }))
    },
  })
  expect(await Promise.all(written)).toMatchObject([{ kind: 'written' }, { kind: 'written' }])
  const values = await valuesOf(next, lecture)
  expect(values.size).toBe(31)
  expect(values.get('t10')).toMatchObject({ heading: 'changed', slug: 'of changed' })
  expect(values.get('t00')).toMatchObject({ heading: 'added', slug: 'of added' })
  expect(values.get('t39')).toMatchObject({ heading: 'T39', slug: 'of T39' })
  expect(await tablesIn(file)).toEqual(['_layout', 'lectures'])
  await expect(write(old, 'insert', { id: 't01', title: 'late' })).rejects.toThrow(StoreUnavailable)
})

test('a start after one that was given up fills in what was changed since', async () => {
  const { file, old } = await fileWithTalks()
  const failing = one(
    model('talk', {
      title: z.string(),
      slug: slug((title) => {
        if (title === 'T39') throw new Error('no slug')
        return `of ${title}`
      }),
    }),
  )
  await expect(storeOf(file).open([failing])).rejects.toThrow(/item 't39': no slug/)
  await write(old, 'replace', { id: 't10', title: 'changed' })
  const calls: string[] = []
  const after = one(
    model('talk', {
      title: z.string(),
      slug: slug((title) => {
        calls.push(title)
        return `of ${title}`
      }),
    }),
  )
  const next = storeOf(file)
  await next.open([after])
  expect((await valuesOf(next, after)).get('t10')).toMatchObject({ slug: 'of changed' })
  // Those that a batch had filled in keep their values.
  expect(calls).not.toContain('T11')
  expect(await tablesIn(file)).toEqual(['_layout', 'talks'])
})

test('values that items had before, or get from clients, are not made again', async () => {
  const { file, old } = await fileWithTalks()
  const withSlug = one(model('talk', { title: z.string(), slug: z.string().optional() }))
  await old.close()
  const former = storeOf(file)
  await former.open([withSlug])
  await former.write((transaction) =>
    transaction.replace(
      withSlug,
      createStoredItem(withSlug, { id: 't10', title: 'T10', slug: 'chosen' }, 2),
    ),
  )
  const after = one(model('talk', { title: z.string(), slug: slug((title) => `of ${title}`) }))
  const written: Promise<unknown>[] = []
  const next = storeOf(file)
  await next.open([after], {
    onProgress: () => {
      if (written.length > 0) return
      written.push(
        former.write((transaction) =>
          transaction.replace(
            withSlug,
            createStoredItem(withSlug, { id: 't10', title: 'changed', slug: 'chosen' }, 3),
          ),
        ),
      )
    },
  })
  await Promise.all(written)
  expect((await valuesOf(next, after)).get('t10')).toMatchObject({
    title: 'changed',
    slug: 'chosen',
  })
})

test('a start refuses what the last step would refuse before it fills in anything', async () => {
  const { file } = await fileWithTalks()
  const calls: string[] = []
  const after = one(
    model('talk', {
      title: z.string(),
      level: z.int(),
      slug: field(z.string(), {
        backfill: (old) => {
          calls.push(old.id)
          return old.title
        },
      }),
    }),
  )
  await expect(storeOf(file).open([after])).rejects.toThrow(
    "The field 'level' of the model 'talk' requires a value",
  )
  expect(calls).toEqual([])
})

test('a deploy that is given up leaves no more ids than there are items, and prune ends it', async () => {
  const { file, old } = await fileWithTalks()
  let fails = true
  const lecture = one(
    model('talk', {
      title: z.string(),
      slug: field(z.string(), {
        backfill: async (old) => {
          if (fails && old.id === 't30') throw new Error('There is no slug.')
          await wait(8)
          return `of ${old.title}`
        },
      }),
    }),
  )
  const given = storeOf(file)
  await expect(given.open([lecture])).rejects.toThrow('There is no slug.')
  await given.close()
  const logged = async () => {
    const database = (await loadDriver()).open(file, { readOnly: true })
    const rows = database.prepare('select id from "talks(changes)" order by id').all([])
    database.close()
    return rows.flat()
  }
  await write(old, 'replace', { id: 't10', title: 'changed' })
  for (let round = 0; round < 3; round++) {
    await write(old, 'insert', { id: 't00', title: 'added' })
    await old.write((transaction) => transaction.remove(talk, 't00'))
  }
  expect(await logged()).toEqual(['t10'])

  const pruned = storeOf(file)
  expect(await pruned.admin!.prune!([talk], { drops: true })).toMatchObject([{ name: 'slug' }])
  expect(await tablesIn(file)).toEqual(['_layout', 'talks'])
  await write(old, 'replace', { id: 't11', title: 'changed too' })
  fails = false
  const next = storeOf(file)
  await next.open([lecture])
  const values = await valuesOf(next, lecture)
  expect(values.get('t10')).toMatchObject({ title: 'changed', slug: 'of changed' })
  expect(values.get('t11')).toMatchObject({ title: 'changed too', slug: 'of changed too' })
  expect(values.get('t39')).toMatchObject({ slug: 'of T39' })
})

test('a start goes on although another process prunes for the old version meanwhile', async () => {
  const { file, old } = await fileWithTalks()
  const lecture = one(model('talk', { title: z.string(), slug: slug((title) => `of ${title}`) }))
  let pruning: Promise<unknown> | undefined
  const next = storeOf(file)
  await next.open([lecture], {
    onProgress: ({ step, done }) => {
      if (pruning || done === 0 || !step.startsWith('Filling in')) return
      const prune = async () => {
        await write(old, 'replace', { id: 't10', title: 'changed' })
        await storeOf(file).admin!.prune!([talk], { drops: true })
      }
      pruning = prune()
    },
  })
  await pruning
  const values = await valuesOf(next, lecture)
  expect(values.get('t10')).toMatchObject({ title: 'changed', slug: 'of changed' })
  expect([...values.values()].every(({ title, slug }) => slug === `of ${title}`)).toBe(true)
})
