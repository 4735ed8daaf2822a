import fc from 'fast-check'
import { type Middleware, refuse } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import { type Client, client, hrefOf } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'
import { maxSizeExceeded, unsupportedSort } from '../../support/profiles.ts'

describe('JSON:API 1.11: errors', () => {
  let api: Client

  beforeAll(async () => {
    api = (await blog(await stores[0]!.make())).api
  })

  /** To a blog that no request has changed: a new one after each that succeeded. */
  let unchanged: Client | undefined
  const sendUnchanged: Client['send'] = async (...request) => {
    unchanged ??= (await blog(await stores[0]!.make())).api
    const response = await unchanged.send(...request)
    if (response.status < 400) unchanged = undefined
    return response
  }

  const article = (members: unknown) => ({ data: { type: 'articles', attributes: members } })

  it('ER1: all errors of a body are reported at once', async () => {
    const response = await api.post('/api/articles', article({ title: 1, rank: 'x', created: 'y' }))
    expect(response.status).toBe(422)
    expect(response.errors.map(({ source }) => source?.pointer).toSorted()).toEqual([
      '/data/attributes/created',
      '/data/attributes/rank',
      '/data/attributes/title',
    ])
  })

  it('ER6: errors link to their documentation, where the service has its address', async () => {
    const errorDocsUrl = 'https://blog.example/errors'
    const { router } = await blog(await stores[0]!.make(), {
      policy: jsonApi({ errorDocsUrl: errorDocsUrl }),
      limits: { maxPageSize: 5, defaultPageSize: 5 },
    })
    const explained = client(router)
    const missing = await explained.get('/api/articles/404')
    expect(hrefOf(missing.errors[0]?.links?.type)).toBe(`${errorDocsUrl}#not-found`)
    expect(hrefOf((await explained.get('/nope')).errors[0]?.links?.type)).toBe(
      `${errorDocsUrl}#not-found`,
    )
    const several = await explained.get('/api/articles?x=1&sort=tags&page[size]=99')
    expect(several.errors.map(({ code, links }) => [code, hrefOf(links?.type)]).toSorted()).toEqual(
      [
        ['invalid-sort', unsupportedSort],
        ['page-too-large', maxSizeExceeded],
        ['unknown-parameter', `${errorDocsUrl}#unknown-parameter`],
      ],
    )
    expect(
      (await api.get('/api/articles/404')).errors[0]?.links,
      'and else to nothing',
    ).toBeUndefined()
  })

  it('ER6: the link is absolute where the service has a base address', async () => {
    for (const [baseUrl, expected] of [
      ['https://blog.example', 'https://blog.example/errors#not-found'],
      [undefined, '/errors#not-found'],
    ] as const) {
      const { router } = await blog(await stores[0]!.make(), {
        policy: jsonApi({ errorDocsUrl: '/errors' }),
        ...(baseUrl && { baseUrl }),
      })
      const response = await client(router).get('/api/articles/404')
      expect(hrefOf(response.errors[0]?.links?.type)).toBe(expected)
    }
  })

  it('ER2: errors with several statuses have a general status', async () => {
    const response = await api.post('/api/articles', {
      data: {
        type: 'articles',
        attributes: { title: '' },
        relationships: { author: { data: { type: 'people', id: '404' } }, tags: {} },
      },
    })
    expect([400, 404, 422]).toContain(response.status)
    expect((await api.get('/api/articles')).ids).toEqual(['1', '2'])
  })

  it.each([
    ['an unknown path', 'GET', '/nope', undefined, 404],
    ['an unknown path below the base', 'GET', '/api/nope', undefined, 404],
    ['a path that goes on', 'GET', '/api/articles/1/author/9', undefined, 404],
    [
      'a path that goes on behind a relationship',
      'GET',
      '/api/articles/1/relationships/author/9',
      undefined,
      404,
    ],
    ['relationships without a name', 'GET', '/api/articles/1/relationships', undefined, 404],
    ['a method', 'DELETE', '/api/articles', undefined, 405],
    ['a method on one resource', 'POST', '/api/articles/1', {}, 405],
    ['a method on a related address', 'PATCH', '/api/articles/1/author', {}, 405],
    ['a method on a relationship', 'PUT', '/api/articles/1/relationships/tags', { data: [] }, 405],
    ['no JSON', 'POST', '/api/articles', '{', 400],
    ['an empty body', 'POST', '/api/articles', '', 400],
    ['a path that is badly encoded', 'GET', '/api/articles/%zz', undefined, 400],
    ['a missing resource', 'GET', '/api/articles/999', undefined, 404],
  ])('ER3, ER5: %s', async (_, method, path, body, status) => {
    expectError(await api.send(method, path, body), status)
  })

  it('ER3: a body that is too large is 413', async () => {
    const small = await blog(await stores[0]!.make(), { limits: { maxBodyBytes: 1_000 } })
    expectError(
      await small.api.post('/api/articles', article({ title: 'T', body: 'x'.repeat(2_000) })),
      413,
    )
  })

  it('ER3: an exception is an opaque 500', async () => {
    const reportedErrors: unknown[] = []
    const articleMiddleware: Middleware = {
      request: {
        any: () => {
          throw new Error('a secret')
        },
      },
    }
    const onError = (error: unknown) => reportedErrors.push(error)
    const broken = await blog(await stores[0]!.make(), { articleMiddleware, onError })
    for (const path of ['/api/articles', '/api/articles/1', '/api/articles/1/relationships/tags']) {
      const response = await broken.api.get(path)
      expectError(response, 500)
      expect(response.text).not.toContain('secret')
    }
    expect(reportedErrors.length).toBeGreaterThan(0)
  })

  it('ER3: a refusal of middleware is an error document', async () => {
    const articleMiddleware: Middleware = {
      request: {
        any: () => {
          throw refuse('unauthorized', 'Please sign in.')
        },
      },
    }
    const guarded = await blog(await stores[0]!.make(), { articleMiddleware })
    for (const path of ['/api/articles', '/api/articles/1', '/api/articles/1/relationships/tags']) {
      expectError(await guarded.api.get(path), 401)
    }
  })

  it('ER3: HEAD has the status of an error and no body', async () => {
    expect((await api.head('/api/articles/999')).status).toBe(404)
    expect((await api.head('/api/articles?nope=1')).status).toBe(400)
  })

  it('ER4, ER10: an error has a code, a title and a detail', async () => {
    for (const path of [
      '/api/articles/999',
      '/api/articles?sort=nope',
      '/api/nope',
      '/api/articles?foo=1',
    ]) {
      for (const error of (await api.get(path)).errors) {
        expect(error).toMatchObject({
          code: expect.any(String),
          title: expect.any(String),
          detail: expect.any(String),
        })
      }
    }
  })

  it('ER6: links of an error are addresses', async () => {
    const [error] = (await api.get('/api/articles?sort=nope')).errors
    for (const link of Object.values(error?.links ?? {})) {
      expect(URL.canParse(hrefOf(link) ?? '', 'http://localhost')).toBe(true)
    }
  })

  it('ER7: the title is the same for each error of a code, the detail is not', async () => {
    const [one] = (await api.get('/api/articles?sort=nope')).errors
    const [other] = (await api.get('/api/articles?sort=other')).errors
    expect([one?.code, one?.title]).toEqual([other?.code, other?.title])
    expect(one?.detail).not.toBe(other?.detail)
  })

  it('ER8: the source is a pointer, a parameter or a header', async () => {
    const body = await api.post('/api/articles', article({ title: 1 }))
    expect(body.errors[0]?.source).toEqual({ pointer: '/data/attributes/title' })
    expect((await api.get('/api/articles?sort=nope')).errors[0]?.source).toEqual({
      parameter: 'sort',
    })
    expect((await api.get('/api/articles', { accept: 'text/html' })).errors[0]?.source).toEqual({
      header: 'Accept',
    })
    expect((await api.get('/api/articles/999')).errors[0]?.source).toBeUndefined()
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'ER3: the unknown name %s is refused everywhere',
    async (name) => {
      for (const path of [
        `articles/${name}`,
        `articles/1/${name}`,
        `articles/1/relationships/${name}`,
        name,
      ]) {
        expectError(await api.get(`/api/${path}`), 404)
      }
      expectError(await api.get(`/api/articles?include=${name}`), 400, { parameter: 'include' })
      expectError(await api.get(`/api/articles?sort=${name}`), 400, { parameter: 'sort' })
      for (const parameter of [`fields[${name}]`, `filter[${name}]`, `page[${name}]`]) {
        expectError(await api.get(`/api/articles?${parameter}=1`), 400, { parameter })
      }
      const type = await api.post('/api/articles', `{"data":{"type":"${name}"}}`)
      expectError(type, 409, { pointer: '/data/type' })
      const attribute = `{"data":{"type":"articles","attributes":{"title":"T","${name}":{"a":1}}}}`
      expectError(await api.post('/api/articles', attribute), 422, {
        pointer: `/data/attributes/${name}`,
      })
      const relationship = `{"data":{"type":"articles","attributes":{"title":"T"},"relationships":{"${name}":{"data":null}}}}`
      expectError(await api.post('/api/articles', relationship), 422, {
        pointer: `/data/relationships/${name}`,
      })
    },
  )

  it.each([
    '{"data":{"type":"tags","attributes":{"name":"a"},"attributes":{"name":"b"}}}',
    '{"data":{"type":"tags","type":"tags","attributes":{"name":"b"}}}',
    '{"data":{"type":"tags","attributes":{"name":"\\ud800"}}}',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    `{"data":{"type":"tags","attributes":{"name":"a","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}}`,
    '\u{FEFF}{"data":{"type":"tags","attributes":{"name":"a"}}}',
  ])('ER3: an odd body has a defined response: %#', async (body) => {
    expect([201, 400, 422]).toContain((await api.post('/api/tags', body)).status)
  })

  it.each(['x'.repeat(63), 'x'.repeat(127)])(
    'ER10: quoted request values are truncated between characters',
    async (x) => {
      const cut = `${x}\u{1F600}`
      const identifier = { data: { type: 'people', id: cut } }
      for (const response of [
        await api.patch('/api/articles/1/relationships/author', identifier),
        await api.patch('/api/articles/1/relationships/author', { data: { type: cut, id: '9' } }),
        await api.post('/api/articles', article({ title: 'T', [cut]: 1 })),
        await api.get(`/api/articles?sort=${encodeURIComponent(cut)}`),
        await api.get(`/api/articles/${encodeURIComponent(cut)}`),
      ]) {
        expect([400, 404, 409, 422]).toContain(response.status)
        const { detail } = response.errors[0]!
        expect(Buffer.from(detail!).toString()).toBe(detail)
      }
    },
  )

  it('ER9: a pointer escapes ~ and /', async () => {
    const response = await api.post('/api/articles', article({ title: 'T', 'a/b~c': 1 }))
    expectError(response, 422, { pointer: '/data/attributes/a~1b~0c' })
  })

  it('ER9: every pointer exists in the request document, whatever was sent', async () => {
    const identifier = fc.oneof(
      fc.record(
        {
          type: fc.constantFrom<unknown>('people', 'tags', 1),
          id: fc.constantFrom<unknown>('9', '2', '404', 2),
        },
        { requiredKeys: [] },
      ),
      fc.constantFrom<unknown>(null, '9', []),
    )
    const relationship = fc.oneof(
      fc.record(
        {
          data: fc.oneof(identifier, fc.array(identifier, { maxLength: 3 })),
          links: fc.constant({}),
        },
        { requiredKeys: [] },
      ),
      fc.constantFrom<unknown>(null, [], '9'),
    )
    const value = fc.oneof(
      fc.constantFrom<unknown>(null, '', 'x', 1, [], [1, 'a'], { width: 'x', a: { b: 1 } }),
      fc.jsonValue({ maxDepth: 2 }),
    )
    const attributes = fc.oneof(
      fc.record(
        {
          title: value,
          rank: value,
          words: value,
          details: value,
          created: value,
          slug: value,
          nope: value,
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue({ maxDepth: 1 }),
    )
    const relationships = fc.oneof(
      fc.record(
        { author: relationship, tags: relationship, comments: relationship, nope: relationship },
        { requiredKeys: [] },
      ),
      fc.jsonValue({ maxDepth: 1 }),
    )
    const data = fc.oneof(
      fc.record(
        {
          type: fc.constantFrom<unknown>('articles', 'articles', 'articles', 'tags', 1),
          id: fc.constantFrom<unknown>('1', '1', 'z', 1, ''),
          attributes,
          relationships,
        },
        { requiredKeys: ['type'] },
      ),
      fc.jsonValue({ maxDepth: 2 }),
    )
    const document = fc.oneof(
      { arbitrary: fc.record({ data }), weight: 9 },
      { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
    )
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom('POST', 'PATCH', 'PUT'), async (body, method) => {
        const response = await sendUnchanged(
          method,
          method === 'POST' ? '/api/articles' : '/api/articles/1',
          body,
        )
        expect(response.status).toBeLessThan(500)
      }),
      { numRuns: 200 },
    )
  })

  it('ER9: every pointer exists in the request linkage, whatever was sent', async () => {
    const member = fc.oneof(
      fc.record(
        {
          type: fc.constantFrom<unknown>('people', 'tags', 1),
          id: fc.constantFrom<unknown>('9', '2', '404', 2),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue({ maxDepth: 1 }),
    )
    const document = fc.oneof(
      fc.record(
        { data: fc.oneof(member, fc.array(member, { maxLength: 3 })) },
        { requiredKeys: [] },
      ),
      fc.jsonValue({ maxDepth: 2 }),
    )
    const relation = fc.constantFrom('author', 'tags', 'comments')
    await fc.assert(
      fc.asyncProperty(
        document,
        relation,
        fc.constantFrom('POST', 'PATCH', 'DELETE'),
        async (body, relation, method) => {
          const response = await sendUnchanged(
            method,
            `/api/articles/1/relationships/${relation}`,
            body,
          )
          expect(response.status).toBeLessThan(500)
        },
      ),
      { numRuns: 150 },
    )
  })
})
