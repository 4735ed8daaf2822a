import {
  createRouter,
  field,
  image,
  type Middleware,
  model,
  type Router,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { mediaSamples } from '../support/media.ts'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}

class Book extends model('book', {
  title: z.string().min(1),
  price: z.number().default(5),
  tags: z.array(z.string()).default([]),
  updates: field(z.int().max(90).default(0), { readOnly: true }),
  secret: field(z.string().optional(), { hidden: true }),
  author: toOne<Author>('author', { optional: true }),
  series: toOne('series', { optional: true, onDelete: 'cascade' }),
  genres: toMany('genre'),
  cover: image(),
}) {}

const Series = model('series', { name: z.string() }, { plural: 'seriesList' })
const Genre = model('genre', { name: z.string() })

describe.each(stores)('Hooks around writes, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let jsonApiClient: Client
  let log: string[]
  let committed: string[]

  const open = async (...middleware: Middleware<Book>[]) => {
    const store = await make()
    const blobs = memoryBlobs()
    log = []
    committed = []
    router = createRouter({ policy: rest(), store, blobs })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store, blobs })
    for (const each of [router, other]) {
      each.prepare(Author)
      each.prepare(Series)
      each.prepare(Genre)
      const prepared = each.prepare(Book)
      for (const one of middleware) prepared.use(one)
      prepared.itemOperation('rename', ({ item }) => {
        item.title = `${item.title}!`
      })
    }
    api = client(router)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    await router.items(Author).create({ id: 'austen', name: 'Jane Austen' })
    await router.items(Genre).create({ id: 'novel', name: 'Novel' })
    await router.items(Series).create({ id: 'works', name: 'Works' })
  }

  const counting: Middleware<Book> = {
    write: {
      before: ({ kind, next, previous }) => {
        log.push(`before ${kind}`)
        if (next) next.updates = (previous?.updates ?? 0) + 1
      },
      after: ({ kind, item, previous }) => {
        log.push(`after ${kind} ${previous?.updates ?? '-'} ${item?.updates ?? '-'}`)
      },
      afterCommit: ({ kind, item, previous, cause }) => {
        committed.push(
          `${kind} ${(item ?? previous)?.id} by ${cause.kind === 'request' ? cause.operation : 'code'}`,
        )
      },
    },
  }

  describe('that count', () => {
    beforeEach(() => open(counting))

    it('run for each way in which an item changes, and once for each change', async () => {
      const { 'image/png': png } = await mediaSamples()
      await api.post('/books', {
        book: { id: 'emma', title: 'Emma', author: 'austen', series: 'works' },
      })
      await api.patch('/books/emma', { book: { price: 6 } })
      await api.put('/books/emma', { book: { title: 'Emma', author: 'austen', series: 'works' } })
      await api.post('/books/emma/rename')
      await router.handle(
        new Request('http://localhost/books/emma/cover', {
          method: 'POST',
          headers: { 'content-type': 'image/png' },
          body: new Blob([png as Uint8Array<ArrayBuffer>]),
        }),
      )
      await api.delete('/books/emma/cover')
      const relationship = '/json-api/books/emma/relationships'
      await jsonApiClient.post(`${relationship}/genres`, {
        data: [{ type: 'genres', id: 'novel' }],
      })
      await jsonApiClient.patch(`${relationship}/author`, { data: null })
      await jsonApiClient.post('/json-api/authors/austen/relationships/books', {
        data: [{ type: 'books', id: 'emma' }],
      })
      await router.items(Book).update('emma', { price: 7 })
      await api.delete('/authors/austen')
      expect((await api.get('/books/emma')).at('/book/updates')).toBe(11)
      await api.delete('/seriesList/works')
      expect((await api.get('/books/emma')).status).toBe(404)
      expect(committed).toEqual([
        'create emma by CreateItem',
        'update emma by UpdateItem',
        'update emma by ReplaceItem',
        'update emma by ItemApiOperation',
        'update emma by SetResource',
        'update emma by DeleteResource',
        'update emma by RelationshipPost',
        'update emma by RelationshipPatch',
        'update emma by RelationshipPost',
        'update emma by code',
        'update emma by DeleteItem',
        'delete emma by DeleteItem',
      ])
      expect(log.slice(0, 4)).toEqual([
        'before create',
        'after create - 1',
        'before update',
        'after update 1 2',
      ])
      expect(log.slice(-2)).toEqual(['before delete', 'after delete 11 -'])
    })

    it('run for each operation of a batch, and after the commit of all of them', async () => {
      const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
      const add = (id: string, title: string) => ({
        op: 'add',
        data: { type: 'books', id, attributes: { title } },
      })
      const send = (operations: readonly object[]) =>
        jsonApiClient.post(
          '/json-api/operations',
          { 'atomic:operations': operations },
          { 'content-type': type, accept: type },
        )
      expect((await send([add('a', 'A'), add('b', '')])).status).toBe(422)
      expect(committed).toEqual([])
      expect((await send([add('a', 'A'), add('b', 'B')])).status).toBe(200)
      expect(committed).toEqual(['create a by CreateItem', 'create b by CreateItem'])
      expect((await api.get('/books/b')).at('/book/updates')).toBe(1)
    })

    it('do not run for a write that changes nothing, nor after one that fails', async () => {
      await api.post('/books', { book: { id: 'emma', title: 'Emma' } })
      committed = []
      await api.patch('/books/emma', { book: { title: 'Emma' } })
      await api.patch('/books/emma', { book: { title: '' } })
      await expect(
        router.transaction(async (items) => {
          await items(Book).update('emma', { price: 9 })
          throw new Error('No.')
        }),
      ).rejects.toThrow('No.')
      expect(committed).toEqual([])
    })

    it('run in transactions of code, and after their commit', async () => {
      await router.transaction(async (items) => {
        await items(Book).create({ id: 'a', title: 'A' })
        await items(Book).update('a', { price: 9 })
        expect(committed).toEqual([])
      })
      expect(committed).toEqual(['create a by code', 'update a by code'])
      expect((await router.items(Book).get('a'))?.updates).toBe(2)
    })
  })

  it('refuse with pointers into what was sent, and store nothing', async () => {
    await open({
      write: {
        before: ({ next, refuse: refuseMember }) => {
          if (next?.title === 'Emma') refuseMember('title', 'is taken by Jane')
          if (next?.tags.includes('x')) refuseMember('tags.0', "must not be 'x'")
          if (next?.title === 'Secret') refuseMember('secret', 'is missing')
        },
      },
    })
    const errorOf = async (book: object) => {
      const { status, errors } = await api.post('/books', { book })
      return [status, errors[0]?.code, errors[0]?.detail, errors[0]?.source?.pointer]
    }
    expect(await errorOf({ title: 'Emma' })).toEqual([
      422,
      'invalid-member',
      "'title' is taken by Jane.",
      '/book/title',
    ])
    expect(await errorOf({ title: 'A', tags: ['x'] })).toEqual([
      422,
      'invalid-member',
      "'tags.0' must not be 'x'.",
      '/book/tags/0',
    ])
    const hidden = await errorOf({ title: 'Secret' })
    expect(hidden[2]).toBe('The book is missing.')
    expect((await api.get('/books')).ids('books')).toEqual([])
  })

  it('validate what a hook leaves, and look up the items that it relates to', async () => {
    await open({
      write: {
        before: ({ next }) => {
          if (next?.title === 'many') next.updates = 91
          if (next?.title === 'nobody') next.author = 'nobody'
          if (next?.title === 'austen') next.author = 'austen'
          if (next?.title === 'unknown') (next as Record<string, unknown>).titel = 'x'
          if (next?.title === 'other') (next as Record<string, unknown>).cover = {}
        },
      },
    })
    const post = (title: string) => api.post('/books', { book: { id: title, title } })
    expect((await post('many')).errors[0]).toMatchObject({
      status: 422,
      source: { pointer: '/book' },
    })
    const nobody = await post('nobody')
    expect(nobody.errors[0]?.detail).toContain("leads to the author 'nobody', which does not exist")
    expect((await post('austen')).at('/book/author')).toBe('austen')
    expect((await post('unknown')).status).toBe(500)
    expect((await post('other')).status).toBe(500)
    expect((await api.get('/books')).ids('books')).toEqual(['austen'])
  })

  it('store each id of a relation once, and refuse what is no id', async () => {
    let genres: unknown
    await open({
      write: {
        before: ({ next }) => {
          if (next) next.genres = genres as string[]
        },
      },
    })
    genres = ['novel', { id: 'novel' }]
    const created = await api.post('/books', { book: { title: 'Emma' } })
    expect(created.at('/book/genres')).toEqual(['novel'])
    for (genres of [['novel', 5], [null], 'novel', { id: 'novel' }])
      expect((await api.post('/books', { book: { title: 'Emma' } })).status).toBe(500)
    expect(await router.items(Book).count()).toBe(1)
  })

  it('cannot write the item that they decide about', async () => {
    let ownWrite: ((id: string) => Promise<unknown>) | undefined
    await open({
      write: {
        before: async ({ previous, items }) => {
          const write = ownWrite
          ownWrite = undefined
          if (write && previous) await write(previous.id)
          if (previous) await items(Book).get(previous.id)
        },
        afterCommit: ({ kind }) => {
          log.push(kind)
        },
      },
    })
    await api.post('/books', { book: { id: 'emma', title: 'Emma' } })
    log = []
    const writes = [
      (id: string) => router.items(Book).update(id, { price: 9 }),
      (id: string) => router.items(Book).delete(id),
    ]
    for (const write of writes) {
      ownWrite = write
      expect((await api.patch('/books/emma', { book: { title: 'Changed' } })).status).toBe(500)
      ownWrite = write
      expect((await api.delete('/books/emma')).status).toBe(500)
    }
    expect(log).toEqual([])
    expect(await router.items(Book).get('emma')).toMatchObject({ title: 'Emma', price: 5 })
    expect((await api.patch('/books/emma', { book: { title: 'Changed' } })).status).toBe(200)
    expect(log).toEqual(['update'])
  })

  it('may change the item again after the write, and the response shows it', async () => {
    await open({
      write: {
        after: async ({ item, items }) => {
          if (item && !item.title.endsWith('.'))
            await items(Book).update(item.id, { title: `${item.title}.` })
        },
      },
    })
    const expectStored = async (response: ClientResponse, title: string) => {
      expect(response.at('/book/title')).toBe(title)
      const read = await api.get('/books/emma')
      expect(read.at('/book/title')).toBe(title)
      expect(response.etag).toBe(read.etag)
    }
    await expectStored(await api.post('/books', { book: { id: 'emma', title: 'A' } }), 'A.')
    await expectStored(await api.patch('/books/emma', { book: { title: 'B' } }), 'B.')
    await expectStored(await api.put('/books/emma', { book: { title: 'C' } }), 'C.')
    await expectStored(await api.post('/books/emma/rename'), 'C.!.')
    const data = { type: 'books', id: 'emma', attributes: { title: 'D' } }
    const changed = await jsonApiClient.patch('/json-api/books/emma', { data })
    expect(changed.at('/data/attributes/title')).toBe('D.')
  })

  it('may change the item again in a batch and a transaction of code, whose results show it', async () => {
    await open({
      write: {
        after: async ({ item, items }) => {
          if (item && !item.title.endsWith('.'))
            await items(Book).update(item.id, { title: `${item.title}.` })
        },
      },
    })
    const atomicMediaType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const results = await jsonApiClient.post(
      '/json-api/operations',
      {
        'atomic:operations': [
          { op: 'add', data: { type: 'books', id: 'emma', attributes: { title: 'A' } } },
          { op: 'update', data: { type: 'books', id: 'emma', attributes: { title: 'B' } } },
        ],
      },
      { 'content-type': atomicMediaType, accept: atomicMediaType },
    )
    expect(results.at('/atomic:results/0/data/attributes/title')).toBe('A.')
    expect(results.at('/atomic:results/1/data/attributes/title')).toBe('B.')
    const titles = await router.transaction(async (items) => [
      (await items(Book).create({ id: 'persuasion', title: 'C' })).title,
      (await items(Book).update('persuasion', { title: 'D' })).title,
    ])
    expect(titles).toEqual(['C.', 'D.'])
  })

  it('write other items in the same transaction', async () => {
    await open({
      write: {
        after: async ({ kind, item, items }) => {
          if (kind !== 'create') return
          await items(Genre).create({ id: item.id, name: item.title })
          if (item.title === 'bad') refuse('conflict', 'No.')
        },
      },
    })
    expect((await api.post('/books', { book: { id: 'a', title: 'A' } })).status).toBe(201)
    expect((await api.get('/genres/a')).at('/genre/name')).toBe('A')
    expect((await api.post('/books', { book: { id: 'b', title: 'bad' } })).status).toBe(409)
    expect((await api.get('/genres/b')).status).toBe(404)
  })

  it('report errors after the commit, and send the response all the same', async () => {
    await open({
      write: {
        afterCommit: () => {
          throw new Error('The mail server is away.')
        },
      },
    })
    expect((await api.post('/books', { book: { title: 'A' } })).status).toBe(201)
  })
})
