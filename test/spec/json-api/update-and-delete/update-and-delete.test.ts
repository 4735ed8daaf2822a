import { beforeEach, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import type { Client, Resource } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'

const article = (members: Readonly<Record<string, unknown>>) => ({
  data: { type: 'articles', id: '1', ...members },
})

describe.each(stores)('JSON:API 1.9: updating resources, on $name', ({ make, layout }) => {
  let api: Client
  let before: Resource

  beforeEach(async () => {
    api = (await blog(await make())).api
    before = (await api.get('/api/articles/1')).one
  })

  const expectUnchanged = async () => expect((await api.get('/api/articles/1')).one).toEqual(before)

  it.each([
    ['no data', {}, ''],
    ['null', { data: null }, '/data'],
    ['an array', { data: [{ type: 'articles', id: '1' }] }, '/data'],
    ['no type', { data: { id: '1', attributes: { title: 'x' } } }, '/data'],
    ['no id', { data: { type: 'articles', attributes: { title: 'x' } } }, '/data'],
    ['a number as id', { data: { type: 'articles', id: 1 } }, '/data/id'],
    [
      'attributes that are an array',
      { data: { type: 'articles', id: '1', attributes: [] } },
      '/data/attributes',
    ],
    [
      'relationships that are an array',
      { data: { type: 'articles', id: '1', relationships: [] } },
      '/data/relationships',
    ],
  ])('UP1: %s is refused', async (_, document, pointer) => {
    expectError(await api.patch('/api/articles/1', document), 400, { pointer })
    await expectUnchanged()
  })

  it('UP2, UP3, UP6: absent members keep their value', async () => {
    const response = await api.patch('/api/articles/1', article({ attributes: { title: 'New' } }))
    expect(response.status).toBe(200)
    expect(response.one).toEqual({ ...before, attributes: { ...before.attributes, title: 'New' } })
    expect((await api.get('/api/articles/1')).one).toEqual(response.one)
    expect((await api.get('/api/articles/1/relationships/comments')).ids).toHaveLength(2)
  })

  it('UP2: attributes merge, null removes, arrays are replaced', async () => {
    const attributes = { details: { note: 'b' }, words: ['x', 'y'], body: null, rank: null }
    const { one } = await api.patch('/api/articles/1', article({ attributes }))
    expect(one.attributes).toMatchObject({ details: { width: 3, note: 'b' }, words: ['x', 'y'] })
    expect(one.attributes?.body ?? null).toBeNull()
    expect(one.attributes?.rank ?? null).toBeNull()
  })

  it('UP4: a to-one relationship in the document replaces the stored one', async () => {
    const set = await api.patch(
      '/api/articles/1',
      article({ relationships: { author: { data: { type: 'people', id: '10' } } } }),
    )
    expect(set.one.relationships?.author?.data).toEqual({ type: 'people', id: '10' })
    expect(set.one.attributes).toEqual(before.attributes)
    const cleared = await api.patch(
      '/api/articles/1',
      article({ relationships: { author: { data: null } } }),
    )
    expect(cleared.one.relationships?.author?.data).toBeNull()
    expect((await api.get('/api/articles/1/author')).at('/data')).toBeNull()
  })

  it('UP4: a to-many relationship in the document replaces all members', async () => {
    const data = [
      { type: 'tags', id: '4' },
      { type: 'tags', id: '3' },
    ]
    const set = await api.patch('/api/articles/1', article({ relationships: { tags: { data } } }))
    expect(set.one.relationships?.tags?.data).toEqual(data)
    expect(set.one.relationships?.author?.data).toEqual({ type: 'people', id: '9' })
    const empty = await api.patch(
      '/api/articles/1',
      article({ relationships: { tags: { data: [] } } }),
    )
    expect(empty.one.relationships?.tags?.data).toEqual([])
  })

  it('UP4, RE14: an inverse to-many is replaced on the other side', async () => {
    const data = [{ type: 'articles', id: '2' }]
    const document = { data: { type: 'people', id: '9', relationships: { articles: { data } } } }
    expect((await api.patch('/api/people/9', document)).status).toBe(200)
    expect((await api.get('/api/articles/2/relationships/author')).at('/data')).toEqual({
      type: 'people',
      id: '9',
    })
    expect((await api.get('/api/articles/1/relationships/author')).at('/data')).toBeNull()
  })

  it('UP5: an inverse to-many whose other side requires a value cannot lose members: nothing is changed', async () => {
    const response = await api.patch(
      '/api/articles/1',
      article({ attributes: { title: 'New' }, relationships: { comments: { data: [] } } }),
    )
    expectError(response, 409)
    expect(response.errors[0]?.source?.pointer).toMatch(/^\/data\/relationships\/comments/)
    await expectUnchanged()
  })

  it.each([
    [{ author: {} }, '/data/relationships/author'],
    [{ author: '9' }, '/data/relationships/author'],
    [{ tags: { data: null } }, '/data/relationships/tags/data'],
    [{ tags: { data: { type: 'tags', id: '2' } } }, '/data/relationships/tags/data'],
    [{ author: { data: [] } }, '/data/relationships/author/data'],
  ])('UP4: relationships %j are refused', async (relationships, pointer) => {
    const response = await api.patch(
      '/api/articles/1',
      article({ attributes: { title: 'New' }, relationships }),
    )
    expectError(response, 400, { pointer })
    await expectUnchanged()
  })

  it('UP7, UP9: an update that changes nothing is 200 with the document', async () => {
    const response = await api.patch(
      '/api/articles/1',
      article({ attributes: { title: before.attributes?.title } }),
    )
    expect([response.status, response.one]).toEqual([200, before])
    expect((await api.patch('/api/articles/1', article({}))).one).toEqual(before)
  })

  it('UP10: read-only members keep their value, so that a client may send back what it received', async () => {
    const response = await api.patch('/api/articles/1', { data: before })
    expect([response.status, response.one]).toEqual([200, before])
    const views = await api.patch('/api/articles/1', article({ attributes: { views: 99 } }))
    expect([views.status, views.one.attributes?.views]).toEqual([200, 0])
  })

  it('UP10: a stored null can be sent back, inside of attributes too', async () => {
    const attributes = { ...before.attributes, rank: null, details: { width: null, note: 'a' } }
    expect(
      (
        await api.put(
          '/api/articles/1',
          article({ attributes, relationships: before.relationships }),
        )
      ).status,
    ).toBe(200)
    const original = await api.get('/api/articles/1')
    expect(original.one.attributes).toMatchObject({
      // A NULL of an optional column is an absent member.
      ...(layout === 'documents' && { rank: null }),
      details: { width: null, note: 'a' },
    })
    const same = await api.patch('/api/articles/1', { data: original.one })
    expect([same.status, same.one]).toEqual([200, original.one])
    const other = { ...original.one.attributes, details: { width: null, note: 'b' } }
    const changed = await api.patch('/api/articles/1', article({ attributes: other }))
    expect(changed.one.attributes).toEqual(other)
  })

  it('UP11: a missing target is 404', async () => {
    const document = { data: { type: 'articles', id: '999', attributes: { title: 'x' } } }
    expectError(await api.patch('/api/articles/999', document), 404)
    expectError(await api.put('/api/articles/999', document), 404)
  })

  it('UP12, CR2: a missing related resource is 404, and nothing is changed', async () => {
    for (const [name, data, pointer] of [
      ['author', { type: 'people', id: '404' }, '/data/relationships/author/data'],
      ['tags', [{ type: 'tags', id: '404' }], '/data/relationships/tags/data/0'],
    ] as const) {
      const members = { attributes: { title: 'New' }, relationships: { [name]: { data } } }
      const response = await api.patch('/api/articles/1', article(members))
      expectError(response, 404)
      expect([pointer, `${pointer}/id`]).toContain(response.errors[0]?.source?.pointer)
    }
    await expectUnchanged()
  })

  it('UP13: a unique value of another resource is 409', async () => {
    const document = {
      data: { type: 'articles', id: '2', attributes: { title: 'New', slug: 'bikeshed' } },
    }
    expectError(await api.patch('/api/articles/2', document), 409, {
      pointer: '/data/attributes/slug',
    })
    expect((await api.get('/api/articles/2')).one.attributes?.title).toBe('Alone')
  })

  it('UP14, UP15: a type or id that differs from the path is 409', async () => {
    const type = await api.patch('/api/articles/1', {
      data: { type: 'people', id: '1', attributes: { title: 'x' } },
    })
    expectError(type, 409, { pointer: '/data/type' })
    const id = await api.patch('/api/articles/1', {
      data: { type: 'articles', id: '2', attributes: { title: 'x' } },
    })
    expectError(id, 409, { pointer: '/data/id' })
    for (const response of [type, id])
      expect(response.errors[0]?.detail).toEqual(expect.any(String))
    await expectUnchanged()
  })

  it('DS17, 1.14: an invalid value is 422, and nothing is changed', async () => {
    const response = await api.patch(
      '/api/articles/1',
      article({ attributes: { title: 'New', rank: 'x' } }),
    )
    expectError(response, 422, { pointer: '/data/attributes/rank' })
    expectError(await api.patch('/api/articles/1', article({ attributes: { nope: 1 } })), 422, {
      pointer: '/data/attributes/nope',
    })
    expectError(await api.patch('/api/articles/1', article({ attributes: { title: null } })), 422, {
      pointer: '/data/attributes/title',
    })
    await expectUnchanged()
  })

  it('DS50, DS5: @-members and unknown members of the document are ignored', async () => {
    const response = await api.patch('/api/articles/1', {
      '@context': 1,
      junk: 1,
      data: {
        type: 'articles',
        id: '1',
        '@type': 1,
        junk: 1,
        attributes: { '@a': 1, title: 'New' },
        relationships: { '@r': 1 },
      },
    })
    expect([response.status, response.one.attributes?.title]).toEqual([200, 'New'])
  })

  it('DS29: the related link does not change with its target', async () => {
    const link = () =>
      api.get('/api/articles/1').then(({ one }) => one.relationships?.author?.links)
    const first = await link()
    await api.patch('/api/articles/1', article({ relationships: { author: { data: null } } }))
    expect(await link()).toEqual(first)
    expect((await api.get(String(first?.related))).status).toBe(200)
  })

  it('UP6: an update with an old version is 412', async () => {
    const tag = (await api.get('/api/articles/1')).headers.get('etag') ?? ''
    const response = await api.patch('/api/articles/1', article({ attributes: { title: 'New' } }), {
      'if-match': '"other"',
    })
    expectError(response, 412)
    expect(tag).not.toBe('')
    await expectUnchanged()
  })

  it('1.15: PUT replaces the whole resource', async () => {
    const response = await api.put('/api/articles/1', article({ attributes: { title: 'Only' } }))
    expect(response.status).toBe(200)
    expect(response.one.attributes).toMatchObject({ title: 'Only', views: 0 })
    expect(response.one.attributes?.body ?? null).toBeNull()
    expect(response.one.relationships?.author?.data).toBeNull()
    expect(response.one.relationships?.tags?.data).toEqual([])
    expect((await api.get('/api/articles/1/relationships/comments')).ids).toHaveLength(2)
  })
})

describe.each(stores)('JSON:API 1.9: deleting resources, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    api = (await blog(await make())).api
  })

  it('DE3: deleting a resource is 204, and it is gone', async () => {
    expect((await api.delete('/api/articles/2')).status).toBe(204)
    expectError(await api.get('/api/articles/2'), 404)
    expect((await api.get('/api/articles')).ids).toEqual(['1'])
  })

  it('DE4: a missing resource is 404, the second time too', async () => {
    expectError(await api.delete('/api/articles/999'), 404)
    expect((await api.delete('/api/articles/2')).status).toBe(204)
    expectError(await api.delete('/api/articles/2'), 404)
  })

  it('DE5: a body is ignored', async () => {
    expect(
      (await api.delete('/api/articles/2', { data: { type: 'articles', id: '2' } })).status,
    ).toBe(204)
    expect((await api.delete('/api/comments/5', { data: null })).status).toBe(204)
  })

  it('DE5, UP13: a resource that others require is not deleted', async () => {
    const response = await api.delete('/api/articles/1')
    expectError(response, 409)
    expect((await api.get('/api/articles/1')).status).toBe(200)
  })

  it('RE14: linkage to a deleted resource is removed', async () => {
    expect((await api.delete('/api/tags/2')).status).toBe(204)
    expect((await api.get('/api/articles/1/relationships/tags')).ids).toEqual(['3'])
    expect((await api.delete('/api/people/9')).status).toBe(204)
    expect((await api.get('/api/articles/1/relationships/author')).at('/data')).toBeNull()
  })
})
