import {
  createRouter,
  field,
  image,
  model,
  type Router,
  timestamps,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import type { Fields } from 'resourcery/types'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { mediaSamples } from '../support/media.ts'
import { service } from '../support/service.ts'
import { temporaryFile } from '../support/sqlite-bookshelf.ts'
import { stores } from '../support/stores.ts'

let time = new Date(0)
const now = () => time
/** Another second passes; the trailing zeros of its fraction are not kept. */
const tick = () => {
  time = new Date(time.getTime() + 1_000)
  return `${time.toISOString().slice(0, -'00Z'.length)}Z`
}
const stamps = timestamps({ now })

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
  ...stamps,
}) {}
class Book extends model('book', {
  title: z.string().min(1),
  price: z.number().default(5),
  secret: field(z.string().optional(), { hidden: true }),
  pin: field(z.string().optional(), { writeOnly: true }),
  author: toOne<Author>('author', { optional: true, onDelete: 'set-null' }),
  genres: toMany('genre'),
  cover: image(),
  ...stamps,
}) {}
const Genre = model('genre', { name: z.string() })

describe.each(stores)('Timestamps, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let jsonApiClient: Client
  let created: string

  beforeEach(async () => {
    time = new Date('2024-05-01T08:00:00.100Z')
    const store = await make()
    const blobs = memoryBlobs()
    router = createRouter({ policy: rest(), store, blobs })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store, blobs })
    for (const each of [router, other]) {
      each.prepare(Author)
      each.prepare(Genre)
      each.prepare(Book).itemOperation('rename', ({ item }) => {
        item.title = `${item.title}!`
        item.createdAt = '1999-01-01T00:00:00Z'
      })
    }
    api = client(router)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    await router.items(Author).create({ id: 'austen', name: 'Jane Austen' })
    await router.items(Genre).create({ id: 'novel', name: 'Novel' })
    created = tick()
    await api.post('/books', { book: { id: 'emma', title: 'Emma', author: 'austen' } })
  })

  const times = async (path = '/books/emma') => {
    const { body } = await api.get(path)
    const { createdAt, updatedAt } = Object.values(body as object)[0]
    return [createdAt, updatedAt]
  }

  it('are those of the creation, whatever a client sends', async () => {
    expect(await times()).toEqual([created, created])
    const sent = '1999-01-01T00:00:00Z'
    const response = await api.post('/books', {
      book: { title: 'Persuasion', createdAt: sent, updatedAt: sent },
    })
    expect(response.status).toBe(201)
    expect(response.at('/book/createdAt')).toBe(created)
    expect(response.at('/book/updatedAt')).toBe(created)
  })

  it('follow each way in which an item changes', async () => {
    const { 'image/png': png } = await mediaSamples()
    const relationship = '/json-api/books/emma/relationships'
    const sent = { createdAt: '1999-01-01T00:00:00Z', updatedAt: '1999-01-01T00:00:00Z' }
    const atomic = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const writes: Record<string, () => Promise<unknown>> = {
      patch: () => api.patch('/books/emma', { book: { price: 6, ...sent } }),
      put: () => api.put('/books/emma', { book: { title: 'Emma', author: 'austen', ...sent } }),
      action: () => api.post('/books/emma/rename'),
      upload: () =>
        router.handle(
          new Request('http://localhost/books/emma/cover', {
            method: 'POST',
            headers: { 'content-type': 'image/png' },
            body: new Blob([png as Uint8Array<ArrayBuffer>]),
          }),
        ),
      'deleted resource': () => api.delete('/books/emma/cover'),
      'to-many relationship': () =>
        jsonApiClient.post(`${relationship}/genres`, { data: [{ type: 'genres', id: 'novel' }] }),
      'to-one relationship': () => jsonApiClient.patch(`${relationship}/author`, { data: null }),
      'relationship from the other side': () =>
        jsonApiClient.post('/json-api/authors/austen/relationships/books', {
          data: [{ type: 'books', id: 'emma' }],
        }),
      'hidden field': () => router.items(Book).update('emma', { secret: 'x' }),
      code: () => router.items(Book).update('emma', { price: 7, ...sent }),
      'replacement in code': () =>
        router.items(Book).replace('emma', { title: 'Emma', genres: ['novel'], author: 'austen' }),
      batch: () =>
        jsonApiClient.post(
          '/json-api/operations',
          {
            'atomic:operations': [
              { op: 'update', data: { type: 'books', id: 'emma', attributes: { price: 8 } } },
            ],
          },
          { 'content-type': atomic, accept: atomic },
        ),
      'onDelete of a to-one relation': () => api.delete('/authors/austen'),
      'onDelete of a to-many relation': () => api.delete('/genres/novel'),
    }
    for (const [way, write] of Object.entries(writes)) {
      const changed = tick()
      await write()
      expect(await times(), way).toEqual([created, changed])
    }
  })

  it('stay where nothing changes', async () => {
    tick()
    for (const change of [
      { title: 'Emma' },
      {},
      { updatedAt: '1999-01-01T00:00:00Z' },
      { author: 'austen' },
    ]) {
      expect((await api.patch('/books/emma', { book: change })).status).toBe(200)
      expect(await times()).toEqual([created, created])
    }
    await router.items(Book).update('emma', { createdAt: '1999-01-01T00:00:00Z', updatedAt: null })
    await jsonApiClient.patch('/json-api/books/emma/relationships/author', {
      data: { type: 'authors', id: 'austen' },
    })
    expect(await times()).toEqual([created, created])
    expect(await times('/authors/austen')).toEqual([
      '2024-05-01T08:00:00.1Z',
      '2024-05-01T08:00:00.1Z',
    ])
  })

  it('do not tell who sends a member that nobody sees whether it was right', async () => {
    await api.patch('/books/emma', { book: { pin: '1234' } })
    for (const pin of ['1234', '0000']) {
      const changed = tick()
      await api.patch('/books/emma', { book: { pin } })
      expect(await times()).toEqual([created, changed])
    }
  })

  it('stay where the transaction fails', async () => {
    tick()
    const failure = router.transaction(async (items) => {
      await items(Book).update('emma', { price: 9 })
      throw new Error('No.')
    })
    await expect(failure).rejects.toThrow('No.')
    expect(await times()).toEqual([created, created])
  })

  it('are seen by hooks, which cannot set them', async () => {
    const store = await make()
    const hooked = createRouter({ policy: rest(), store, blobs: memoryBlobs() })
    const seen: unknown[] = []
    hooked.prepare(Author).use({
      write: {
        before: ({ next, previous }) => {
          seen.push([next?.createdAt, next?.updatedAt, previous?.updatedAt])
          if (!next) return
          next.createdAt = '1999-01-01T00:00:00Z'
          next.updatedAt = undefined
          next.name += '!'
        },
      },
    })
    hooked.prepare(Book)
    hooked.prepare(Genre)
    const items = hooked.items(Author)
    const first = tick()
    await items.create({ id: 'a', name: 'Ann' })
    const second = tick()
    const author = await items.update('a', { name: 'Anna' })
    expect(seen).toEqual([
      [first, first, undefined],
      [first, second, first],
    ])
    expect([author.name, author.createdAt, author.updatedAt]).toEqual(['Anna!', first, second])
  })

  it('are loaded as they are given, or as now', async () => {
    const now = tick()
    const given = { createdAt: '2020-01-01T00:00:00+01:00', updatedAt: '2020-01-02T00:00:00Z' }
    await router.load(Author, [
      { id: 'old', name: 'Old', ...given },
      { id: 'new', name: 'New', createdAt: given.createdAt },
    ])
    expect(await times('/authors/old')).toEqual(['2019-12-31T23:00:00Z', '2020-01-02T00:00:00Z'])
    expect(await times('/authors/new')).toEqual(['2019-12-31T23:00:00Z', now])
    await expect(
      router.load(Author, [{ id: 'bad', name: 'Bad', createdAt: 'yesterday' }]),
    ).rejects.toThrow("'createdAt': expected a date-time")
  })

  it('compare as instants', async () => {
    const changed = tick()
    await api.patch('/books/emma', { book: { price: 6 } })
    await api.post('/books', { book: { id: 'later', title: 'Later' } })
    const list = async (query: string) => (await api.get(`/books?${query}`)).ids('books')
    expect(await list('sort=-createdAt')).toEqual(['later', 'emma'])
    const withOffset = encodeURIComponent(changed.replace('T08', 'T10').replace('Z', '+02:00'))
    expect(await list(`filter[updatedAt]=${withOffset}&sort=id`)).toEqual(['emma', 'later'])
    expect(await list(`filter[createdAt][lt]=${withOffset}`)).toEqual(['emma'])
  })

  it('have other names, or are left out, by option', async () => {
    const names = { createdAt: 'made', updatedAt: false, now } as const
    const { api: notes } = service(await make(), [
      model('note', { text: z.string(), ...timestamps(names) }),
    ])
    const made = tick()
    const { body } = await notes.post('/notes', { note: { id: 'n', text: 'a' } })
    expect(body).toMatchObject({ note: { id: 'n', text: 'a', made } })
    tick()
    await notes.patch('/notes/n', { note: { text: 'b' } })
    expect((await notes.get('/notes/n')).body).toEqual({ note: { id: 'n', text: 'b', made } })
  })
})

describe('timestamps()', () => {
  it.each(['documents', 'tables'] as const)(
    'are missing in items that are older than the fields, until these change (%s)',
    async (layout) => {
      const file = temporaryFile()
      const open = (fields: Fields) => service(sqlite(file, { layout }), [model('note', fields)])
      const before = open({ text: z.string() })
      await before.api.post('/notes', { note: { id: 'n', text: 'a' } })
      await before.router.close()
      const after = open({ text: z.string(), ...timestamps({ now, index: true }) })
      onTestFinished(() => after.router.close())
      const noteAfter = async (text: string) => {
        await after.api.patch('/notes/n', { note: { text } })
        return (await after.api.get('/notes/n')).body
      }
      const changed = tick()
      expect(await noteAfter('a')).toEqual({ note: { id: 'n', text: 'a' } })
      expect(await noteAfter('b')).toEqual({ note: { id: 'n', text: 'b', updatedAt: changed } })
    },
  )

  it('is documented as optional, read-only instants', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(model('note', { text: z.string(), ...timestamps() }))
    const { schemas } = (await router.toOpenApi()).components as {
      schemas: Record<string, { properties: Record<string, object>; required: string[] }>
    }
    expect(schemas.Note!.properties.updatedAt).toEqual({
      type: 'string',
      format: 'date-time',
      description: 'When the item was last changed',
      readOnly: true,
    })
    expect(schemas.Note!.required).toEqual(['id', 'text'])
  })

  it('follows the clock of the system', async () => {
    const { api } = service(memory(), [model('note', { text: z.string(), ...timestamps() })])
    const before = Date.now()
    const response = await api.post('/notes', { note: { text: 'a' } })
    const createdAt = Date.parse(String(response.at('/note/createdAt')))
    expect(createdAt).toBeGreaterThanOrEqual(before)
    expect(createdAt).toBeLessThanOrEqual(Date.now())
  })

  it('refuses invalid options', () => {
    expect(() => timestamps({ createdAt: 'at', updatedAt: 'at' })).toThrow(
      "both of its fields 'at'",
    )
    expect(() => timestamps({ createdAt: false, updatedAt: false })).toThrow('declares no field')
    expect(() => timestamps({ createdAt: true as never })).toThrow('the name true')
    expect(() => timestamps({ now: 3 as never })).toThrow('must be a function')
    expect(() => timestamps({ updateAt: 'x' } as never)).toThrow("Unknown option 'updateAt'")
    const Note = model('note', timestamps({ createdAt: 'id' }))
    const { router } = service(memory(), [Note])
    expect(() => router.items(Note)).toThrow("declares the field 'id'")
  })
})
