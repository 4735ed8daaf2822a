import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { always, idIsAnyOf, toFieldPath } from '../../query/conditions.ts'
import type { Condition, PageRange, QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { joinByCommas } from '../../stored-item/raw-lines.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { documentQueries } from '../sql/document-queries.ts'
import { layoutOf, newTableFacts, tableOf } from '../sql/layout.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { RawJsonReader } from '../store-reader.ts'
import { accessPathPlanners } from './access-path.ts'
import { type Connection, connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { documentReader } from './document-reader.ts'
import { loadDriver } from './driver.ts'
import { addIndexes, prepareTables } from './prepare-tables.ts'
import { scanOffload } from './scan-offload.ts'
import { insertRow } from './sqlite-transaction.ts'

const [book] = describeModels([
  model('book', {
    title: z.string(),
    price: field(z.number(), { index: true }),
    author: toOne('book', { optional: true }),
    sequels: toMany('book'),
  }),
]) as readonly [ModelDescription]

interface Watched {
  readonly rawJson: RawJsonReader
  readonly opened: Connection
  /** The statements that were left to the scan worker. */
  readonly scanned: string[]
  /** Called after each statement that is run. */
  after: (sql: string) => void
}

async function filled(items: readonly StoredValues[], isLarge = false): Promise<Watched> {
  const opened = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => opened.close())
  const layout = layoutOf(sqliteDialect, book)
  prepareTables(opened, [layout])
  addIndexes(opened, [layout])
  const table = tableOf(sqliteDialect, layout, newTableFacts(layout))
  opened.exec('begin')
  for (const values of items) insertRow(opened, table, createStoredItem(book, values, 1))
  opened.exec('commit')
  const scanned: string[] = []
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
      throw new Error('Unexpected list.')
    },
    waitingCount: () => 0,
    close: async () => {},
  }
  const made: Watched = {
    rawJson: documentReader({
      connection: watched,
      queries: documentQueries(sqliteDialect, () => table, accessPathPlanners),
      // No time limit: these tests look at the statements only.
      isLarge: () => isLarge,
      offload: scanOffload(scans, 60_000),
    }).rawJson,
    opened,
    scanned,
    after: () => {},
  }
  return made
}

const slice = (limit: number): PageRange => ({ kind: 'offset', offset: 0, limit })
const plan = (
  pageRange: PageRange,
  sort: QueryPlan['sort'] = [],
  condition: Condition = always,
): QueryPlan => ({
  condition,
  sort,
  pageRange,
})
const byPrice: QueryPlan['sort'] = [{ path: toFieldPath('price'), direction: 'asc' }]
const titled = (text: string): Condition => ({
  kind: 'text',
  path: toFieldPath('title'),
  operator: 'contains',
  value: text,
})

const idsIn = (page: { readonly lines: Uint8Array } | undefined) =>
  (JSON.parse(`[${joinByCommas(page!.lines)}]`) as { id: string }[]).map(({ id }) => id)

test('ids are read from raw lines, whatever the texts contain', async () => {
  const ids = ['a\nb', 'c"', 'd\\', 'e\\"', 'f\\\\"x', 'ö🎬', '~'].sort()
  const inside = ids.map((id) => `,${JSON.stringify({ id, text: '\n' })}\n`).join('\n')
  const store = await filled(ids.map((id, index) => ({ id, title: inside, price: index })))
  for (const [index, id] of ids.entries()) {
    const page = await store.rawJson.page(book, plan(slice(index + 1)), [], 'text')
    expect(idsIn(page)).toEqual(ids.slice(0, index + 1))
    expect(page).toMatchObject({ lastPosition: [id], hasMore: index < ids.length - 1 })
    const nextPage = await store.rawJson.page(
      book,
      plan({ kind: 'after', position: [id], limit: 2 }, []),
      [],
      'text',
    )
    expect(idsIn(nextPage)).toEqual(ids.slice(index + 1, index + 3))
    expect(nextPage?.firstPosition).toEqual(
      ids[index + 1] === undefined ? undefined : [ids[index + 1]],
    )
  }
})

test('linked ids are those of the page, without the item after it', async () => {
  const store = await filled([
    { id: 'a', title: '', price: 1, author: 'x', sequels: ['y', "it's", '"', '\n'] },
    { id: 'b', title: '', price: 2, author: 'x', sequels: [] },
    { id: 'c', title: '', price: 3, sequels: ['y', 'z'] },
    { id: 'd', title: '', price: 4, author: 'behind', sequels: ['behind'] },
  ])
  // An item written before the relation was declared.
  store.opened.exec(
    `update books set text = '{"id":"b","title":"","price":2,"author":"x"}' where id = 'b'`,
  )
  const { author, sequels } = Object.fromEntries(
    book.ownedRelations.map((relation) => [relation.name, relation]),
  )
  const page = await store.rawJson.page(book, plan(slice(3)), book.ownedRelations, 'text')
  expect(page?.linkedIds.get(author!)).toEqual(['x'])
  expect(page?.linkedIds.get(sequels!)).toEqual(['y', "it's", '"', '\n', 'z'])
  const empty = await store.rawJson.page(
    book,
    plan(slice(3), [], { kind: 'never' }),
    book.ownedRelations,
    'text',
  )
  expect([...empty!.linkedIds.values()]).toEqual([[], []])
  expect(empty).toMatchObject({ firstPosition: undefined, lastPosition: undefined, hasMore: false })
  expect(empty?.lines).toHaveLength(0)
})

test('plans that it cannot read as raw JSON return undefined', async () => {
  const store = await filled([{ id: 'a', title: '', price: 1 }])
  expect(
    await store.rawJson.page(book, plan({ kind: 'before', position: ['b'], limit: 5 }), [], 'text'),
  ).toBeUndefined()
  expect(await store.rawJson.page(book, plan(slice(1_001)), [], 'text')).toBeUndefined()
  expect(store.rawJson.list(book, plan(slice(Number.POSITIVE_INFINITY), byPrice))).toBeUndefined()
  expect(store.rawJson.list(book, plan(slice(5)))).toBeUndefined()
})

test('a page is undefined when another process deletes its last item before its position is read', async () => {
  const store = await filled([
    { id: 'a', title: '', price: 2 },
    { id: 'b', title: '', price: 1 },
  ])
  const readPage = () => store.rawJson.page(book, plan(slice(2), byPrice), [], 'text')
  expect(await readPage()).toMatchObject({ lastPosition: [2, 'a'] })
  store.after = (sql) => {
    if (sql.includes('group_concat')) store.opened.exec("delete from books where id = 'a'")
  }
  expect(await readPage()).toBeUndefined()
})

test('an unavailable file fails as StoreUnavailable', async () => {
  const store = await filled([{ id: 'a', title: '', price: 2 }])
  store.after = () => {
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
  }
  await expect(store.rawJson.page(book, plan(slice(2)), [], 'text')).rejects.toThrow(
    StoreUnavailable,
  )
  const list = store.rawJson.list(book, plan(slice(Number.POSITIVE_INFINITY)))!
  await expect(list[Symbol.asyncIterator]().next()).rejects.toThrow(StoreUnavailable)
})

test('a trial scan reads the first rows of an index, and a worker reads the rest', async () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({
    id: `b-${String(index).padStart(4, '0')}`,
    title: index % 10 === 0 ? 'tenth' : index === 4_999 ? 'last' : 'x',
    price: index,
  }))
  const store = await filled(items, true)
  const of = async (text: string, pageRange: PageRange, sort = byPrice) =>
    idsIn(await store.rawJson.page(book, plan(pageRange, sort, titled(text)), [], 'text'))
  expect(await of('tenth', slice(2))).toEqual(['b-0000', 'b-0010'])
  expect(store.scanned, 'the first rows fill the page').toHaveLength(0)
  const late: PageRange = { kind: 'after', position: [4_000, 'b-4000'], limit: 150 }
  expect(await of('tenth', late)).toHaveLength(99)
  expect(store.scanned, 'there are no more rows than were looked at').toHaveLength(0)
  expect(await of('last', slice(2))).toEqual(['b-4999'])
  expect(store.scanned).toHaveLength(1)
})

test('a trial scan within the range of a condition needs no probe', async () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({
    id: `b-${String(index).padStart(4, '0')}`,
    title: index === 4_999 ? 'last' : 'x',
    price: index,
  }))
  const store = await filled(items, true)
  const statements: string[] = []
  store.after = (sql) => statements.push(sql)
  const idsFrom = async (price: number, title: string) => {
    statements.length = 0
    const path = toFieldPath('price')
    const range: Condition = { kind: 'compare', path, operator: 'greaterThan', value: price }
    const condition: Condition = { kind: 'and', conditions: [range, titled(title)] }
    return idsIn(await store.rawJson.page(book, plan(slice(2), byPrice, condition), [], 'text'))
  }
  expect(await idsFrom(10, 'x')).toEqual(['b-0011', 'b-0012'])
  expect(statements, 'the page, and the sort keys of its last item').toHaveLength(2)
  expect(await idsFrom(4_000, 'last')).toEqual(['b-4999'])
  expect(statements, 'the count of the trial besides').toHaveLength(3)
  expect(store.scanned).toHaveLength(0)
  expect(await idsFrom(10, 'last')).toEqual(['b-4999'])
  expect(store.scanned, 'more rows than a trial reads').toHaveLength(1)
})

test('a whole list whose items an index has is left to a read by this index', async () => {
  const items = Array.from({ length: 1_200 }, (_, index) => ({
    id: `b-${String(index).padStart(4, '0')}`,
    title: '',
    price: index,
    ...(index % 2 === 0 && { author: 'x' }),
  }))
  const store = await filled(items, true)
  const whole = (condition: Condition) =>
    store.rawJson.list(book, plan(slice(Number.POSITIVE_INFINITY), [], condition))
  const compare = (name: string, operator: 'equal' | 'greaterThan', value: string | number) =>
    ({ kind: 'compare', path: toFieldPath(name), operator, value }) as const
  expect(whole(compare('price', 'equal', 5))).toBeUndefined()
  expect(whole(compare('author', 'equal', 'y'))).toBeUndefined()
  expect(whole(idIsAnyOf(['b-0001', 'b-0900']))).toBeUndefined()
  expect(
    whole({ kind: 'and', conditions: [compare('author', 'equal', 'y'), titled('')] }),
  ).toBeUndefined()
  // The first range has few rows.
  expect(whole(compare('price', 'greaterThan', 1_190))).toBeUndefined()
  expect(whole(compare('price', 'greaterThan', 10))).toBeDefined()
  expect(whole(compare('id', 'greaterThan', 'b-0900'))).toBeDefined()
})

test('a filtered list reads a limited number of ids at a time', async () => {
  const items = Array.from({ length: 2_000 }, (_, index) => ({
    id: `b-${String(index).padStart(4, '0')}`,
    title: index % 600 === 0 ? 'rare' : 'x',
    price: index,
  }))
  const store = await filled(items)
  let statementCount = 0
  store.after = () => statementCount++
  const batches: string[][] = []
  for await (const batch of store.rawJson.list(
    book,
    plan(slice(Number.POSITIVE_INFINITY), [], titled('rare')),
  )!)
    batches.push(idsIn({ lines: batch }))
  expect(batches).toEqual([['b-0000'], ['b-0600'], ['b-1200'], ['b-1800']])
  expect(statementCount).toBe(4)
  const all: string[] = []
  for await (const batch of store.rawJson.list(book, plan(slice(Number.POSITIVE_INFINITY)))!)
    all.push(...idsIn({ lines: batch }))
  expect(all).toEqual(items.map(({ id }) => id))
})
