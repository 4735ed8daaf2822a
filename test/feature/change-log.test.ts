import { Action, createRouter, image, model, type SecurityOptions, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Store } from 'resourcery/store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ChangeEntry } from '../../src/store/change-log.ts'
import { client } from '../support/client.ts'
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
  cover: image(),
}) {
  @Action
  rename(): void {
    this.title = `${this.title}!`
  }
}
const Series = model('series', { name: z.string() }, { plural: 'seriesList', changes: false })
const security: SecurityOptions = {
  authentication: [
    {
      name: 'names',
      scheme: { type: 'http', scheme: 'bearer' },
      authenticate: ({ headers: { authorization } }) =>
        authorization ? { caller: { id: authorization.slice(7) } } : undefined,
    },
  ],
  callerSchema: z.object({ id: z.string() }),
}

/** All changes of the log; those of PostgreSQL become readable once older transactions end. */
async function entriesOf(store: Store, count: number): Promise<readonly ChangeEntry[]> {
  const log = store.changes!
  for (;;) {
    const read = await log.read(undefined, 1_000)
    if (read.kind !== 'changes') throw new Error(read.kind)
    if (read.entries.length >= count) return read.entries
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const wordsOf = (entry: ChangeEntry): string =>
  entry.kind === 'erased'
    ? `erased ${entry.model}`
    : `${entry.kind} ${entry.model} ${entry.id} by ${entry.caller}`

/** Each change begins where the one before it has ended. */
function expectNoGap(entries: readonly ChangeEntry[]): void {
  const texts = new Map<string, string | undefined>()
  for (const entry of entries) {
    if (entry.kind === 'erased') throw new Error('Nothing was erased.')
    const { model: name, id, before, after } = entry
    expect(before?.text).toBe(texts.get(`${name} ${id}`))
    texts.set(`${name} ${id}`, after?.text)
  }
}

describe.each(stores)('The log of changes, on $name', ({ make }) => {
  const open = async (options: Partial<Parameters<typeof createRouter>[0]> = {}) => {
    const store = await make()
    const router = createRouter({
      policy: rest(),
      store,
      blobs: memoryBlobs(),
      changes: true,
      idempotency: true,
      ...options,
    })
    for (const each of [Author, Book, Series]) router.prepare(each)
    await router.open()
    return { store, router, api: client(router) }
  }

  it('has every change of a request, of what follows from it, and of code', async () => {
    const { store, router, api } = await open()
    await api.post('/authors', { author: { id: 'austen', name: 'Jane' } })
    await api.post('/seriesList', { series: { id: 'works', name: 'Works' } })
    await api.post('/books', { book: { id: 'emma', title: 'Emma', series: 'works' } })
    await router.items(Author).update('austen', { books: ['emma'] })
    const { 'image/png': png } = await mediaSamples()
    const upload = new Request('http://localhost/books/emma/cover', {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: new Blob([png as Uint8Array<ArrayBuffer>]),
    })
    expect((await router.handle(upload)).status).toBe(200)
    await api.post('/books/emma/rename')
    await router.items(Book).create({ id: 'one', title: 'One' })
    await api.delete('/authors/austen')
    await api.delete('/seriesList/works')
    const entries = await entriesOf(store, 9)
    expect(entries.map(wordsOf)).toEqual([
      'create author austen by null',
      'create book emma by null',
      'update book emma by null',
      'update book emma by null',
      'update book emma by null',
      'create book one by null',
      'update book emma by null',
      'delete author austen by null',
      'delete book emma by null',
    ])
    expectNoGap(entries)
    expect(new Set(entries.map(({ transaction }) => transaction)).size).toBe(8)
    expect(entries[6]!.transaction).toBe(entries[7]!.transaction)
  })

  it('has a request that is sent again once, with who sent it', async () => {
    const { store, router } = await open({ security })
    const api = client(router)
    const headers = { 'idempotency-key': '"a-key"', authorization: 'Bearer emil' }
    for (const _ of [1, 2])
      expect((await api.post('/authors', { author: { id: 'a', name: 'A' } }, headers)).status).toBe(
        201,
      )
    await router.items(Author).update('a', { name: 'C' })
    expect((await entriesOf(store, 2)).map(wordsOf)).toEqual([
      'create author a by emil',
      'update author a by null',
    ])
  })

  it('has nothing of a transaction that is undone or refused, and keeps others together', async () => {
    const { store, router, api } = await open()
    await expect(
      router.transaction(async (items) => {
        await items(Author).create({ id: 'a', name: 'A' })
        throw new Error('changed my mind')
      }),
    ).rejects.toThrow('changed my mind')
    expect((await api.post('/books', { book: { title: 'T', author: 'nobody' } })).status).toBe(422)
    await router.transaction(async (items) => {
      await items(Author).create({ id: 'a', name: 'A' })
      await items(Author).update('a', { name: 'B' })
    })
    const entries = await entriesOf(store, 2)
    expect(entries.map(wordsOf)).toEqual(['create author a by null', 'update author a by null'])
    expect(entries[0]!.transaction).toBe(entries[1]!.transaction)
  })

  it('has the operations of a batch, each with its caller', async () => {
    const { store, router } = await open({ policy: jsonApi(), security })
    const mediaType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const add = (id: string) => ({
      op: 'add',
      data: { type: 'authors', id, attributes: { name: id } },
    })
    const { status } = await client(router, undefined, mediaType).post(
      '/operations',
      { 'atomic:operations': [add('a'), add('b')] },
      { authorization: 'Bearer emil' },
    )
    expect(status).toBe(200)
    expect((await entriesOf(store, 2)).map(wordsOf)).toEqual([
      'create author a by emil',
      'create author b by emil',
    ])
  })

  it('has loaded items by option only', async () => {
    const quiet = await open()
    await quiet.router.load(Author, [{ id: 'a', name: 'A' }])
    await quiet.router.items(Author).create({ id: 'b', name: 'B' })
    expect((await entriesOf(quiet.store, 1)).map(wordsOf)).toEqual(['create author b by null'])
    const logging = await open({ changes: { loads: true } })
    await logging.router.load(Author, [{ id: 'a', name: 'A' }])
    expect((await entriesOf(logging.store, 1)).map(wordsOf)).toEqual(['create author a by null'])
  })
})

describe('The option changes', () => {
  const routerWith = (store: Store, changes?: boolean) =>
    createRouter({ policy: rest(), store, ...(changes !== undefined && { changes }) })

  it('is that of the model where it has one', async () => {
    const Logged = model('logged', { name: z.string() }, { changes: { keepDays: 30 } })
    const Other = model('other', { name: z.string() })
    const store = memory()
    const router = routerWith(store)
    for (const each of [Logged, Other]) router.prepare(each)
    await router.items(Logged).create({ id: 'a', name: 'A' })
    await router.items(Other).create({ id: 'b', name: 'B' })
    expect((await entriesOf(store, 1)).map(wordsOf)).toEqual(['create logged a by null'])
  })

  it('keeps nothing where it is off', async () => {
    const store = memory()
    const router = routerWith(store)
    const Thing = model('thing', { name: z.string() })
    router.prepare(Thing)
    await router.items(Thing).create({ id: 'a', name: 'A' })
    expect(await entriesOf(store, 0)).toEqual([])
  })

  it.each([
    [{ keepDays: 0 }, "The option 'keepDays'"],
    [{ keepDay: 1 }, "Did you mean 'keepDays'?"],
    [{ capture: 'slots' }, "The option 'capture'"],
    [{ capture: 'triggers' }, 'the store has no triggers that log what other programs write'],
    [7, 'must be true, false or an object such as { keepDays: 7 }'],
  ])('is refused for a model as %j', async (changes, message) => {
    const router = routerWith(memory())
    expect(() => {
      router.prepare(model('thing', { name: z.string() }, { changes: changes as never }))
      return router.rules
    }).toThrow(message)
  })

  it('is refused for a router with all that is wrong', () => {
    const changes = { keepDays: 0.5, maxEntries: 0, loads: 1, models: 'some' } as never
    expect(() => createRouter({ policy: rest(), store: memory(), changes })).toThrow(
      /'models'.*\n.*'keepDays'.*\n.*'maxEntries'.*\n.*'loads'/,
    )
  })

  it('is refused where a store has no log', () => {
    const { changes: _, ...store } = memory()
    const router = routerWith(store as Store, true)
    router.prepare(model('thing', { name: z.string() }))
    expect(() => router.rules).toThrow("'changes' needs a store that keeps changes")
  })

  it('is refused where another router over the store says otherwise', async () => {
    const Thing = model('thing', { name: z.string() })
    const store = memory()
    const [one, other] = [routerWith(store, true), routerWith(store)]
    for (const each of [one, other]) each.prepare(Thing)
    await one.open()
    await expect(other.open()).rejects.toThrow(
      "only one logs changes of the model 'thing', so the log would lack those of the other",
    )
  })
})
