import type { Middleware } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'

const tag = (more: Readonly<Record<string, unknown>> = {}) => ({
  data: { type: 'tags', attributes: { name: 'new' }, ...more },
})
const article = (relationships: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  data: { type: 'articles', attributes: { title: 'T' }, relationships, ...more },
})

describe.each(stores)('JSON:API 1.8: creating resources, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    api = (await blog(await make())).api
  })

  const unchanged = async (path: string, work: () => Promise<void>): Promise<void> => {
    const before = await api.get(path)
    await work()
    expect((await api.get(path)).document).toEqual(before.document)
  }

  it('reports unknown and invalid attributes together with missing related resources, in one response (400)', async () => {
    await unchanged('/api/articles', async () => {
      const payload = article(
        { author: { data: { type: 'people', id: 'nobody' } } },
        { attributes: { title: 5, colour: 'red' } },
      )
      const { status, errors } = await api.post('/api/articles', payload)
      expect(status).toBe(400)
      expect(errors.map((error) => [error.status, error.code, error.source?.pointer])).toEqual([
        ['422', 'unknown-member', '/data/attributes/colour'],
        ['422', 'invalid-member', '/data/attributes/title'],
        ['404', 'related-missing', '/data/relationships/author/data'],
      ])
      expect(errors[0]).toHaveProperty(
        'detail',
        expect.stringMatching(/^Unknown attribute 'colour' of articles; expected one of title, /),
      )
    })
  })

  it('CR1, CR7: POST to a collection creates: 201, the resource, with an id of the service', async () => {
    const response = await api.post('/api/articles', {
      data: {
        type: 'articles',
        attributes: {
          title: 'Ember Hamster',
          body: 'B',
          rank: 1.5,
          details: { width: null, note: 'n' },
        },
        relationships: {
          author: { data: { type: 'people', id: '9' } },
          tags: {
            data: [
              { type: 'tags', id: '3' },
              { type: 'tags', id: '2' },
            ],
          },
        },
      },
    })
    expect(response.status).toBe(201)
    expect(response.one).toMatchObject({
      type: 'articles',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      attributes: { title: 'Ember Hamster', body: 'B', rank: 1.5, views: 0 },
      relationships: {
        author: { data: { type: 'people', id: '9' } },
        tags: {
          data: [
            { type: 'tags', id: '3' },
            { type: 'tags', id: '2' },
          ],
        },
      },
    })
    expect((await api.get(`/api/articles/${response.one.id}`)).one).toEqual(response.one)
  })

  it('CR2: a create that fails stores nothing', async () => {
    await unchanged('/api/articles', async () => {
      const relationships = {
        author: { data: { type: 'people', id: '9' } },
        tags: { data: [{ type: 'tags', id: '404' }] },
      }
      expectError(await api.post('/api/articles', article(relationships)), 404)
      const wrong = { data: { type: 'articles', attributes: { title: '', rank: 'x' } } }
      expectError(await api.post('/api/articles', wrong), 422)
      const duplicate = { data: { type: 'articles', attributes: { title: 'T', slug: 'bikeshed' } } }
      expectError(await api.post('/api/articles', duplicate), 409)
    })
  })

  it('CR2: a create whose inverse linkage fails changes no other side', async () => {
    await unchanged('/api/comments', async () => {
      const data = [
        { type: 'comments', id: '5' },
        { type: 'comments', id: '404' },
      ]
      expectError(await api.post('/api/articles', article({ comments: { data } })), 404)
    })
    expect((await api.get('/api/articles')).ids).toEqual(['1', '2'])
  })

  it('CR2: a create stores nothing when model code throws', async () => {
    for (const articleMiddleware of [
      {
        request: {
          create: () => {
            throw new Error('boom')
          },
        },
      },
      {
        query: {
          create: () => {
            throw new Error('boom')
          },
        },
      },
    ] satisfies Middleware[]) {
      const broken = await blog(await make(), { articleMiddleware, onError: () => undefined })
      const response = await broken.api.post(
        '/api/articles',
        article({ author: { data: { type: 'people', id: '9' } } }),
      )
      if (response.status !== 201) expectError(response, 500)
      expect((await broken.api.get('/api/articles')).ids).toHaveLength(
        response.status === 201 ? 3 : 2,
      )
    }
  })

  it.each([
    ['an array', { data: [tag().data] }, '/data'],
    ['an empty array', { data: [] }, '/data'],
    ['null', { data: null }, '/data'],
    ['a text', { data: 'tags' }, '/data'],
    ['no type', { data: { attributes: { name: 'x' } } }, '/data'],
    ['no members at all', { data: {} }, '/data'],
  ])('CR3: data that is %s is refused', async (_, document, pointer) => {
    await unchanged('/api/tags', async () => {
      expectError(await api.post('/api/tags', document), 400, { pointer })
    })
  })

  it.each([
    ['{}', '""'],
    ['{"meta":{}}', '""'],
    ['[]', '""'],
    ['"x"', '""'],
    ['null', '""'],
    ['17', '""'],
  ])('DS1, DS2, CR3: the document %s is refused', async (document) => {
    expectError(await api.post('/api/tags', document), 400, { pointer: '' })
  })

  it.each(['', '{', '{"data":{}', 'nope', '{"data":{"type":"tags"}}x'])(
    'ER3: the body %j is refused',
    async (body) => {
      expectError(await api.post('/api/tags', body), 400)
    },
  )

  it.each([
    ['{}', {}],
    ['links only', { links: { self: '/x' } }],
    ['meta only', { meta: {} }],
  ])('CR4: a relationship of %s is refused', async (_, author) => {
    await unchanged('/api/articles', async () => {
      expectError(await api.post('/api/articles', article({ author })), 400, {
        pointer: '/data/relationships/author',
      })
    })
  })

  it('CR5: an id from the client is used', async () => {
    const response = await api.post('/api/tags', tag({ id: 'my-own' }))
    expect([response.status, response.one.id]).toEqual([201, 'my-own'])
    expect((await api.get('/api/tags/my-own')).one).toEqual(response.one)
  })

  it('CR5: an id from the client is 403 where the service chooses ids', async () => {
    const event = { data: { type: 'events', id: 'mine', attributes: { name: 'E' } } }
    expectError(await api.post('/api/events', event), 403, { pointer: '/data/id' })
    expect(
      (await api.post('/api/events', { data: { type: 'events', attributes: { name: 'E' } } }))
        .status,
    ).toBe(201)
  })

  it('CR5: a missing id is refused where the client chooses ids', async () => {
    const response = await api.post('/api/countries', {
      data: { type: 'countries', attributes: { name: 'C' } },
    })
    expect([400, 422]).toContain(response.status)
    expect(response.errors[0]?.source).toEqual({ pointer: '/data' })
    const payload = { data: { type: 'countries', id: 'nl', attributes: { name: 'C' } } }
    expect((await api.post('/api/countries', payload)).status).toBe(201)
  })

  it('CR5: id null means no id', async () => {
    const response = await api.post('/api/tags', tag({ id: null }))
    expect([response.status, typeof response.one.id]).toEqual([201, 'string'])
  })

  it.each(['', 'a b', 'a/b', 'é', 'x'.repeat(129), '..%2F'])(
    'CR6: the id %j cannot be used',
    async (id) => {
      const response = await api.post('/api/tags', tag({ id }))
      expect([400, 422]).toContain(response.status)
      expect(response.errors[0]?.source).toEqual({ pointer: '/data/id' })
    },
  )

  it('CR8, CR9: Location is the self link of the resource', async () => {
    for (const id of [undefined, 'my:own@1~']) {
      const response = await api.post('/api/tags', tag(id === undefined ? {} : { id }))
      const location = response.headers.get('location')
      expect(location).toBe(response.one.links?.self)
      expect((await api.get(location ?? '')).one).toEqual(response.one)
    }
  })

  it('CR12: a resource that the client sent completely gets 201 and the document', async () => {
    const response = await api.post('/api/tags', tag({ id: 'whole' }))
    expect([response.status, response.one.attributes]).toEqual([201, { name: 'new' }])
  })

  it.each([
    ['author', { data: { type: 'people', id: '404' } }, '/data/relationships/author/data'],
    [
      'tags',
      {
        data: [
          { type: 'tags', id: '2' },
          { type: 'tags', id: '404' },
        ],
      },
      '/data/relationships/tags/data/1',
    ],
    [
      'comments',
      { data: [{ type: 'comments', id: '404' }] },
      '/data/relationships/comments/data/0',
    ],
  ])('CR14: a missing resource in %s is 404', async (name, relationship, pointer) => {
    const response = await api.post('/api/articles', article({ [name]: relationship }))
    expectError(response, 404)
    expect([pointer, `${pointer}/id`]).toContain(response.errors[0]?.source?.pointer)
  })

  it('CR14: each missing related resource is reported', async () => {
    const response = await api.post(
      '/api/articles',
      article({
        author: { data: { type: 'people', id: '404' } },
        tags: { data: [{ type: 'tags', id: '405' }] },
      }),
    )
    expectError(response, 404)
    expect(response.errors).toHaveLength(2)
  })

  it('CR15, CR17: an existing id is 409', async () => {
    await unchanged('/api/tags', async () => {
      const response = await api.post('/api/tags', tag({ id: '2' }))
      expectError(response, 409, { pointer: '/data/id' })
      expect(response.errors[0]?.detail).toContain('2')
    })
  })

  it('CR15: of parallel creates with one id, one succeeds', async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => api.post('/api/tags', tag({ id: 'race' }))),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
  })

  it('CR15, UP13: a unique value of another resource is 409', async () => {
    const document = { data: { type: 'articles', attributes: { title: 'T', slug: 'bikeshed' } } }
    expectError(await api.post('/api/articles', document), 409, {
      pointer: '/data/attributes/slug',
    })
  })

  it.each(['people', 'article', 'Articles', 'nope', ''])(
    'CR16, CR17: type %j is not of this collection',
    async (type) => {
      const response = await api.post('/api/articles', {
        data: { type, attributes: { name: 'x', title: 'x' } },
      })
      expectError(response, 409, { pointer: '/data/type' })
      expect(response.errors[0]?.detail).toContain('articles')
    },
  )

  it.each([
    [{ type: 1, attributes: { name: 'x' } }, '/data/type'],
    [{ type: null, attributes: { name: 'x' } }, '/data/type'],
    [{ type: 'tags', id: 7, attributes: { name: 'x' } }, '/data/id'],
    [{ type: 'tags', id: {}, attributes: { name: 'x' } }, '/data/id'],
    [{ type: 'tags', lid: 7, attributes: { name: 'x' } }, '/data/lid'],
  ])('DS17: %j: type, id and lid are strings', async (data, pointer) => {
    await unchanged('/api/tags', async () => {
      expectError(await api.post('/api/tags', { data }), 400, { pointer })
    })
  })

  it('DS14, DS15: a resource with a lid and without an id is created', async () => {
    const response = await api.post('/api/tags', tag({ lid: 'local' }))
    expect(response.status).toBe(201)
    expect(response.text).not.toContain('local')
  })

  it('DS15: a resource may link to itself by its lid', async () => {
    const own = { type: 'sections', lid: 'me' }
    const { status, one, text } = await api.post('/api/sections', {
      data: {
        ...own,
        attributes: { name: 'n' },
        relationships: { parent: { data: own }, neighbours: { data: [own] } },
      },
    })
    expect([status, text.includes('lid')]).toEqual([201, false])
    expect(one.relationships?.parent?.data).toEqual({ type: 'sections', id: one.id })
    expect(one.relationships?.neighbours?.data).toEqual([{ type: 'sections', id: one.id }])
    expect((await api.get(`/api/sections/${one.id}/children`)).ids).toEqual([one.id])
  })

  it('DS16: a lid of another type does not name the resource', async () => {
    const response = await api.post('/api/articles', {
      data: {
        type: 'articles',
        lid: 'me',
        attributes: { title: 'T' },
        relationships: { author: { data: { type: 'people', lid: 'me' } } },
      },
    })
    expect([400, 404]).toContain(response.status)
    expect((await api.get('/api/articles')).ids).toEqual(['1', '2'])
  })

  it('DS16, DS32: an unknown lid is never ignored', async () => {
    await unchanged('/api/articles', async () => {
      const response = await api.post(
        '/api/articles',
        article({ author: { data: { type: 'people', lid: 'nobody' } } }),
      )
      expect([400, 404]).toContain(response.status)
      expect(response.errors[0]?.source?.pointer).toMatch(/^\/data\/relationships\/author\/data/)
    })
  })

  it('DS17: the lid of an identifier is a string, beside an id too', async () => {
    const author = { data: { type: 'people', id: '9', lid: 5 } }
    expectError(await api.post('/api/articles', article({ author })), 400, {
      pointer: '/data/relationships/author/data/lid',
    })
    expectError(await api.patch('/api/articles/1/relationships/author', author), 400, {
      pointer: '/data/lid',
    })
  })

  it.each([[[]], ['x'], [null], [1]])('DS22: attributes %j is refused', async (attributes) => {
    const response = await api.post('/api/tags', { data: { type: 'tags', attributes } })
    expectError(response, 400, { pointer: '/data/attributes' })
  })

  it.each([[[]], ['x'], [null], [1]])(
    'DS25: relationships %j is refused',
    async (relationships) => {
      expectError(await api.post('/api/articles', article(relationships)), 400, {
        pointer: '/data/relationships',
      })
    },
  )

  it.each([['9'], [null], [[]], [9], [[{ type: 'people', id: '9' }]]])(
    'DS25: a relationship that is %j is refused',
    async (author) => {
      expectError(await api.post('/api/articles', article({ author })), 400, {
        pointer: '/data/relationships/author',
      })
    },
  )

  it.each([
    ['author', '9', ''],
    ['author', [], ''],
    ['author', [{ type: 'people', id: '9' }], ''],
    ['author', {}, ''],
    ['author', { type: 'people' }, ''],
    ['author', { id: '9' }, ''],
    ['author', { type: 'people', id: 9 }, '/id'],
    ['author', { type: 9, id: '9' }, '/type'],
    ['author', { type: 'people', id: null }, '/id'],
    ['tags', null, ''],
    ['tags', { type: 'tags', id: '2' }, ''],
    ['tags', ['2'], '/0'],
    ['tags', [null], '/0'],
    ['tags', [{ type: 'tags', id: '2' }, { type: 'tags' }], '/1'],
  ])('DS30, DS32: linkage of %s that is %j is refused', async (name, data, below) => {
    const response = await api.post('/api/articles', article({ [name]: { data } }))
    expectError(response, 400, { pointer: `/data/relationships/${name}/data${below}` })
  })

  it('RE12: linkage of another type is 409', async () => {
    const author = article({ author: { data: { type: 'tags', id: '2' } } })
    expectError(await api.post('/api/articles', author), 409, {
      pointer: '/data/relationships/author/data/type',
    })
    const tags = article({
      tags: {
        data: [
          { type: 'tags', id: '2' },
          { type: 'people', id: '9' },
        ],
      },
    })
    expectError(await api.post('/api/articles', tags), 409, {
      pointer: '/data/relationships/tags/data/1/type',
    })
  })

  it('DS5: members unknown to the specification are ignored', async () => {
    const response = await api.post('/api/tags', {
      data: {
        type: 'tags',
        id: 'ds5',
        attributes: { name: 'n' },
        links: { self: '/x' },
        meta: { a: 1 },
        junk: [1],
        name: 'm',
      },
      junk: { a: 1 },
      meta: {},
      links: { self: '/x' },
      included: [],
      jsonapi: { version: '9' },
    })
    expect([response.status, response.one.attributes]).toEqual([201, { name: 'n' }])
    expect(response.text).not.toContain('junk')
    expect((await api.get('/api/tags/ds5')).one).toEqual(response.one)
  })

  it('DS5: unknown attributes and relationships are 422, and the errors name them', async () => {
    const attributes = { data: { type: 'tags', attributes: { name: 'n', nope: 1 } } }
    expectError(await api.post('/api/tags', attributes), 422, { pointer: '/data/attributes/nope' })
    const relationships = article({ nope: { data: null } })
    expectError(await api.post('/api/articles', relationships), 422, {
      pointer: '/data/relationships/nope',
    })
  })

  it('DS21: a relation sent as an attribute is not stored, nor the other way round', async () => {
    const attribute = { data: { type: 'articles', attributes: { title: 'T', author: '9' } } }
    const first = await api.post('/api/articles', attribute)
    expect([400, 422]).toContain(first.status)
    expect(first.errors[0]?.source).toEqual({ pointer: '/data/attributes/author' })
    const second = await api.post('/api/articles', article({ body: { data: null } }))
    expect([400, 422]).toContain(second.status)
    expect(second.errors[0]?.source).toEqual({ pointer: '/data/relationships/body' })
  })

  it.each(['id', 'type'])('DS21: an attribute named %s is never stored', async (name) => {
    const response = await api.post('/api/tags', {
      data: { type: 'tags', attributes: { name: 'n', [name]: 'stolen' } },
    })
    expect([201, 400, 422]).toContain(response.status)
    expect((await api.get('/api/tags')).text).not.toContain('stolen')
  })

  it('DS23: values are returned as they were sent', async () => {
    const attributes = {
      title: 'é 😀 \u2028 "\\ \u0001',
      rank: 1.7976931348623157e308,
      words: ['', 'ä', '\u{1F600}'],
      details: { width: null, note: '\n' },
    }
    const created = await api.post('/api/articles', { data: { type: 'articles', attributes } })
    expect(created.one.attributes).toMatchObject(attributes)
    expect((await api.get(`/api/articles/${created.one.id}`)).one.attributes).toMatchObject(
      attributes,
    )
  })

  it('DS24: ids of related resources are no attributes', async () => {
    for (const { attributes } of (await api.get('/api/articles')).many) {
      for (const name of ['author', 'authorId', 'author_id', 'tags', 'comments', 'id', 'type']) {
        expect(attributes).not.toHaveProperty(name)
      }
    }
  })

  it('DS50: members that start with @ are ignored, everywhere', async () => {
    const response = await api.post('/api/articles', {
      '@context': 'x',
      data: {
        '@id': 'x',
        type: 'articles',
        attributes: { '@type': 'x', title: 'T' },
        relationships: {
          '@rel': 1,
          author: { '@a': 1, data: { '@b': 1, type: 'people', id: '9' } },
        },
      },
    })
    expect(response.status).toBe(201)
    expect(response.text).not.toContain('@')
    expect(response.one.relationships?.author?.data).toEqual({ type: 'people', id: '9' })
  })

  it('CR14, RE14: linkage of an inverse relation changes the other side', async () => {
    const response = await api.post(
      '/api/articles',
      article({ comments: { data: [{ type: 'comments', id: '5' }] } }),
    )
    expect(response.status).toBe(201)
    const other = await api.get('/api/comments/5/relationships/article')
    expect(other.at('/data')).toEqual({ type: 'articles', id: response.one.id })
    expect((await api.get('/api/articles/1/relationships/comments')).ids).toEqual(['12'])
  })

  it('RE5: a duplicate identifier is stored once', async () => {
    const data = [
      { type: 'tags', id: '3' },
      { type: 'tags', id: '2' },
      { type: 'tags', id: '3' },
    ]
    const response = await api.post('/api/articles', article({ tags: { data } }))
    if (response.status === 201)
      expect(response.one.relationships?.tags?.data).toEqual(data.slice(0, 2))
    else expect([400, 409, 422]).toContain(response.status)
  })

  it('ER1: all errors of a document are reported at once', async () => {
    const response = await api.post('/api/articles', {
      data: {
        type: 'articles',
        attributes: { title: '', rank: 'x', nope: 1, details: { width: 'x' } },
      },
    })
    expectError(response, 422, { pointer: '/data/attributes/title' })
    expectError(response, 422, { pointer: '/data/attributes/rank' })
    expectError(response, 422, { pointer: '/data/attributes/nope' })
    expectError(response, 422, { pointer: '/data/attributes/details/width' })
  })

  it('ER9: a missing attribute has a pointer to its parent', async () => {
    const payload = { data: { type: 'tags', attributes: {} } }
    expectError(await api.post('/api/tags', payload), 422, { pointer: '/data/attributes' })
    expectError(await api.post('/api/tags', { data: { type: 'tags' } }), 422, { pointer: '/data' })
  })

  it('ER9: a missing required relation has a pointer to its parent', async () => {
    const without = { data: { type: 'comments', attributes: { body: 'x' } } }
    expectError(await api.post('/api/comments', without), 422, { pointer: '/data' })
    const empty = { data: { type: 'comments', attributes: { body: 'x' }, relationships: {} } }
    expectError(await api.post('/api/comments', empty), 422, { pointer: '/data/relationships' })
    const none = {
      data: {
        type: 'comments',
        attributes: { body: 'x' },
        relationships: { article: { data: null } },
      },
    }
    expectError(await api.post('/api/comments', none), 422, {
      pointer: '/data/relationships/article/data',
    })
  })

  it('UP10: read-only members are not accepted from the client', async () => {
    const response = await api.post('/api/articles', {
      data: { type: 'articles', attributes: { title: 'T', views: 99 } },
    })
    expect([response.status, response.one.attributes?.views]).toEqual([201, 0])
  })
})
