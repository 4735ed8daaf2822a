import { createRouter, type Middleware, model, refuse, respond, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { documentOf, operationAt, operationsOf } from './documents.ts'

const Author = model('author', { name: z.string() })
const Book = model('book', { title: z.string(), author: toOne('author', { onDelete: 'restrict' }) })
const Review = model('review', { text: z.string(), book: toOne('book', { onDelete: 'cascade' }) })
const Shelf = model('shelf', { books: toMany('book') })
const models = [Author, Book, Review, Shelf]

const atomic = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

describe('The errors of operations in the document', () => {
  it('have the media type of the response: that of the extension for batches only', () => {
    for (const { path, operation } of operationsOf(documentOf(models, jsonApi()))) {
      const types = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Number(status) >= 400 ? Object.keys(content) : [],
      )
      expect([...new Set(types)], path).toEqual([
        path === '/operations' ? atomic : 'application/vnd.api+json',
      ])
    }
  })

  it.each([
    ['/authors/{id}', true],
    ['/books/{id}', false],
    ['/reviews/{id}', false],
  ])('list delete restrictions only where there are some: %s', (path, canBe) => {
    const { responses, description } = operationAt(documentOf(models), `DELETE ${path}`)
    expect(responses[409] !== undefined).toBe(canBe)
    expect(description.includes('(409)')).toBe(canBe)
  })

  it('name the models that restrict a cascade', () => {
    const Series = model(
      'series',
      { author: toOne('author', { onDelete: 'cascade' }) },
      { plural: 'serieses' },
    )
    const Volume = model('volume', { series: toOne('series', { onDelete: 'restrict' }) })
    const { responses, description } = operationAt(
      documentOf([Author, Series, Volume]),
      'DELETE /authors/{id}',
    )
    expect(responses[409]!.description).toContain('`still-referenced`')
    expect(description).toBe(
      'Items that belong to it are deleted too, unless other items require them (409).',
    )
  })

  it('say what a deletion does to related items', () => {
    const said = (path: string) => operationAt(documentOf(models), `DELETE ${path}`).description
    expect(said('/authors/{id}')).toBe('Refused (409) while other items require it.')
    expect(said('/books/{id}')).toBe(
      'Items that belong to it are deleted too; references from other items are removed.',
    )
    expect(said('/reviews/{id}')).toBe('No other item relates to it.')
  })

  it('list errors of included pages only where a to-many relation can be included', () => {
    const descriptionOf = (path: string) =>
      operationAt(documentOf(models), `GET ${path}`).responses[400]!.description
    expect(descriptionOf('/shelves/{id}')).toContain('`invalid-sort`')
    for (const path of ['/reviews/{id}', '/authors/{id}']) {
      expect(descriptionOf(path)).toContain('`invalid-include`')
      expect(descriptionOf(path)).not.toMatch(/invalid-sort|invalid-filter|page-too-large/)
    }
  })

  it('say that to-one relations are set as a whole, and have nothing that adds to them', () => {
    const document = documentOf(models, jsonApi())
    const said = (relation: string) => operationAt(document, `PATCH /${relation}`).description
    expect(said('books/{id}/relationships/author')).toContain('null clears it')
    expect(said('shelves/{id}/relationships/books')).toContain('an empty array clears it')
    const methodsAt = (path: string) =>
      operationsOf(document).flatMap((operation) =>
        operation.path === path ? operation.method : [],
      )
    expect(methodsAt('/books/{id}/relationships/author')).toEqual(['GET', 'PATCH'])
    expect(methodsAt('/shelves/{id}/relationships/books')).toEqual([
      'GET',
      'POST',
      'PATCH',
      'DELETE',
    ])
  })
})

describe('A 401', () => {
  const routerWith = (middleware: Middleware) => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.use(middleware).prepare(Author)
    return router
  }
  const security = { token: { type: 'http', scheme: 'bearer' } } as const
  const request = {
    any: () => {
      throw refuse('unauthorized', 'Sign in first.')
    },
  }

  it('has a challenge where middleware declares one (RFC 9110 §15.5.2), and the document says so', async () => {
    const router = routerWith({ request, declares: { security, errors: ['unauthorized'] } })
    const response = await client(router).get('/authors')
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const { headers } = operationAt(router.toOpenApi(), 'GET /authors').responses[401]!
    expect(headers['WWW-Authenticate']).toMatchObject({ required: true })
  })

  it('has a challenge where a hook responds 401, unless that response has its own', async () => {
    const answering = (headers: Record<string, string>) =>
      routerWith({ request: { any: () => respond(401, headers) } })
    expect((await client(answering({})).get('/authors')).headers.get('www-authenticate')).toBe(
      'Bearer',
    )
    const own = await client(answering({ 'WWW-Authenticate': 'Digest realm="a"' })).get('/authors')
    expect(own.headers.get('www-authenticate')).toBe('Digest realm="a"')
  })

  it('keeps the challenge of the refusal', async () => {
    const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
    const own = {
      any: () => {
        throw refuse('unauthorized', 'That is over.', undefined, { headers })
      },
    }
    const response = await client(
      routerWith({ request: own, declares: { security, errors: ['unauthorized'] } }),
    ).get('/authors')
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  })

  it('asks for a bearer token where no challenge is declared, because a 401 always has one (RFC 9110 §11.6.1)', async () => {
    const router = routerWith({ request, declares: { errors: ['unauthorized'] } })
    expect((await client(router).get('/authors')).headers.get('www-authenticate')).toBe('Bearer')
    const { headers } = operationAt(router.toOpenApi(), 'GET /authors').responses[401]!
    expect(headers['WWW-Authenticate']).toMatchObject({ required: true })
  })
})

describe('Deprecated operations', () => {
  it('are deprecated in the document where middleware says so, with the Deprecation and Sunset headers', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    const leaving: Middleware = {
      request: {
        create: (context) => context.setHeader('Sunset', 'Fri, 31 Dec 2027 23:59:59 GMT'),
      },
      declares: { deprecated: true, headers: { Sunset: 'When it will be gone (RFC 8594)' } },
    }
    router.prepare(Author).use(leaving)
    const document = router.toOpenApi()
    expect(document.paths['/authors']?.post?.deprecated).toBe(true)
    expect(document.paths['/authors']?.get).not.toHaveProperty('deprecated')
    expect(operationAt(document, 'POST /authors').responses[201]!.headers).toHaveProperty('Sunset')
    const response = await client(router).post('/authors', { author: { name: 'Mary' } })
    expect([response.status, response.headers.get('sunset')]).toEqual([
      201,
      'Fri, 31 Dec 2027 23:59:59 GMT',
    ])
  })
})
