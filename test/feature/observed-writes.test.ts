import {
  Action,
  createRouter,
  image,
  type Middleware,
  model,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Store } from 'resourcery/store'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import type { ModelDescription } from '../../src/model/model-description.ts'
import { allItemsPlan } from '../../src/query/query-plan.ts'
import type { StoreTransaction } from '../../src/store/store-transaction.ts'
import type { ItemChange, WriteObserver } from '../../src/store/write-observer.ts'
import { createStoredItem, readStoredValues } from '../../src/stored-item/create-stored-item.ts'
import type { StoredItem } from '../../src/stored-item/stored-item.ts'
import { type Client, client } from '../support/client.ts'
import { mediaSamples } from '../support/media.ts'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}

class Book extends model('book', {
  title: z.string(),
  price: z.number().default(5),
  author: toOne<Author>('author', { optional: true }),
  series: toOne('series', { optional: true, onDelete: 'cascade' }),
  genres: toMany('genre'),
  cover: image(),
}) {
  @Action
  rename(): void {
    this.title = `${this.title}!`
  }
}
const Series = model('series', { name: z.string() }, { plural: 'seriesList' })
const Genre = model('genre', { name: z.string() })
const models = [Author, Book, Series, Genre]

const [entryModel] = describeModels([
  model('entry', { change: z.string(), before: z.string(), after: z.string() }),
])

/** Writes each change into a table of the same transaction. */
class CountingObserver implements WriteObserver {
  readonly #counter: { count: number }

  constructor(counter: { count: number }) {
    this.#counter = counter
  }

  readonly watched = { has: () => true }

  isFollowed(): boolean {
    return true
  }

  async written(
    transaction: StoreTransaction,
    { kind, model: changed, id, before, after }: ItemChange,
  ): Promise<void> {
    const values = {
      id: String(++this.#counter.count).padStart(5, '0'),
      change: `${kind} ${changed.name} ${id}`,
      before: contentOf(changed, before),
      after: contentOf(changed, after),
    }
    const outcome = await transaction.insert(entryModel!, createStoredItem(entryModel!, values, 1))
    expect(outcome.kind).toBe('written')
  }
}

const counter = { count: 0 }

vi.mock('../../src/api/router-storage.ts', async (original) => {
  const actual = await original<typeof import('../../src/api/router-storage.ts')>()
  const createRouterStorage: typeof actual.createRouterStorage = (options) => {
    const storage = actual.createRouterStorage(options)
    return {
      ...storage,
      observersOf: (described) => [
        ...storage.observersOf(described),
        () => new CountingObserver(counter),
      ],
      open: (described, openOptions) => storage.open([...described, entryModel!], openOptions),
    }
  }
  return { ...actual, createRouterStorage }
})

function contentOf(described: ModelDescription, item: StoredItem | undefined): string {
  return item ? JSON.stringify(readStoredValues(described, item)) : ''
}

describe.each(stores)('An observer of writes, on $name', ({ make }) => {
  let store: Store
  let router: Router
  let api: Client
  let jsonApiClient: Client
  let batches: Client
  let described: Map<string, ModelDescription>
  let seen: number

  const open = async (middleware: Middleware<Book> = {}) => {
    store = await make()
    const blobs = memoryBlobs()
    router = createRouter({ policy: rest(), store, blobs })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store, blobs })
    for (const each of [router, other]) {
      for (const one of models) {
        const prepared = each.prepare(one)
        if (one === Book) prepared.use(middleware as Middleware)
        if (one === Book)
          prepared.itemOperation('copy', async ({ item, items }) => {
            await items(Author).update('austen', { name: item.id })
          })
      }
      await each.open()
    }
    described = new Map(describeModels(models).map((one) => [one.name, one]))
    seen = 0
    api = client(router)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    batches = client(
      other,
      undefined,
      'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"',
    )
    await router.items(Author).create({ id: 'austen', name: 'Jane' })
    await router.items(Genre).create({ id: 'novel', name: 'Novel' })
    await router.items(Series).create({ id: 'works', name: 'Works' })
    await router.items(Book).create({ id: 'emma', title: 'Emma', author: 'austen' })
    await changes()
  }

  const entries = async () => {
    const all: { change: string; before: string; after: string }[] = []
    for await (const batch of store.list(entryModel!, allItemsPlan))
      for (const item of batch) all.push(readStoredValues(entryModel!, item) as never)
    return all
  }

  /** The changes since the last call. What they say must lead to what is stored. */
  const changes = async (): Promise<readonly string[]> => {
    const all = await entries()
    const contents = new Map<string, string>()
    for (const { change, before, after } of all) {
      const [, ...key] = change.split(' ')
      expect([change, before]).toEqual([change, contents.get(key.join(' ')) ?? ''])
      if (after === '') contents.delete(key.join(' '))
      else contents.set(key.join(' '), after)
    }
    const stored = new Map<string, string>()
    for (const [name, one] of described)
      for await (const batch of store.list(one, allItemsPlan))
        for (const item of batch) stored.set(`${name} ${item.id}`, contentOf(one, item))
    expect(Object.fromEntries(contents)).toEqual(Object.fromEntries(stored))
    const added = all.slice(seen).map(({ change }) => change)
    seen = all.length
    return added
  }

  const upload = async (method: string, body?: Uint8Array) =>
    router.handle(
      new Request('http://localhost/books/emma/cover', {
        method,
        headers: { 'content-type': 'image/png' },
        ...(body && { body: new Blob([body as Uint8Array<ArrayBuffer>]) }),
      }),
    )

  beforeEach(() => open())

  it('sees what requests create, change and delete', async () => {
    await api.post('/books', { book: { id: 'ivanhoe', title: 'Ivanhoe' } })
    await api.patch('/books/ivanhoe', { book: { price: 6 } })
    await api.put('/books/ivanhoe', { book: { title: 'Ivanhoe', genres: ['novel'] } })
    await api.patch('/books/ivanhoe', { book: { title: 'Ivanhoe' } })
    await api.delete('/books/ivanhoe')
    expect(await changes()).toEqual([
      'create book ivanhoe',
      'update book ivanhoe',
      'update book ivanhoe',
      'delete book ivanhoe',
    ])
  })

  it('sees the items that hold an inverse relation, and those that a deletion changes', async () => {
    await router.items(Author).update('austen', { books: [] })
    const relationship = '/json-api/authors/austen/relationships/books'
    const response = await jsonApiClient.post(relationship, {
      data: [{ type: 'books', id: 'emma' }],
    })
    expect(response.status).toBe(204)
    await api.patch('/books/emma', { book: { series: 'works', genres: ['novel'] } })
    expect(await changes()).toEqual(['update book emma', 'update book emma', 'update book emma'])
    await api.delete('/authors/austen')
    await api.delete('/genres/novel')
    await api.delete('/seriesList/works')
    expect(await changes()).toEqual([
      'delete author austen',
      'update book emma',
      'delete genre novel',
      'update book emma',
      'delete series works',
      'delete book emma',
    ])
  })

  it('sees uploads, actions, and what actions write', async () => {
    const { 'image/png': png } = await mediaSamples()
    expect((await upload('POST', png)).status).toBe(200)
    expect((await upload('DELETE')).status).toBe(204)
    await api.post('/books/emma/rename')
    await api.post('/books/emma/copy')
    expect(await changes()).toEqual([
      'update book emma',
      'update book emma',
      'update book emma',
      'update author austen',
    ])
  })

  it('sees each operation of a batch, and none of one that is refused', async () => {
    const add = (id: string, author: string) => ({
      op: 'add',
      data: {
        type: 'books',
        id,
        attributes: { title: id },
        relationships: { author: { data: { type: 'authors', id: author } } },
      },
    })
    const remove = { op: 'remove', ref: { type: 'books', id: 'emma' } }
    const operate = (...operations: readonly object[]) =>
      batches.post('/json-api/operations', { 'atomic:operations': operations })
    expect((await operate(add('one', 'austen'), remove)).status).toBe(200)
    expect(await changes()).toEqual(['create book one', 'delete book emma'])
    expect((await operate(add('two', 'austen'), add('three', 'nobody'))).status).toBe(404)
    expect(await changes()).toEqual([])
  })

  it('sees items in code, and none of a transaction that is undone', async () => {
    await router.items(Book).createMany([{ id: 'one', title: 'One' }])
    await router.items(Book).updateWhere((all) => all, { price: 7 })
    await router.transaction(async (items) => {
      await items(Book).delete('one')
      await items(Author).update('austen', { name: 'A.' })
    })
    expect(await changes()).toEqual([
      'create book one',
      'update book emma',
      'update book one',
      'delete book one',
      'update author austen',
    ])
    const undone = router.transaction(async (items) => {
      await items(Book).delete('emma')
      throw new Error('changed my mind')
    })
    await expect(undone).rejects.toThrow('changed my mind')
    await router.load(Genre, [{ id: 'satire', name: 'Satire' }])
    expect(await changes()).toEqual(['create genre satire'])
  })

  it('sees what hooks set before a write, and what they write after it', async () => {
    await open({
      write: {
        before: ({ next }) => {
          if (next) next.price = 9
        },
        after: async ({ kind, item, items }) => {
          if (kind !== 'delete' && item.title === 'Emma')
            await items(Book).update(item.id, { title: 'Emma (9)' })
        },
      },
    })
    await api.patch('/books/emma', { book: { title: 'Emma' } })
    expect(await changes()).toEqual(['update book emma', 'update book emma'])
    expect((await api.get('/books/emma')).at('/book/title')).toBe('Emma (9)')
  })
})
