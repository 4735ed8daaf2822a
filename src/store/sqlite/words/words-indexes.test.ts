import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { searchedBookshelf, searchFor, term } from '../../../../test/support/searched-bookshelf.ts'
import { temporaryFile } from '../../../../test/support/sqlite-bookshelf.ts'
import { field } from '../../../model/declare/field.ts'
import { model } from '../../../model/declare/model.ts'
import { toMany, toOne } from '../../../model/declare/relation.ts'
import { describeModels } from '../../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../../model/model-description.ts'
import { always } from '../../../query/conditions.ts'
import type { SearchTerm } from '../../../query/query-plan.ts'
import { createStoredItem } from '../../../stored-item/create-stored-item.ts'
import { countOf } from '../../../text/message-text.ts'
import { memory } from '../../memory/memory.ts'
import type { Store } from '../../store.ts'
import type { StoreTransaction } from '../../store-transaction.ts'
import { loadDriver } from '../driver.ts'
import { type SqliteOptions, sqlite } from '../sqlite.ts'

const [author, book] = searchedBookshelf()
const layouts: readonly SqliteOptions[] = [
  { layout: 'documents', largeTableRows: 0 },
  { layout: 'tables', foreignKeys: false },
]

const words = [
  'old',
  'older',
  'sea',
  'Zoë',
  'zoe',
  'żółć',
  'Straße',
  '東京',
  'タワー',
  '😀',
  'o',
  'a1',
]
const text = fc
  .array(fc.constantFrom(...words, '-', '"', 'x'), { maxLength: 5 })
  .map((all) => all.join(' '))
const nullable = fc.option(text)

const id = fc.nat(5)
const change = fc.oneof(
  fc.record({ kind: fc.constant('author' as const), id, name: nullable }),
  fc.record({
    kind: fc.constant('book' as const),
    id,
    title: nullable,
    note: nullable,
    author: fc.option(id),
  }),
  fc.record({ kind: fc.constant('removeAuthor' as const), id }),
  fc.record({ kind: fc.constant('removeBook' as const), id }),
)
const work = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  end: fc.constantFrom('commit', 'commit', 'rollback', 'reopen'),
})
const searched: fc.Arbitrary<SearchTerm> = fc
  .tuple(
    fc.array(fc.constantFrom(...words.filter((word) => word !== '😀')), {
      minLength: 1,
      maxLength: 2,
    }),
    fc.constantFrom('word' as const, 'beginning' as const),
    fc.boolean(),
  )
  .map(([all, ending, isExcluded]) => term(all.join(' '), ending, isExcluded))

class Undone extends Error {}

async function write(store: Store, { changes, end }: { changes: readonly Change[]; end: string }) {
  const done = store.write(async (transaction) => {
    for (const each of changes) await make(transaction, each)
    if (end === 'rollback') throw new Undone()
  })
  await done.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
}

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

async function make(transaction: StoreTransaction, each: Change): Promise<void> {
  if (each.kind === 'removeAuthor' || each.kind === 'removeBook') {
    await transaction.remove(each.kind === 'removeBook' ? book : author, `i${each.id}`)
    return
  }
  const [of, values] =
    each.kind === 'author'
      ? ([author, { id: `i${each.id}`, name: each.name }] as const)
      : ([
          book,
          {
            id: `i${each.id}`,
            title: each.title,
            price: each.id,
            note: { text: each.note },
            author: each.author === null ? null : `i${each.author}`,
          },
        ] as const)
  const item = createStoredItem(of, values, 1, 'salt')
  if ((await transaction.insert(of, item)).kind === 'exists') await transaction.replace(of, item)
}

async function idsOf(store: Store, terms: readonly SearchTerm[], isByRelevance: boolean) {
  const search = searchFor(...terms)
  const sort = isByRelevance ? ([{ search, direction: 'desc' }] as const) : []
  const pageRange = { kind: 'offset', offset: 0, limit: 20 } as const
  const { entries } = await store.page(book, { condition: search, sort, pageRange })
  expect(await store.count(book, search)).toBe(entries.length)
  return entries.map((entry) => entry.id)
}

async function opened(file: string, options: SqliteOptions, models = [author, book]) {
  const store = sqlite(file, { durability: 'normal', ...options })
  onTestFinished(() => store.close())
  await store.open(models)
  return store
}

async function reading(file: string) {
  const database = (await loadDriver()).open(file, { readOnly: true })
  onTestFinished(() => database.close())
  return (sql: string): unknown => database.prepare(sql).get([])?.[0]
}

const bookNamed = (title: string, number = 1) =>
  createStoredItem(book, { id: `b-${number}`, title, price: number, author: null }, 1)

async function insertAll(
  store: Store,
  of: ModelDescription,
  items: Iterable<ReturnType<typeof bookNamed>>,
) {
  await store.write(async (transaction) => {
    for (const item of items) await transaction.insert(of, item)
  })
}

describe.each(layouts)('the index of words in the layout $layout', (options) => {
  test('gives the same answers as the memory store, whatever is written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(work, { minLength: 1, maxLength: 6 }),
        fc.array(fc.array(searched, { minLength: 1, maxLength: 3 }), {
          minLength: 3,
          maxLength: 6,
        }),
        async (works, searches) => {
          const file = temporaryFile()
          const plain = memory()
          await plain.open([author, book])
          let store = await opened(file, options)
          for (const each of works) {
            await write(plain, each)
            await write(store, each)
            if (each.end === 'reopen') {
              await store.close()
              store = await opened(file, options)
            }
            for (const terms of searches)
              for (const isByRelevance of [false, true])
                expect(await idsOf(store, terms, isByRelevance)).toEqual(
                  await idsOf(plain, terms, isByRelevance),
                )
          }
          await store.close()
        },
      ),
      { numRuns: 10 },
    )
  })

  test('a transaction finds by the words that it has written', async () => {
    const store = await opened(temporaryFile(), options)
    await store.write(async (transaction) => {
      await transaction.insert(book, bookNamed('The Old Man'))
      expect(await transaction.count(book, searchFor(term('old')))).toBe(1)
    })
  })

  test('items that are there already are indexed while the service runs', async () => {
    const file = temporaryFile()
    const [plainAuthor, plainBook] = searchedBookshelf({})
    const before = await opened(file, options, [plainAuthor, plainBook])
    await insertAll(
      before,
      plainBook,
      Array.from({ length: 1_200 }, (_, index) => bookNamed(`Old ${index}`, index)),
    )
    expect(await before.admin!.plan!([author, book])).toContainEqual({
      kind: 'instant',
      summary: `Index the words of ${countOf(1_200, 'item')} of 'books', while the service runs.`,
      sql: [],
    })
    await before.close()
    const store = await opened(file, options)
    const query = await reading(file)
    const incomplete = 'select count(*) from resourcery_words where filled is not null'
    expect(await idsOf(store, [term('1150')], true)).toEqual(['b-1150'])
    await store.write(async (transaction) => {
      await transaction.replace(book, bookNamed('New 1150', 1_150))
    })
    await expect.poll(() => query(incomplete), { timeout: 20_000 }).toBe(0)
    expect(await idsOf(store, [term('new')], true)).toEqual(['b-1150'])
    expect(await idsOf(store, [term('old'), term('115', 'beginning')], false)).toHaveLength(10)
    expect(await store.admin!.plan!([author, book])).toEqual([])
  })

  test('what another program writes is found, and indexed with the next commit', async () => {
    const file = temporaryFile()
    const store = await opened(file, options)
    await insertAll(store, book, [bookNamed('The Old Man')])
    const other = (await loadDriver()).open(file, { readOnly: false })
    onTestFinished(() => other.close())
    const column = options.layout === 'tables' ? 'title' : 'text'
    other.exec(`update books set ${column} = replace(${column}, 'Old', 'Young')`)
    const query = await reading(file)
    const [changes] = [
      `select count(*) from ${String(query('select name from resourcery_words where "table" = \'books\''))}_changes`,
    ]
    expect(query(changes!)).toBe(1)
    expect(await idsOf(store, [term('young')], false)).toEqual(['b-1'])
    expect(await idsOf(store, [term('old')], false)).toEqual([])
    await insertAll(store, book, [bookNamed('Sea', 2)])
    expect(query(changes!)).toBe(0)
    expect(await idsOf(store, [term('young')], false)).toEqual(['b-1'])
  })

  test('an index that lacks rows is not read, and the next start builds it to its end', async () => {
    const file = temporaryFile()
    const first = await opened(file, options)
    await insertAll(first, book, [bookNamed('The Old Man')])
    const query = await reading(file)
    const name = query(`select name from resourcery_words where "table" = 'books'`)
    const other = (await loadDriver()).open(file, { readOnly: false })
    other.exec(`delete from ${name}; delete from ${name}_ids`)
    expect(await first.count(book, searchFor(term('old'))), 'reads it').toBe(0)
    other.exec(`update resourcery_words set filled = '' where name = '${name}'`)
    other.close()
    expect(await first.count(book, searchFor(term('old')))).toBe(1)
    await first.close()
    const second = await opened(file, options)
    const filled = `select filled is null from resourcery_words where name = '${name}'`
    await expect.poll(() => query(filled), { timeout: 20_000 }).toBe(1)
    expect(await second.count(book, searchFor(term('old')))).toBe(1)
  })

  test('an index of other texts replaces it, and none is left where nobody searches', async () => {
    const file = temporaryFile()
    const first = await opened(file, options)
    await insertAll(first, book, [bookNamed('The Old Man')])
    await first.close()
    const query = await reading(file)
    const names =
      'select group_concat("table") from (select "table" from resourcery_words order by 1)'
    expect(query(names)).toBe('authors,books')
    const second = await opened(file, options, [...searchedBookshelf({ title: 1 })])
    expect(query(names)).toBe('books')
    expect(await second.count(book, searchFor(term('old')))).toBe(1)
    await second.close()
    await opened(file, options, [...searchedBookshelf({})])
    const left = "select count(*) from sqlite_schema where name glob 'resourcery_words_*'"
    expect([query(names), query(left)]).toEqual([null, 0])
  })

  test('what is pruned has no index any more', async () => {
    const file = temporaryFile()
    const first = await opened(file, options)
    await insertAll(first, book, [bookNamed('The Old Man')])
    await first.close()
    const [withoutBooks] = describeModels([model('author', { country: z.string().optional() })])
    const second = await opened(file, options, [withoutBooks!])
    await second.close()
    const pruning = sqlite(file, options)
    const pruned = await pruning.admin!.prune!([withoutBooks!], { drops: true })
    await pruning.close()
    expect(pruned.map(({ name }) => name)).toEqual(expect.arrayContaining(['books']))
    const query = await reading(file)
    expect(query("select count(*) from sqlite_schema where name glob 'resourcery_words_*'")).toBe(0)
  })

  test('a column that is pruned before a start may be one that was searched', async () => {
    const file = temporaryFile()
    const first = await opened(file, options)
    await insertAll(first, book, [bookNamed('The Old Man')])
    await first.close()
    const [plainAuthor, plainBook] = describeModels([
      model('author', { name: z.string().nullish(), books: toMany('book', { inverse: 'author' }) }),
      model('book', {
        price: field(z.number(), { index: true }),
        author: toOne('author', { optional: true }),
      }),
    ]) as [ModelDescription, ModelDescription]
    const plain = [plainAuthor, plainBook]
    const second = await opened(file, options, plain)
    await second.close()
    const pruning = sqlite(file, options)
    await pruning.admin!.prune!(plain, { drops: true })
    await pruning.close()
    const third = await opened(file, options, plain)
    expect(await third.count(plainBook, always)).toBe(1)
  })
})
