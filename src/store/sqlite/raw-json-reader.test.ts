import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field, toMany, toOne } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { always, toFieldPath } from '../../query/conditions.ts'
import type { Condition, PageRange, QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { joinByCommas } from '../../stored-item/raw-lines.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { StoreUnavailable } from '../store.ts'
import { type Connection, connection } from './connection.ts'
import { loadDriver } from './driver.ts'
import { layoutOf, tableOf } from './layout.ts'
import { prepareTables } from './prepare-tables.ts'
import { queries } from './queries.ts'
import { rawJsonReader } from './raw-json-reader.ts'
import { scanOffload } from './scan-offload.ts'
import type { Statement } from './statement-cache.ts'

const [book] = describeModels([
  model('book', {
    title: z.string(),
    price: field(z.number(), { index: true }),
    author: toOne('book', { optional: true }),
    sequels: toMany('book'),
  }),
]) as readonly [ModelDescription]

interface Watched {
  readonly texts: ReturnType<typeof rawJsonReader>
  readonly opened: Connection
  /** The statements that were left to the scan worker. */
  readonly scanned: string[]
  /** Called after each statement that is run. */
  after: (sql: string) => void
}

async function filled(items: readonly StoredValues[], isLarge = false): Promise<Watched> {
  const opened = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => opened.close())
  const layout = layoutOf(book)
  prepareTables(opened, [layout])
  const insert = opened.prepare('insert into books (id, text, split, revision) values (?, ?, ?, 1)')
  opened.exec('begin')
  for (const values of items) {
    const { id, text, relationsOffset } = createStoredItem(book, values, 1)
    insert.run([id, text, relationsOffset])
  }
  opened.exec('commit')
  const scanned: string[] = []
  const table = tableOf(layout, new Set())
  const watched: Connection = {
    ...opened,
    prepare: (sql) => {
      const statement = opened.prepare(sql)
      const then = <T>(found: T): T => {
        made.after(sql)
        return found
      }
      return {
        ...statement,
        all: (parameters) => then(statement.all(parameters)),
        get: (parameters) => then(statement.get(parameters)),
      }
    },
  }
  const scans = {
    rows: async ({ sql, parameters }: Statement) => {
      scanned.push(sql)
      return opened.prepare(sql).all(parameters)
    },
    list: () => {
      throw new Error('No list is asked for.')
    },
    close: async () => {},
  }
  const made: Watched = {
    texts: rawJsonReader(
      watched,
      queries(() => table),
      // As much time as it takes: what is looked at here is which statements there are.
      scanOffload(scans, () => isLarge, 60_000),
    ),
    opened,
    scanned,
    after: () => {},
  }
  return made
}

const slice = (limit: number): PageRange => ({ kind: 'slice', offset: 0, limit })
const plan = (
  window: PageRange,
  sort: QueryPlan['sort'] = [],
  condition: Condition = always,
): QueryPlan => ({
  condition,
  sort,
  pageRange: window,
})
const byPrice: QueryPlan['sort'] = [{ path: toFieldPath('price'), direction: 'asc' }]
const titled = (text: string): Condition => ({
  kind: 'text',
  path: toFieldPath('title'),
  operator: 'contains',
  value: text,
})

const sent = (page: { readonly lines: Uint8Array } | undefined) =>
  (JSON.parse(`[${joinByCommas(page!.lines)}]`) as { id: string }[]).map(({ id }) => id)

test('reads ids off the texts, whatever is in them, and takes nothing inside a text for its end', async () => {
  const ids = ['a\nb', 'c"', 'd\\', 'e\\"', 'f\\\\"x', 'ö🎬', '~'].sort()
  const inside = ids.map((id) => `,${JSON.stringify({ id, text: '\n' })}\n`).join('\n')
  const store = await filled(ids.map((id, index) => ({ id, title: inside, price: index })))
  for (const [index, id] of ids.entries()) {
    const page = await store.texts.page(book, plan(slice(index + 1)), [], 'text')
    expect(sent(page)).toEqual(ids.slice(0, index + 1))
    expect(page).toMatchObject({ lastPosition: [id], hasMore: index < ids.length - 1 })
    const behind = await store.texts.page(
      book,
      plan({ kind: 'after', position: [id], limit: 2 }, []),
      [],
      'text',
    )
    expect(sent(behind)).toEqual(ids.slice(index + 1, index + 3))
    expect(behind?.firstPosition).toEqual(
      ids[index + 1] === undefined ? undefined : [ids[index + 1]],
    )
  }
})

test('tells what the relations of the page hold, and not of the item behind it', async () => {
  const store = await filled([
    { id: 'a', title: '', price: 1, author: 'x', sequels: ['y', "it's", '"', '\n'] },
    { id: 'b', title: '', price: 2, author: 'x', sequels: [] },
    { id: 'c', title: '', price: 3, sequels: ['y', 'z'] },
    { id: 'd', title: '', price: 4, author: 'behind', sequels: ['behind'] },
  ])
  // It is older than the relation.
  store.opened.exec(
    `update books set text = '{"id":"b","title":"","price":2,"author":"x"}' where id = 'b'`,
  )
  const { author, sequels } = Object.fromEntries(
    book.ownedRelations.map((relation) => [relation.name, relation]),
  )
  const page = await store.texts.page(book, plan(slice(3)), book.ownedRelations, 'text')
  expect(page?.linkedIds.get(author!)).toEqual(['x'])
  expect(page?.linkedIds.get(sequels!)).toEqual(['y', "it's", '"', '\n', 'z'])
  const empty = await store.texts.page(
    book,
    plan(slice(3), [], { kind: 'never' }),
    book.ownedRelations,
    'text',
  )
  expect([...empty!.linkedIds.values()]).toEqual([[], []])
  expect(empty).toMatchObject({ firstPosition: undefined, lastPosition: undefined, hasMore: false })
  expect(empty?.lines).toHaveLength(0)
})

test('leaves to others what it has no faster way for', async () => {
  const store = await filled([{ id: 'a', title: '', price: 1 }])
  expect(
    await store.texts.page(book, plan({ kind: 'before', position: ['b'], limit: 5 }), [], 'text'),
  ).toBeUndefined()
  expect(await store.texts.page(book, plan(slice(1_001)), [], 'text')).toBeUndefined()
  expect(store.texts.list(book, plan(slice(Number.POSITIVE_INFINITY), byPrice))).toBeUndefined()
  expect(store.texts.list(book, plan(slice(5)))).toBeUndefined()
})

test('gives up a page whose last item another process removes before its place is known', async () => {
  const store = await filled([
    { id: 'a', title: '', price: 2 },
    { id: 'b', title: '', price: 1 },
  ])
  const asked = () => store.texts.page(book, plan(slice(2), byPrice), [], 'text')
  expect(await asked()).toMatchObject({ lastPosition: [2, 'a'] })
  store.after = (sql) => {
    if (sql.includes('group_concat')) store.opened.exec("delete from books where id = 'a'")
  }
  expect(await asked()).toBeUndefined()
})

test('says that the store is away when it is', async () => {
  const store = await filled([{ id: 'a', title: '', price: 2 }])
  store.after = () => {
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
  }
  await expect(store.texts.page(book, plan(slice(2)), [], 'text')).rejects.toThrow(StoreUnavailable)
  const list = store.texts.list(book, plan(slice(Number.POSITIVE_INFINITY)))!
  await expect(list[Symbol.asyncIterator]().next()).rejects.toThrow(StoreUnavailable)
})

test('looks at the first rows along an index of a large table, and leaves to the scan worker what needs more', async () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({
    id: `b-${String(index).padStart(4, '0')}`,
    title: index % 10 === 0 ? 'tenth' : index === 4_999 ? 'last' : 'x',
    price: index,
  }))
  const store = await filled(items, true)
  const of = async (text: string, window: PageRange, sort = byPrice) =>
    sent(await store.texts.page(book, plan(window, sort, titled(text)), [], 'text'))
  expect(await of('tenth', slice(2))).toEqual(['b-0000', 'b-0010'])
  expect(store.scanned, 'the first rows fill the page').toHaveLength(0)
  const late: PageRange = { kind: 'after', position: [4_000, 'b-4000'], limit: 150 }
  expect(await of('tenth', late)).toHaveLength(99)
  expect(store.scanned, 'there are no more rows than were looked at').toHaveLength(0)
  expect(await of('last', slice(2))).toEqual(['b-4999'])
  expect(store.scanned).toHaveLength(1)
})

test('lists as many ids at a time as take a moment, whether they are wanted or not', async () => {
  const items = Array.from({ length: 2_000 }, (_, index) => ({
    id: `b-${String(index).padStart(4, '0')}`,
    title: index % 600 === 0 ? 'rare' : 'x',
    price: index,
  }))
  const store = await filled(items)
  let asked = 0
  store.after = () => asked++
  const batches: string[][] = []
  for await (const batch of store.texts.list(
    book,
    plan(slice(Number.POSITIVE_INFINITY), [], titled('rare')),
  )!)
    batches.push(sent({ lines: batch }))
  expect(batches).toEqual([['b-0000'], ['b-0600'], ['b-1200'], ['b-1800']])
  expect(asked).toBe(4)
  const all: string[] = []
  for await (const batch of store.texts.list(book, plan(slice(Number.POSITIVE_INFINITY)))!)
    all.push(...sent({ lines: batch }))
  expect(all).toEqual(items.map(({ id }) => id))
})
