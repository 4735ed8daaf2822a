import { field, hash, model, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { expectPointersInto } from '../support/pointers.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string() })
const Book = model('book', {
  title: z.string().min(1),
  note: z.string().optional(),
  tags: z.array(z.string()).default([]),
  size: z.object({ width: z.number(), height: z.number().optional() }).optional(),
  createdAt: field(z.string().default('now'), { readOnly: true }),
  costPrice: field(z.number().optional(), { hidden: true }),
  email: field(z.string().optional(), { writeOnly: true }),
  author: toOne('author'),
  editor: toOne('author', { optional: true }),
  fans: toMany('author'),
  hash: hash(),
})
const Page = model(
  'page',
  { text: z.string(), author: toOne('author', { optional: true }), hash: hash() },
  { upsert: true },
)

const stored = {
  id: 'b-1',
  title: 'Frankenstein',
  note: 'first',
  tags: ['gothic'],
  size: { width: 1, height: 2 },
  createdAt: 'then',
  costPrice: 4,
  email: 'mary@example.org',
  author: 'a-1',
  editor: 'a-2',
  fans: ['a-2'],
}

describe.each(stores)('ReplaceItem, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    const { router, api: client } = service(await make(), [Author, Book, Page])
    await router.load(Author, [
      { id: 'a-1', name: 'x' },
      { id: 'a-2', name: 'y' },
    ])
    await router.load(Book, [stored])
    await router.load(Page, [{ id: 'p-1', text: 'x' }])
    api = client
  })

  it('rule 5: does not merge; responds with 200 and the item as the client sent it', async () => {
    const response = await api.put('/books/b-1', {
      book: { title: 'Lodore', size: { width: 3 }, author: 'a-2' },
    })
    expect(response.status).toBe(200)
    expect(response.at('/book')).toEqual({
      id: 'b-1',
      title: 'Lodore',
      tags: [],
      size: { width: 3 },
      createdAt: 'then',
      author: 'a-2',
      editor: null,
      fans: [],
      hash: expect.any(String),
    })
    expect((await api.get('/books/b-1')).body).toEqual(response.body)
  })

  it('rule 5: refuses an item without its required members, whatever it had before', async () => {
    const body = { book: { note: 'only this' } }
    const response = await api.put('/books/b-1', body)
    expect(response.status).toBe(422)
    expect(response.errors.map((error) => error.detail).join()).toMatch(/title.*author/)
    expectPointersInto(body, response)
    expect((await api.get('/books/b-1')).at('/book/note')).toBe('first')
  })

  it('keeps read-only members, whatever the client sends', async () => {
    const response = await api.put('/books/b-1', {
      book: { title: 'x', author: 'a-1', createdAt: 'forged', hash: 'forged' },
    })
    expect([response.status, response.at('/book/createdAt')]).toEqual([200, 'then'])
    expect(response.at('/book/hash')).not.toBe('forged')
  })

  it('keeps hidden and write-only members that a client cannot send back', async () => {
    const { router, api: own } = service(await make(), [])
    router.prepare(Author)
    router.prepare(Book).map((book) => ({ ...book, seen: `${book.costPrice} ${book.email}` }), {
      adds: { seen: z.string() },
    })
    await router.load(Author, [
      { id: 'a-1', name: 'x' },
      { id: 'a-2', name: 'y' },
    ])
    await router.load(Book, [stored])
    const response = await own.put('/books/b-1', { book: { title: 'x', author: 'a-1' } })
    expect(response.at('/book/seen')).toBe('4 mary@example.org')
    const sent = await own.put('/books/b-1', {
      book: { title: 'x', author: 'a-1', email: 'new@example.org' },
    })
    expect(sent.at('/book/seen')).toBe('4 new@example.org')
  })

  it('an item that is sent back as it was received changes nothing', async () => {
    const before = await api.get('/books/b-1')
    const response = await api.put('/books/b-1', before.body)
    expect([response.status, response.body, response.etag]).toEqual([200, before.body, before.etag])
  })

  it.each([
    [{ title: 'x', author: 'a-1', costPrice: 1 }, 422, '/book/costPrice'],
    [{ title: 'x', author: 'a-1', director: 1 }, 422, '/book/director'],
    [{ title: 'x', author: 'a-1', size: { width: 1, depth: 1 } }, 422, '/book/size/depth'],
    [{ title: 'x', author: 'a-9' }, 422, '/book/author'],
    [{ title: 'x', author: null }, 422, '/book/author'],
    [{ title: 'x', author: { id: 'a-1' } }, 400, '/book/author'],
    [{ title: 'x', author: 'a-1', id: 'b-2' }, 409, '/book/id'],
  ])('cannot have %j: %i with a pointer to %s', async (members, status, pointer) => {
    const body = { book: members }
    const response = await api.put('/books/b-1', body)
    expect([response.status, response.errors.map((error) => error.source?.pointer)]).toEqual([
      status,
      [pointer],
    ])
    expectPointersInto(body, response)
    expect((await api.get('/books/b-1')).at('/book/title')).toBe('Frankenstein')
  })

  it('responds with 404 for an unknown id, and creates nothing', async () => {
    expect((await api.put('/books/b-9', { book: { title: 'x', author: 'a-1' } })).status).toBe(404)
    expect((await api.get('/books/b-9')).status).toBe(404)
  })

  it('If-Match guards it, and fails with 412', async () => {
    const body = { book: { title: 'x', author: 'a-1' } }
    const { etag } = await api.get('/books/b-1')
    expect((await api.put('/books/b-1', body, { 'if-match': '"x"' })).status).toBe(412)
    expect((await api.put('/books/b-1', body, { 'if-match': `W/${etag}` })).status).toBe(412)
    expect((await api.put('/books/b-1', body, { 'if-match': etag })).status).toBe(200)
    expect((await api.put('/books/b-1', body, { 'if-match': etag })).status).toBe(412)
  })

  it('If-None-Match: * requires that the item does not exist', async () => {
    const response = await api.put(
      '/books/b-1',
      { book: { title: 'x', author: 'a-1' } },
      { 'if-none-match': '*' },
    )
    expect(response.status).toBe(412)
    expect((await api.get('/books/b-1')).at('/book/title')).toBe('Frankenstein')
  })

  describe('with upsert', () => {
    it('creates the item under an unknown id: 201 with Location', async () => {
      const response = await api.put('/pages/p-2', { page: { text: 'new', author: 'a-1' } })
      expect([response.status, response.at('/page/id'), response.at('/page/text')]).toEqual([
        201,
        'p-2',
        'new',
      ])
      expect(response.headers.get('location')).toBe('/pages/p-2')
      expect(response.etag).toBe((await api.get('/pages/p-2')).etag)
    })

    it('replaces the item under a known id: 200', async () => {
      expect((await api.put('/pages/p-1', { page: { text: 'y' } })).status).toBe(200)
    })

    it('If-None-Match: * creates once', async () => {
      const put = () => api.put('/pages/p-2', { page: { text: 'new' } }, { 'if-none-match': '*' })
      expect((await put()).status).toBe(201)
      expect((await put()).status).toBe(412)
    })

    it('If-None-Match: * lets exactly one of many parallel requests create', async () => {
      const puts = Array.from({ length: 20 }, (_, index) =>
        api.put('/pages/p-2', { page: { text: `${index}` } }, { 'if-none-match': '*' }),
      )
      const statuses = (await Promise.all(puts)).map((response) => response.status)
      expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 412)])
    })

    it('cannot create under If-Match', async () => {
      for (const tag of ['*', '"x"'])
        expect(
          (await api.put('/pages/p-2', { page: { text: 'x' } }, { 'if-match': tag })).status,
          tag,
        ).toBe(412)
      expect((await api.get('/pages/p-2')).status).toBe(404)
    })

    it('reports invalid values together with missing related items', async () => {
      const response = await api.put('/pages/p-2', { page: { author: 'a-9' } })
      expect(response.errors.map((error) => error.code)).toEqual([
        'invalid-member',
        'related-not-found',
      ])
    })

    it('refuses invalid items and unusable ids', async () => {
      expect((await api.put('/pages/p-2', { page: {} })).status).toBe(422)
      expect((await api.put('/pages/p-2', { page: { text: 'x', author: 'a-9' } })).status).toBe(422)
      expect((await api.put('/pages/p-2', { page: { text: 'x', id: 'p-3' } })).status).toBe(409)
      expect((await api.put('/pages/p%202', { page: { text: 'x' } })).status).toBe(422)
      expect((await api.put(`/pages/${'x'.repeat(129)}`, { page: { text: 'x' } })).status).toBe(422)
    })
  })
})
