import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { type Blog, blog, Comment } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'
import { linksIn, walkLinks } from '../../support/link-walk.ts'

describe.each(stores)('JSON:API 1.4: fetching, on $name', ({ make }) => {
  let fixture: Blog
  let api: Client

  beforeAll(async () => {
    fixture = await blog(await make())
    api = fixture.api
    await fixture.router.load(
      Comment,
      Array.from({ length: 30 }, (_, index) => ({
        id: `more-${100 + index}`,
        body: `No. ${index}`,
        article: '2',
      })),
    )
  })

  it('FE1, FE7, DS31: every link works, starting from the lists', async () => {
    const lists = [
      '/api/articles',
      '/api/people',
      '/api/comments',
      '/api/tags',
      '/api/events',
      '/api/countries',
    ]
    const visited = await walkLinks(api, lists)
    for (const path of [
      '/api/articles/1',
      '/api/articles/1/author',
      '/api/articles/1/relationships/author',
      '/api/articles/1/relationships/comments',
      '/api/articles/2/comments',
      '/api/comments/5/relationships/article',
    ]) {
      expect([...visited], path).toContain(path)
    }
  })

  it('FE1: the links of pages and included resources work too', async () => {
    const visited = await walkLinks(api, [
      '/api/comments?page[size]=10',
      '/api/comments?page[number]=1&page[size]=15&sort=-body',
      '/api/articles?include=author,comments.author,tags&sort=-title',
      '/api/articles/1?include=comments',
    ])
    expect(visited.size).toBeGreaterThan(8)
  })

  it('DS31: the self link of a resource gives this resource as primary data', async () => {
    for (const list of [
      '/api/articles',
      '/api/people',
      '/api/comments?page[size]=5',
      '/api/tags',
    ]) {
      for (const resource of (await api.get(list)).many) {
        const self = String(resource.links?.self)
        const response = await api.get(self)
        expect([response.one.type, response.one.id], self).toEqual([resource.type, resource.id])
        expect(response.one).toEqual(resource)
      }
    }
  })

  it('FE2: success is 200 for a list, one resource and a related one', async () => {
    for (const path of [
      '/api/articles',
      '/api/articles/1',
      '/api/articles/1/author',
      '/api/articles/1/comments',
    ]) {
      expect((await api.get(path)).status, path).toBe(200)
    }
  })

  it('FE2: one resource is sent completely', async () => {
    const { one } = await api.get('/api/articles/1')
    expect(one).toMatchObject({
      type: 'articles',
      id: '1',
      attributes: {
        title: 'JSON:API paints my bikeshed!',
        body: 'The shortest article. Ever.',
        created: '2015-05-22T14:56:29Z',
        rank: 2,
        words: ['short'],
        details: { width: 3, note: 'a' },
        slug: 'bikeshed',
        views: 0,
      },
      relationships: {
        author: { data: { type: 'people', id: '9' } },
        tags: {
          data: [
            { type: 'tags', id: '2' },
            { type: 'tags', id: '3' },
          ],
        },
      },
      links: { self: '/api/articles/1' },
    })
  })

  it('FE3: a collection is an array, empty or not', async () => {
    expect((await api.get('/api/articles')).ids).toEqual(['1', '2'])
    expect((await api.get('/api/events')).at('/data')).toEqual([])
    expect((await api.get('/api/articles/1/comments')).ids.toSorted()).toEqual(['12', '5'])
    expect((await api.get('/api/articles/1/tags')).ids.toSorted()).toEqual(['2', '3'])
    expect((await api.get('/api/articles/2/tags')).at('/data')).toEqual([])
  })

  it('FE4: a to-one related address is a resource or null', async () => {
    expect((await api.get('/api/articles/1/author')).one).toMatchObject({ type: 'people', id: '9' })
    const empty = await api.get('/api/articles/2/author')
    expect([empty.status, empty.at('/data')]).toEqual([200, null])
  })

  it('FE5: a missing resource is 404, and so are its related addresses', async () => {
    for (const path of [
      '/api/articles/999',
      '/api/articles/999/author',
      '/api/articles/999/comments',
      '/api/articles/999/tags',
    ]) {
      expectError(await api.get(path), 404)
    }
  })

  it('FE5: an unknown relation is 404', async () => {
    expectError(await api.get('/api/articles/1/nope'), 404)
    expectError(await api.get('/api/articles/1/title'), 404)
  })

  it('FE6: an error says what is wrong', async () => {
    const [error] = (await api.get('/api/articles/999')).errors
    expect(error).toMatchObject({
      status: '404',
      code: expect.any(String),
      title: expect.any(String),
    })
    expect(error?.detail).toContain('999')
  })

  it('FE8: the primary data of a relationship is its linkage', async () => {
    expect((await api.get('/api/articles/1/relationships/author')).at('/data')).toEqual({
      type: 'people',
      id: '9',
    })
    expect((await api.get('/api/articles/1/relationships/tags')).at('/data')).toEqual([
      { type: 'tags', id: '2' },
      { type: 'tags', id: '3' },
    ])
    const comments = await api.get('/api/articles/1/relationships/comments')
    expect(comments.many).toHaveLength(2)
    expect(comments.many).toContainEqual({ type: 'comments', id: '5' })
    expect(comments.many).toContainEqual({ type: 'comments', id: '12' })
  })

  it('FE9: a relationship links to itself and to what is related', async () => {
    for (const relation of ['author', 'tags', 'comments']) {
      const response = await api.get(`/api/articles/1/relationships/${relation}`)
      expect(response.link('self')).toBe(`/api/articles/1/relationships/${relation}`)
      expect(response.link('related')).toBe(`/api/articles/1/${relation}`)
    }
  })

  it('FE10: an unknown relationship is 404, and so is one of a missing resource', async () => {
    for (const path of [
      '/api/articles/1/relationships/nope',
      '/api/articles/1/relationships/title',
      '/api/articles/999/relationships/tags',
      '/api/articles/999/relationships/author',
      '/api/articles/999/relationships/comments',
    ]) {
      expectError(await api.get(path), 404)
    }
  })

  it('FE11: an empty relationship is 200', async () => {
    const none = await api.get('/api/articles/2/relationships/author')
    expect([none.status, none.at('/data')]).toEqual([200, null])
    const empty = await api.get('/api/articles/2/relationships/tags')
    expect([empty.status, empty.at('/data')]).toEqual([200, []])
  })

  it('CN17: HEAD is GET without the body', async () => {
    for (const path of [
      '/api/articles',
      '/api/articles/1',
      '/api/articles/1/author',
      '/api/articles/1/relationships/tags',
      '/api/articles/999',
    ]) {
      const [get, head] = [await api.get(path), await api.head(path)]
      expect(head.status, path).toBe(get.status)
      expect(head.headers.get('content-type'), path).toBe(get.headers.get('content-type'))
      expect(head.text).toBe('')
    }
  })

  it('CN17: a matching If-None-Match is 304, without a body', async () => {
    const first = await api.get('/api/articles/1')
    const tag = first.headers.get('etag') ?? ''
    expect(tag).not.toBe('')
    const again = await api.get('/api/articles/1', { 'if-none-match': tag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
  })

  it('CN17: an unsupported method is 405 with Allow', async () => {
    const response = await api.send('DELETE', '/api/articles')
    expectError(response, 405)
    const allowed = (response.headers.get('allow') ?? '').split(/, ?/)
    expect(allowed).toEqual(expect.arrayContaining(['GET', 'HEAD', 'POST']))
    expect(allowed).not.toContain('DELETE')
  })

  it.each([
    ['/api/articles', ['GET', 'HEAD', 'OPTIONS', 'POST', 'QUERY']],
    ['/api/articles/1', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
    ['/api/articles/1/author', ['GET', 'HEAD', 'OPTIONS']],
    [
      '/api/articles/1/relationships/tags',
      ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'QUERY'],
    ],
  ])('CN17: OPTIONS lists the methods of %s', async (path, expected) => {
    const response = await api.send('OPTIONS', path)
    expect(response.status).toBe(204)
    expect((response.headers.get('allow') ?? '').split(/, ?/).toSorted()).toEqual(expected)
  })

  it('1.14: types are the path segments of the collections', async () => {
    for (const type of ['articles', 'people', 'comments', 'tags']) {
      const { many } = await api.get(`/api/${type}?page[size]=3`)
      expect(many.length).toBeGreaterThan(0)
      for (const entry of many)
        expect([entry.type, entry.links?.self]).toEqual([type, `/api/${type}/${entry.id}`])
    }
  })

  it('1.14: the document, resources and relationships all have links', async () => {
    const response = await api.get('/api/articles')
    expect(response.link('self')).toBe('/api/articles')
    expect(response.at('/data/0/links/self')).toBe('/api/articles/1')
    for (const relation of ['author', 'comments', 'tags']) {
      expect(response.at(`/data/0/relationships/${relation}/links`)).toMatchObject({
        self: `/api/articles/1/relationships/${relation}`,
        related: `/api/articles/1/${relation}`,
      })
    }
    expect(linksIn(response.document).length).toBeGreaterThan(10)
  })
})

describe('JSON:API 1.4: links with a base address', () => {
  it('1.14: links and Location are absolute when the service has a base address, whatever the Host header', async () => {
    const { api } = await blog(await stores[0]!.make(), { baseUrl: 'https://blog.example' })
    const response = await api.get('/api/articles/1?include=author', { host: 'evil.example' })
    for (const { href } of linksIn(response.document))
      expect(href).toMatch(/^https:\/\/blog\.example\/api\//)
    const created = await api.post('/api/tags', {
      data: { type: 'tags', attributes: { name: 'new' } },
    })
    expect(created.headers.get('location')).toMatch(/^https:\/\/blog\.example\/api\/tags\//)
    expect(created.one.links?.self).toBe(created.headers.get('location'))
  })
})
