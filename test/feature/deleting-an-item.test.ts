import { hash, model, type OnDelete, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string().optional(),
  books: toMany('book', { inverse: 'author' }),
  hash: hash(),
})
const Genre = model('genre', {
  name: z.string().optional(),
  parent: toOne('genre', { optional: true }),
})
const Book = model('book', {
  title: z.string().optional(),
  author: toOne('author'),
  publisher: toOne('publisher', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
})
const Publisher = model('publisher', { name: z.string().optional() })
const Review = model('review', {
  text: z.string().optional(),
  book: toOne('book', { onDelete: 'cascade' }),
})
const Award = model('award', {
  name: z.string().optional(),
  review: toOne('review', { onDelete: 'restrict' }),
})

const models = [Author, Genre, Book, Publisher, Review, Award]

describe.each(stores)('DeleteItem, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    const { router, api: client } = service(await make(), models)
    await router.load(Author, [{ id: 'a-1' }, { id: 'a-2' }])
    await router.load(Genre, [{ id: 'g-1' }, { id: 'g-2', parent: 'g-1' }])
    await router.load(Publisher, [{ id: 'p-1' }])
    await router.load(Book, [
      { id: 'b-1', author: 'a-1', publisher: 'p-1', genres: ['g-1', 'g-2'] },
      { id: 'b-2', author: 'a-1' },
    ])
    await router.load(Review, [
      { id: 'r-1', book: 'b-1' },
      { id: 'r-2', book: 'b-1' },
      { id: 'r-3', book: 'b-2' },
    ])
    api = client
  })

  it('responds with 204 and an empty body, and 404 afterwards', async () => {
    const response = await api.delete('/authors/a-2')
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([
      204,
      '',
      null,
    ])
    expect((await api.get('/authors/a-2')).status).toBe(404)
    expect((await api.delete('/authors/a-2')).status).toBe(404)
    expect((await api.patch('/authors/a-2', { author: {} })).status).toBe(404)
    expect((await api.get('/authors')).ids('authors')).toEqual(['a-1'])
  })

  it('cannot delete what is not there: 404', async () => {
    expect((await api.delete('/authors/nobody')).status).toBe(404)
  })

  it('cannot delete under the tag of another version: 412', async () => {
    const { etag } = await api.get('/authors/a-2')
    await api.patch('/authors/a-2', { author: { name: 'x' } })
    expect((await api.delete('/authors/a-2', { 'if-match': etag })).status).toBe(412)
    const { etag: current } = await api.get('/authors/a-2')
    expect((await api.delete('/authors/a-2', { 'if-match': current })).status).toBe(204)
  })

  it('takes If-Match: *', async () => {
    expect((await api.delete('/publishers/p-1', { 'if-match': '*' })).status).toBe(204)
  })

  it('a required relation restricts by default: 409 while others refer to the item', async () => {
    const response = await api.delete('/authors/a-1')
    expect([response.status, response.errors[0]?.code]).toEqual([409, 'still-referenced'])
    expect(response.errors[0]?.detail).toContain('books')
    expect((await api.get('/authors/a-1')).status).toBe(200)
    for (const id of ['b-1', 'b-2']) await api.delete(`/books/${id}`)
    expect((await api.delete('/authors/a-1')).status).toBe(204)
  })

  it('an optional relation is set to null by default, and the version changes', async () => {
    const { etag } = await api.get('/books/b-1')
    expect((await api.delete('/publishers/p-1')).status).toBe(204)
    const response = await api.get('/books/b-1')
    expect(response.at('/book/publisher')).toBeNull()
    expect(response.etag).not.toBe(etag)
    expect((await api.get('/books?filter[publisher][isNull]=true')).ids('books')).toEqual([
      'b-1',
      'b-2',
    ])
  })

  it('cascade deletes those that refer to the item', async () => {
    expect((await api.delete('/books/b-1')).status).toBe(204)
    expect((await api.get('/reviews')).ids('reviews')).toEqual(['r-3'])
  })

  it('an owned to-many relation loses the deleted item, and the version changes', async () => {
    const { etag } = await api.get('/books/b-1')
    expect((await api.delete('/genres/g-2')).status).toBe(204)
    const response = await api.get('/books/b-1')
    expect(response.at('/book/genres')).toEqual(['g-1'])
    expect(response.etag).not.toBe(etag)
    expect((await api.get('/books?filter[genres][any]=g-2')).ids('books')).toEqual([])
  })

  it('an inverse relation loses the deleted item', async () => {
    await api.delete('/books/b-2')
    expect((await api.get('/authors/a-1?include=books')).ids('books')).toEqual(['b-1'])
  })

  it('updates relations of a model to itself', async () => {
    expect((await api.delete('/genres/g-1')).status).toBe(204)
    expect((await api.get('/genres/g-2')).at('/genre/parent')).toBeNull()
    expect((await api.get('/books/b-1')).at('/book/genres')).toEqual(['g-2'])
  })

  it('is atomic: where a cascade meets a restriction, nothing is deleted', async () => {
    await api.post('/awards', { award: { id: 'w-1', review: 'r-2' } })
    const response = await api.delete('/books/b-1')
    expect(response.status).toBe(409)
    expect((await api.get('/books/b-1')).status).toBe(200)
    expect((await api.get('/reviews')).ids('reviews')).toEqual(['r-1', 'r-2', 'r-3'])
  })

  it('lets exactly one of many parallel requests delete the item', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => api.delete('/authors/a-2')),
    )
    expect(responses.filter((response) => response.status === 204)).toHaveLength(1)
    expect(responses.filter((response) => response.status === 404)).toHaveLength(19)
  })

  it('does not race with a new reference: either the item stays, or the reference is refused', async () => {
    for (let round = 0; round < 10; round++) {
      await api.post('/authors', { author: { id: `x-${round}` } })
      const [created, deleted] = await Promise.all([
        api.post('/books', { book: { id: `y-${round}`, author: `x-${round}` } }),
        api.delete(`/authors/x-${round}`),
      ])
      expect(`${created.status} ${deleted.status}`).toMatch(/^(201 409|422 204)$/)
    }
  })

  it('cascades over many items, in one transaction', async () => {
    const { router, api: own } = service(await make(), models)
    await router.load(Author, [{ id: 'a-1' }])
    await router.load(Book, [{ id: 'b-1', author: 'a-1' }])
    await router.load(
      Review,
      Array.from({ length: 700 }, (_, index) => ({ id: `r-${index}`, book: 'b-1' })),
    )
    expect((await own.delete('/books/b-1')).status).toBe(204)
    expect((await own.get('/reviews')).ids('reviews')).toEqual([])
  })

  describe('circles', () => {
    const circle = async (onDelete: OnDelete) => {
      const Person = model('person', { partner: toOne('person', { optional: true, onDelete }) })
      const { router, api: own } = service(await make(), [Person])
      await router.load(Person, [
        { id: 'p-1', partner: 'p-2' },
        { id: 'p-2', partner: 'p-3' },
        { id: 'p-3', partner: 'p-1' },
        { id: 'p-4', partner: 'p-4' },
      ])
      return own
    }

    it('of cascades end, and delete all of them', async () => {
      const own = await circle('cascade')
      expect((await own.delete('/people/p-1')).status).toBe(204)
      expect((await own.get('/people')).ids('people')).toEqual(['p-4'])
      expect((await own.delete('/people/p-4')).status).toBe(204)
    })

    it('of set-null lose the deleted item', async () => {
      const own = await circle('set-null')
      expect((await own.delete('/people/p-1')).status).toBe(204)
      expect((await own.get('/people/p-3')).at('/person/partner')).toBeNull()
      expect((await own.get('/people/p-2')).at('/person/partner')).toBe('p-3')
    })

    it('of restrictions protect each other, but an item does not restrict its own deletion', async () => {
      const own = await circle('restrict')
      expect((await own.delete('/people/p-1')).status).toBe(409)
      expect((await own.delete('/people/p-4')).status).toBe(204)
    })
  })
})
