import fc from 'fast-check'
import type { IQuery } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { Article, blog } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectDone, expectError } from '../../support/expecting.ts'

const tag = (id: string) => ({ type: 'tags', id })
const tagged = (...ids: string[]) => ({ data: ids.map(tag) })
const author = '/api/articles/1/relationships/author'
const tags = '/api/articles/1/relationships/tags'
const comments = '/api/articles/1/relationships/comments'

describe.each(stores)('JSON:API 1.10: updating relationships, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    api = (await blog(await make())).api
  })

  const linked = async (path = tags) => (await api.get(path)).ids

  it('RE1, RE2: PATCH sets and clears a to-one relationship', async () => {
    expectDone(await api.patch(author, { data: { type: 'people', id: '10' } }))
    expect((await api.get(author)).at('/data')).toEqual({ type: 'people', id: '10' })
    expect((await api.get('/api/articles/1/author')).one.id).toBe('10')
    expectDone(await api.patch(author, { data: null }))
    expect((await api.get(author)).at('/data')).toBeNull()
  })

  it('RE2, RE10: a response with a document has the linkage', async () => {
    for (const [path, body] of [
      [author, { data: { type: 'people', id: '10' } }],
      [tags, tagged('4')],
    ] as const) {
      const response = await api.patch(path, body)
      expectDone(response)
      if (response.status === 200) expect(response.at('/data')).toEqual(body.data)
    }
  })

  it.each([
    ['an array', { data: [{ type: 'people', id: '9' }] }, '/data'],
    ['an empty array', { data: [] }, '/data'],
    ['no data', {}, ''],
    ['a text', { data: '9' }, '/data'],
    ['no type', { data: { id: '9' } }, '/data'],
    ['no id', { data: { type: 'people' } }, '/data'],
    ['a number as id', { data: { type: 'people', id: 9 } }, '/data/id'],
    ['no document', [], ''],
  ])('RE1: %s is refused for a to-one relationship', async (_, body, pointer) => {
    expectError(await api.patch(author, body), 400, { pointer })
    expect((await api.get(author)).at('/data/id')).toBe('9')
  })

  it.each(
    ['PATCH', 'POST', 'DELETE'].flatMap((method) => [
      { method, body: { data: tag('4') }, pointer: '/data' },
      { method, body: { data: null }, pointer: '/data' },
      { method, body: {}, pointer: '' },
      { method, body: { data: ['4'] }, pointer: '/data/0' },
      { method, body: { data: [tag('4'), { type: 'tags' }] }, pointer: '/data/1' },
      { method, body: { data: [tag('4'), { id: '3' }] }, pointer: '/data/1' },
      { method, body: { data: [{ type: 'tags', id: 4 }] }, pointer: '/data/0/id' },
    ]),
  )(
    'RE3: $method $body is refused for a to-many relationship',
    async ({ method, body, pointer }) => {
      expectError(await api.send(method, tags, body), 400, { pointer })
      expect(await linked()).toEqual(['2', '3'])
    },
  )

  it('RE4: PATCH replaces a to-many relationship', async () => {
    expectDone(await api.patch(tags, tagged('4', '2')))
    expect(await linked()).toEqual(['4', '2'])
    expectDone(await api.patch(tags, tagged()))
    expect(await linked()).toEqual([])
  })

  it('RE4: with a missing member it is 404, and nothing is changed', async () => {
    const response = await api.patch(tags, tagged('4', '404'))
    expectError(response, 404)
    expect(['/data/1', '/data/1/id']).toContain(response.errors[0]?.source?.pointer)
    expectError(await api.post(tags, tagged('4', '404')), 404)
    expectError(await api.patch(author, { data: { type: 'people', id: '404' } }), 404)
    expect(await linked()).toEqual(['2', '3'])
    expect((await api.get(author)).at('/data/id')).toBe('9')
  })

  it('RE4: an inverse to-many whose other side requires a value cannot lose members', async () => {
    expectError(await api.patch(comments, { data: [] }), 409)
    expectError(await api.delete(comments, { data: [{ type: 'comments', id: '5' }] }), 409)
    expect((await linked(comments)).toSorted()).toEqual(['12', '5'])
  })

  it('RE5: POST adds at the end, and existing members stay once and in order', async () => {
    expectDone(await api.post(tags, tagged('4')))
    expect(await linked()).toEqual(['2', '3', '4'])
    expectDone(await api.post(tags, tagged('4')))
    expect(await linked()).toEqual(['2', '3', '4'])
  })

  it('RE5: a duplicate member is added once', async () => {
    expectDone(await api.post(tags, tagged('4', '4')))
    expect(await linked()).toEqual(['2', '3', '4'])
  })

  it('RE6: POST of members that partly exist succeeds', async () => {
    expectDone(await api.post(tags, tagged('3', '4', '2')))
    expect(await linked()).toEqual(['2', '3', '4'])
    expectDone(await api.post(tags, tagged()))
    expect(await linked()).toEqual(['2', '3', '4'])
  })

  it('RE7: DELETE removes the members of its body', async () => {
    expectDone(await api.delete(tags, tagged('2')))
    expect(await linked()).toEqual(['3'])
    expectDone(await api.delete(tags, tagged('3')))
    expect(await linked()).toEqual([])
  })

  it('RE7, RE3: DELETE without a body is refused', async () => {
    expectError(await api.delete(tags), 400)
    expect(await linked()).toEqual(['2', '3'])
  })

  it('RE8: DELETE of a resource that is no member, or does not exist, succeeds', async () => {
    expectDone(await api.delete(tags, tagged('2')))
    expectDone(await api.delete(tags, tagged('2')))
    expectDone(await api.delete(tags, tagged('4', '404', '3')))
    expect(await linked()).toEqual([])
  })

  it.each(['POST', 'DELETE'])('RE11: %s on a to-one relationship is 403', async (method) => {
    const response = await api.send(method, author, { data: [{ type: 'people', id: '10' }] })
    expectError(response, 403)
    expect((await api.get(author)).at('/data/id')).toBe('9')
  })

  it('RE11: a required relation cannot be cleared', async () => {
    const response = await api.patch('/api/comments/5/relationships/article', { data: null })
    expect([403, 409, 422]).toContain(response.status)
    expect(response.errors[0]?.source?.pointer).toBe('/data')
    expect((await api.get('/api/comments/5/relationships/article')).at('/data/id')).toBe('1')
  })

  it('RE12: linkage of another type is 409', async () => {
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      const response = await api.send(method, tags, { data: [{ type: 'people', id: '9' }] })
      expectError(response, 409, { pointer: '/data/0/type' })
    }
    expectError(await api.patch(author, { data: tag('2') }), 409, { pointer: '/data/type' })
    expect(await linked()).toEqual(['2', '3'])
  })

  it('RE13: related resources stay when they are unlinked', async () => {
    expectDone(await api.delete(tags, tagged('2')))
    expectDone(await api.patch(author, { data: null }))
    expect((await api.get('/api/tags/2')).status).toBe(200)
    expect((await api.get('/api/people/9')).status).toBe(200)
  })

  it('RE9, RE14: an inverse to-many takes members from their former owner', async () => {
    expectDone(
      await api.post('/api/articles/2/relationships/comments', {
        data: [{ type: 'comments', id: '5' }],
      }),
    )
    expect(await linked('/api/articles/2/relationships/comments')).toEqual(['5'])
    expect(await linked(comments)).toEqual(['12'])
    expect((await api.get('/api/comments/5/article')).one.id).toBe('2')
  })

  it('RE14: an inverse to-many changes the other side: added, removed, replaced', async () => {
    const articles = '/api/people/10/relationships/articles'
    const article = (id: string) => ({ type: 'articles', id })
    expectDone(await api.post(articles, { data: [article('2'), article('1')] }))
    expect((await linked(articles)).toSorted()).toEqual(['1', '2'])
    expect((await api.get(author)).at('/data/id')).toBe('10')
    expectDone(await api.delete(articles, { data: [article('1')] }))
    expect((await api.get(author)).at('/data')).toBeNull()
    expectDone(await api.patch(articles, { data: [article('1')] }))
    expect((await api.get(author)).at('/data/id')).toBe('10')
    expect((await api.get('/api/articles/2/relationships/author')).at('/data')).toBeNull()
  })

  it('RE8, RE14: DELETE does not change members of another owner', async () => {
    expectDone(
      await api.delete('/api/people/10/relationships/articles', {
        data: [{ type: 'articles', id: '1' }],
      }),
    )
    expect((await api.get(author)).at('/data/id')).toBe('9')
  })

  it('RE14: both sides agree after any change', async () => {
    const ids = ['1', '2', 'a', 'b']
    const change = fc.record({
      method: fc.constantFrom('PATCH', 'POST', 'DELETE'),
      person: fc.constantFrom('9', '10'),
      ids: fc.subarray(ids),
    })
    const setting = fc.record({
      article: fc.constantFrom(...ids),
      author: fc.constantFrom('9', '10', null),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(change, setting), { maxLength: 8 }), async (steps) => {
        const fixture = await blog(await make())
        await fixture.router.load(Article, [
          { id: 'a', title: 'A' },
          { id: 'b', title: 'B' },
        ])
        const authors = new Map<string, string | null>(
          ids.map((id) => [id, id === '1' ? '9' : null]),
        )
        for (const step of steps) {
          if ('article' in step) {
            const data = step.author === null ? null : { type: 'people', id: step.author }
            expectDone(
              await fixture.api.patch(`/api/articles/${step.article}/relationships/author`, {
                data,
              }),
            )
            authors.set(step.article, step.author)
            continue
          }
          const data = step.ids.map((id) => ({ type: 'articles', id }))
          expectDone(
            await fixture.api.send(
              step.method,
              `/api/people/${step.person}/relationships/articles`,
              {
                data,
              },
            ),
          )
          for (const [id, now] of authors) {
            const isGiven = step.ids.includes(id)
            if (isGiven && step.method !== 'DELETE') authors.set(id, step.person)
            else if (now === step.person && step.method === (isGiven ? 'DELETE' : 'PATCH'))
              authors.set(id, null)
          }
        }
        for (const [id, now] of authors) {
          const response = await fixture.api.get(`/api/articles/${id}/relationships/author`)
          expect(response.at('/data/id') ?? null).toBe(now)
        }
        for (const person of ['9', '10']) {
          const mine = (await fixture.api.get(`/api/people/${person}/relationships/articles`)).ids
          expect(mine.toSorted()).toEqual(ids.filter((id) => authors.get(id) === person).toSorted())
        }
      }),
      { numRuns: 15 },
    )
  })

  it('FE10: writes to unknown relationships and missing resources are 404', async () => {
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      expectError(await api.send(method, '/api/articles/999/relationships/tags', tagged('2')), 404)
      expectError(await api.send(method, '/api/articles/1/relationships/nope', tagged('2')), 404)
    }
  })

  it('DS5, DS33, DS50: other members of an identifier are ignored', async () => {
    expectDone(
      await api.post(tags, {
        '@x': 1,
        junk: 1,
        meta: {},
        data: [{ ...tag('4'), meta: { a: 1 }, '@x': 1, attributes: { name: 'stolen' } }],
      }),
    )
    expect(await linked()).toEqual(['2', '3', '4'])
    expect((await api.get('/api/tags/4')).one.attributes?.name).toBe('sheds')
  })

  it('CN6, CN20: a body in another media type is 415', async () => {
    for (const type of ['application/json', 'application/vnd.api+json; charset=utf-8']) {
      expectError(await api.post(tags, tagged('4'), { 'content-type': type }), 415, {
        header: 'Content-Type',
      })
    }
    expect(await linked()).toEqual(['2', '3'])
  })

  it('RE5: members that are added in parallel are all stored, each once', async () => {
    const bodies = ['4', '2', '4', '3', '4', '2'].map((id) => api.post(tags, tagged(id)))
    for (const response of await Promise.all(bodies)) expectDone(response)
    expect(await linked()).toEqual(['2', '3', '4'])
    await Promise.all([
      api.delete(tags, tagged('2')),
      api.delete(tags, tagged('3')),
      api.post(tags, tagged('4')),
    ])
    expect(await linked()).toEqual(['4'])
  })

  it('RE2: a relationship is written only while its version is unchanged', async () => {
    const read = await api.get(tags)
    const tag =
      read.headers.get('etag') ?? (await api.get('/api/articles/1')).headers.get('etag') ?? ''
    expectError(await api.post(tags, tagged('4'), { 'if-match': '"other"' }), 412)
    expectError(await api.patch(tags, tagged(), { 'if-match': '"other"' }), 412)
    expectError(await api.delete(tags, tagged('2'), { 'if-match': '"other"' }), 412)
    expect(await linked()).toEqual(['2', '3'])
    expect(tag).not.toBe('')
  })

  it('FE10: hidden resources do not exist for relationships either', async () => {
    const notAlone = (query: IQuery) => query.where('title').notEqual('Alone')
    const articleMiddleware = { query: { any: notAlone } }
    const hiding = (await blog(await make(), { articleMiddleware })).api
    const one = { data: [{ type: 'articles', id: '2' }] }
    for (const path of [
      'relationships/tags',
      'relationships/author',
      'tags',
      'author',
      'comments',
    ]) {
      expectError(await hiding.get(`/api/articles/2/${path}`), 404)
    }
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      expectError(await hiding.send(method, '/api/articles/2/relationships/tags', tagged('4')), 404)
    }
    expectError(await hiding.post('/api/people/9/relationships/articles', one), 404)
    expectError(await hiding.patch('/api/people/9/relationships/articles', one), 404)
    expectDone(await hiding.delete('/api/people/9/relationships/articles', one))
    const comment = {
      data: {
        type: 'comments',
        attributes: { body: 'x' },
        relationships: { article: { data: one.data[0] } },
      },
    }
    expectError(await hiding.post('/api/comments', comment), 404)
    expect((await hiding.get('/api/people/9/relationships/articles')).ids).toEqual(['1'])
  })

  it('FE8, DS36: a hidden resource is in no linkage, list or include', async () => {
    const articleMiddleware = {
      query: { any: (query: IQuery) => query.where('title').equal('Alone') },
    }
    const hiding = (await blog(await make(), { articleMiddleware })).api
    expect((await hiding.get('/api/people/9/relationships/articles')).ids).toEqual([])
    expect((await hiding.get('/api/people/9/articles')).ids).toEqual([])
    expect((await hiding.get('/api/people/9?include=articles')).at('/included')).toEqual([])
    expect((await hiding.get('/api/comments?include=article')).at('/included')).toEqual([])
    expect(
      (await hiding.get('/api/people/9/articles?withCount=true&page[size]=1')).at(
        '/meta/page/total',
      ),
    ).toBe(0)
  })

  it('CP19: hidden resources are not counted in linkage', async () => {
    const articleMiddleware = {
      query: { any: (query: IQuery) => query.where('title').equal('Alone') },
    }
    const hiding = (await blog(await make(), { articleMiddleware })).api
    const response = await hiding.get(
      '/api/people/9/relationships/articles?withCount=true&page[size]=1',
    )
    if (response.status === 200) expect(response.at('/meta/page/total') ?? 0).toBe(0)
    else expectError(response, 400, { parameter: 'withCount' })
  })

  it('IN9: a relationship write refuses unknown parameters', async () => {
    expectError(await api.post(`${tags}?nope=1`, tagged('4')), 400, { parameter: 'nope' })
    expect(await linked()).toEqual(['2', '3'])
  })
})
