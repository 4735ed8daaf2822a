import { hash, model, type Store } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Book = model('book', { title: z.string(), open: z.boolean().default(true), hash: hash() })

async function watched() {
  const made = await stores[1]!.make()
  const asked: string[] = []
  const store: Store = {
    ...made,
    find: (of, condition) => {
      asked.push('find')
      return made.find(of, condition)
    },
    version: (of, condition) => {
      asked.push('version')
      return made.version!(of, condition)
    },
  }
  const { router, api } = service(store, [])
  router.prepare(Book).use({ query: { getItem: (query) => query.where('open').equal(true) } })
  await router.load(Book, [
    { id: 'b-1', title: 'Emma' },
    { id: 'shut', title: 'Evelina', open: false },
  ])
  return { api, router, asked }
}

describe('GetItem rule 2, over a store that tells versions alone', () => {
  it('reads nothing of an item that the client has but its version', async () => {
    const { api, asked } = await watched()
    const { etag } = await api.get('/books/b-1')
    asked.length = 0
    for (const given of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const answer = await api.get('/books/b-1', { 'if-none-match': given })
      expect([answer.status, answer.text, answer.etag]).toEqual([304, '', etag])
      expect(answer.headers.get('vary')).toBe('Accept')
    }
    expect((await api.head('/books/b-1', { 'if-none-match': etag })).status).toBe(304)
    expect(asked).toEqual(Array.from({ length: 5 }, () => 'version'))
  })

  it('reads the item where the client has another version, or none, or asks for another form of it', async () => {
    const { api, asked } = await watched()
    const { etag } = await api.get('/books/b-1')
    await api.patch('/books/b-1', { book: { title: 'Emma, again' } })
    asked.length = 0
    const answer = await api.get('/books/b-1', { 'if-none-match': etag })
    expect([answer.status, answer.at('/book/title')]).toEqual([200, 'Emma, again'])
    expect(asked).toEqual(['version', 'find'])
    asked.length = 0
    await api.get('/books/b-1')
    const narrow = await api.get('/books/b-1?fields[books]=title', { 'if-none-match': answer.etag })
    expect(narrow.status, 'the tag of one form is not that of another').toBe(200)
    expect(asked).toEqual(['find', 'find'])
  })

  it('tells no version of an item that middleware hides, nor of one that is not there', async () => {
    const { api, router } = await watched()
    expect(await router.query(Book).where('open').equal(false).size()).toBe(1)
    for (const id of ['shut', 'gone']) {
      const answer = await api.get(`/books/${id}`, { 'if-none-match': '*' })
      expect([answer.status, answer.etag]).toEqual([404, ''])
    }
  })
})
