import { createRouter, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import type { OpenApiDocument } from 'resourcery/openapi'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { documentSchemas } from '../support/truth/schemas.ts'

const mediaType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
const bodyAt = `/paths/~1operations/post/requestBody/content/${mediaType.replaceAll('/', '~1')}/schema`

const author = { type: 'authors', id: '1' }
const horror = { type: 'genres', id: 'horror' }
const book = { type: 'books', id: '1' }

/** Batches that the service accepts. */
const right: Readonly<Record<string, readonly object[]>> = {
  'a new resource': [{ op: 'add', data: { type: 'authors', attributes: { name: 'Mary' } } }],
  'a new resource, named twice': [
    {
      op: 'add',
      ref: { type: 'authors', lid: 'm' },
      data: { type: 'authors', lid: 'm', attributes: { name: 'Mary' } },
    },
  ],
  'a resource that relates to one before it': [
    { op: 'add', data: { type: 'authors', lid: 'm', attributes: { name: 'Mary' } } },
    {
      op: 'add',
      data: {
        type: 'books',
        attributes: { title: 'Mathilda' },
        relationships: { author: { data: { type: 'authors', lid: 'm' } } },
      },
    },
  ],
  'a change of a resource': [{ op: 'update', data: { ...author, attributes: { name: 'Mary' } } }],
  'a change of a resource before it': [
    { op: 'add', data: { type: 'authors', lid: 'm', attributes: { name: 'Mary' } } },
    { op: 'update', data: { type: 'authors', lid: 'm', attributes: { name: 'Ann' } } },
  ],
  'a change by address': [
    { op: 'update', href: '/authors/1', data: { ...author, attributes: { name: 'Mary' } } },
  ],
  'a removal': [{ op: 'remove', ref: book }],
  'a removal by address': [{ op: 'remove', href: '/books/1' }],
  'a relation to one': [{ op: 'update', ref: { ...book, relationship: 'author' }, data: author }],
  'a relation to many': [
    { op: 'add', ref: { ...book, relationship: 'genres' }, data: [horror] },
    { op: 'remove', ref: { ...book, relationship: 'genres' }, data: [horror] },
    { op: 'update', ref: { ...book, relationship: 'genres' }, data: [], meta: { ifMatch: '*' } },
  ],
}

/** Malformed batches, which it refuses. */
const wrong: Readonly<Record<string, readonly unknown[]>> = {
  nothing: [],
  'no operation': ['add'],
  'another op': [{ op: 'replace', data: { ...author, attributes: { name: 'Mary' } } }],
  'no op': [{ data: { ...author, attributes: { name: 'Mary' } } }],
  'no data': [{ op: 'add' }],
  'data of no resource': [{ op: 'add', data: [author] }],
  'a type that there is not': [
    { op: 'add', data: { type: 'films', attributes: { name: 'Mary' } } },
  ],
  'a value of another type': [{ op: 'add', data: { type: 'authors', attributes: { name: 7 } } }],
  'a member that there is not': [{ op: 'update', data: { ...author, attributes: { fame: 7 } } }],
  'a relation that there is not': [
    { op: 'add', ref: { ...book, relationship: 'films' }, data: [] },
  ],
  'a relation of another type': [
    { op: 'update', ref: { ...book, relationship: 'author' }, data: horror },
  ],
  'one of many': [{ op: 'add', ref: { ...book, relationship: 'genres' }, data: horror }],
  'many of one': [{ op: 'update', ref: { ...book, relationship: 'author' }, data: [author] }],
  'what is needed taken away': [
    { op: 'update', ref: { ...book, relationship: 'author' }, data: null },
  ],
  'a change of what is not named': [
    { op: 'update', data: { type: 'authors', attributes: { name: 'Mary' } } },
  ],
  'a removal of what is not named': [{ op: 'remove', ref: { type: 'books' } }],
  'a removal of nothing': [{ op: 'remove' }],
  'a guard that is no text': [{ op: 'remove', ref: book, meta: { ifMatch: 7 } }],
}

describe('The document of Atomic Operations', () => {
  const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
  const Book = model('book', {
    title: z.string(),
    author: toOne('author'),
    genres: toMany('genre'),
  })
  const Genre = model('genre', { name: z.string() }, { ids: 'client' })
  const serving = () => {
    const router = createRouter({ policy: jsonApi(), store: memory() })
    for (const entry of [Author, Book, Genre]) router.prepare(entry)
    return router
  }
  let router = serving()
  const document: OpenApiDocument = router.toOpenApi()
  const schemas = documentSchemas(document, 'as written')

  beforeEach(async () => {
    router = serving()
    await router.open()
    await router.load(Author, [{ id: '1', name: 'Mary Shelley' }])
    await router.load(Genre, [{ id: 'horror', name: 'Horror' }])
    await router.load(Book, [{ id: '1', title: 'Frankenstein', author: '1', genres: [] }])
  })

  const sendBatch = (operations: readonly unknown[]) =>
    router.handle(
      new Request('http://localhost/operations', {
        method: 'POST',
        headers: { 'content-type': mediaType, accept: mediaType },
        body: JSON.stringify({ 'atomic:operations': operations }),
      }),
    )

  it.each(Object.entries(right))('describes accepted batches: %s', async (_, operations) => {
    expect(schemas.fault(bodyAt, { 'atomic:operations': operations })).toBeUndefined()
    expect((await sendBatch(operations)).status).toBeLessThan(300)
  })

  it.each(Object.entries(wrong))('does not describe refused batches: %s', async (_, operations) => {
    expect(schemas.fault(bodyAt, { 'atomic:operations': operations })).toBeDefined()
    expect((await sendBatch(operations)).status).toBeGreaterThanOrEqual(400)
  })
})
