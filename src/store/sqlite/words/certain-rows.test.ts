import { describe, expect, onTestFinished, test } from 'vitest'
import { searchedBookshelf, searchFor, term } from '../../../../test/support/searched-bookshelf.ts'
import { temporaryFile } from '../../../../test/support/sqlite-bookshelf.ts'
import { toFieldPath } from '../../../query/conditions.ts'
import type { SearchCondition, SearchTerm, SortKey } from '../../../query/query-plan.ts'
import { createStoredItem } from '../../../stored-item/create-stored-item.ts'
import { memory } from '../../memory/memory.ts'
import type { Store } from '../../store.ts'
import { loadDriver } from '../driver.ts'
import { type SqliteOptions, sqlite } from '../sqlite.ts'

const models = searchedBookshelf()
const [author, book] = models
const layouts: readonly SqliteOptions[] = [
  { layout: 'documents', largeTableRows: 0 },
  { layout: 'tables', foreignKeys: false },
]

interface Book {
  readonly title: string
  readonly author?: string
}

const authors = { a0: 'Old', a1: 'sea captain', a2: 'other' }

async function opened(store: Store, books: readonly Book[]): Promise<Store> {
  onTestFinished(() => store.close())
  await store.open(models)
  await store.write(async (transaction) => {
    for (const [id, name] of Object.entries(authors))
      await transaction.insert(author, createStoredItem(author, { id, name }, 1, 'salt'))
    for (const [price, { title, author: of = null }] of books.entries()) {
      const values = { id: `b${price}`, title, price, author: of }
      await transaction.insert(book, createStoredItem(book, values, 1, 'salt'))
    }
  })
  return store
}

const orders = (search: SearchCondition): readonly (readonly SortKey[])[] => [
  [],
  [{ search, direction: 'desc' }],
  [{ path: toFieldPath('price'), direction: 'desc' }],
  [{ path: toFieldPath('title'), direction: 'asc' }],
]

/** What the store finds, in several orders. */
async function answers(store: Store, terms: readonly SearchTerm[]) {
  const search = searchFor(...terms)
  const pages: (readonly string[])[] = []
  for (const sort of orders(search))
    for (const offset of [0, 30]) {
      const pageRange = { kind: 'offset', offset, limit: 20 } as const
      const { entries } = await store.page(book, { condition: search, sort, pageRange })
      pages.push(entries.map(({ id }) => id))
    }
  return { count: await store.count(book, search), pages }
}

describe.each(layouts)('rows that an index finds in the layout $layout', (options) => {
  const both = async (books: readonly Book[]) => {
    const file = temporaryFile()
    const store = await opened(sqlite(file, { durability: 'normal', ...options }), books)
    return { file, store, plain: await opened(memory(), books) }
  }

  test('several words of many rows are found in one table and in several', async () => {
    const titles = ['old', 'sea', 'old sea', 'tale of the old']
    const { store, plain } = await both(
      Array.from({ length: 2_600 }, (_, n) => ({ title: titles[n % 4]!, author: `a${n % 3}` })),
    )
    for (const terms of [
      [term('old'), term('sea')],
      [term('old'), term('sea', 'beginning'), term('tale', 'word', true)],
      [term('old'), term('s', 'beginning')],
      [term('o', 'beginning'), term('s', 'beginning')],
      [term('of the'), term('old')],
    ])
      expect(await answers(store, terms), JSON.stringify(terms)).toEqual(
        await answers(plain, terms),
      )
  }, 60_000)

  test('words that the index cuts are compared as a whole', async () => {
    const long = 'x'.repeat(40_000)
    const { store, plain } = await both([{ title: long }, { title: `${long}y` }, { title: 'x' }])
    for (const each of [term(long), term(`${long}y`), term(long, 'beginning')])
      expect(await answers(store, [each])).toEqual(await answers(plain, [each]))
  }, 60_000)

  test('the condition decides about rows that have changed since', async () => {
    const { file, store } = await both([{ title: 'old man' }, { title: 'old sea' }])
    expect((await answers(store, [term('old')])).count).toBe(2)
    const other = (await loadDriver()).open(file, { readOnly: false })
    onTestFinished(() => other.close())
    other.exec(
      options.layout === 'tables'
        ? "update books set title = 'new man' where id = 'b0'; delete from books where id = 'b1'"
        : `update books set text = replace(text, 'old man', 'new man') where id = 'b0'; delete from books where id = 'b1'`,
    )
    expect((await answers(store, [term('old')])).count).toBe(0)
    expect((await answers(store, [term('new'), term('man')])).pages[0]).toEqual(['b0'])
  }, 60_000)
})

test('rows that another program has replaced for a unique value are not found', async () => {
  const file = temporaryFile()
  const options = { durability: 'normal', layout: 'tables', foreignKeys: false } as const
  await (await opened(sqlite(file, options), [{ title: 'old man' }, { title: 'old sea' }])).close()
  const other = (await loadDriver()).open(file, { readOnly: false })
  onTestFinished(() => other.close())
  other.exec('create unique index by_price on books (price)')
  const store = sqlite(file, options)
  onTestFinished(() => store.close())
  await store.open(models)
  expect((await answers(store, [term('old')])).count).toBe(2)
  other.exec("update or replace books set price = 1 where id = 'b0'")
  expect((await answers(store, [term('old')])).count).toBe(1)
})

test('an index is built anew where another program has made its table anew', async () => {
  const file = temporaryFile()
  const options = { durability: 'normal', layout: 'tables', foreignKeys: false } as const
  await (await opened(sqlite(file, options), [{ title: 'old man' }, { title: 'old sea' }])).close()
  const other = (await loadDriver()).open(file, { readOnly: false })
  onTestFinished(() => other.close())
  const [[definition] = []] = other
    .prepare("select sql from sqlite_schema where name = 'books'")
    .all([]) as string[][]
  other.exec('alter table books rename to books_before')
  other.exec(definition!)
  other.exec('insert into books select * from books_before; drop table books_before')
  other.exec("update books set title = 'new man' where id = 'b0'")
  const store = sqlite(file, options)
  onTestFinished(() => store.close())
  await store.open(models)
  expect((await answers(store, [term('old')])).pages[0]).toEqual(['b1'])
  expect((await answers(store, [term('new')])).count).toBe(1)
})
