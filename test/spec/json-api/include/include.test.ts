import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { type Blog, blog, Section } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'

describe.each(stores)('JSON:API 1.5: inclusion of related resources, on $name', ({ make }) => {
  let fixture: Blog
  let api: Client

  beforeAll(async () => {
    fixture = await blog(await make())
    api = fixture.api
  })

  it('IN1: nothing is included by default', async () => {
    for (const path of ['/api/articles', '/api/articles/1', '/api/articles/1/comments']) {
      expect((await api.get(path)).at('/included'), path).toBeUndefined()
    }
  })

  it('IN2: an address without primary data refuses include', async () => {
    expectError(await api.delete('/api/articles/2?include=author'), 400, { parameter: 'include' })
    expect((await api.get('/api/articles/2')).status).toBe(200)
  })

  it('IN3: with include, included is present even when empty', async () => {
    expect((await api.get('/api/articles/2?include=author')).at('/included')).toEqual([])
    expect(
      (await api.get('/api/articles?include=author&filter[title]=Alone')).at('/included'),
    ).toEqual([])
    expect((await api.get('/api/events?include=')).at('/included')).toEqual([])
    expect((await api.get('/api/articles/2/author?include=articles')).at('/included')).toEqual([])
  })

  it('IN4: unrequested resources are not included', async () => {
    expect((await api.get('/api/articles?include=tags')).includedNames).toEqual([
      'tags/2',
      'tags/3',
    ])
    expect((await api.get('/api/articles/1?include=author')).includedNames).toEqual(['people/9'])
  })

  it('IN5: include is a list of dotted paths', async () => {
    const response = await api.get('/api/articles?include=comments.author,tags')
    expect(response.status).toBe(200)
    expect(response.includedNames).toEqual([
      'comments/12',
      'comments/5',
      'people/10',
      'people/9',
      'tags/2',
      'tags/3',
    ])
    expect(response.included.find(({ type, id }) => type === 'people' && id === '9')).toMatchObject(
      {
        attributes: { name: 'Dan', age: 40 },
      },
    )
  })

  it('IN5: an encoded comma is a comma too', async () => {
    expect((await api.get('/api/articles/1?include=author%2Ctags')).includedNames).toEqual([
      'people/9',
      'tags/2',
      'tags/3',
    ])
  })

  it('IN6: an empty value includes nothing', async () => {
    const response = await api.get('/api/articles?include=')
    expect([response.status, response.at('/included')]).toEqual([200, []])
  })

  it.each([
    'nope',
    'author.nope',
    'Author',
    'title',
    'author.name',
    'author,nope',
    '.author',
    'author.',
    'author,,tags',
  ])('IN7: include=%s is refused', async (path) => {
    expectError(await api.get(`/api/articles?include=${path}`), 400, { parameter: 'include' })
    expectError(await api.get(`/api/articles/1?include=${path}`), 400, { parameter: 'include' })
  })

  it('IN7: a path is refused on a relationship and on a write too, and nothing is written', async () => {
    expectError(await api.get('/api/articles/1/relationships/author?include=nope'), 400, {
      parameter: 'include',
    })
    const tag = { data: { type: 'tags', id: 'unmade', attributes: { name: 'x' } } }
    expectError(await api.post('/api/tags?include=nope', tag), 400, { parameter: 'include' })
    expect((await api.get('/api/tags/unmade')).status).toBe(404)
  })

  it('IN8: intermediate resources are included', async () => {
    const response = await api.get('/api/articles/1?include=comments.author')
    expect(response.includedNames).toEqual(['comments/12', 'comments/5', 'people/10', 'people/9'])
    const people = await api.get('/api/comments/5?include=article.author')
    expect(people.includedNames).toEqual(['articles/1', 'people/9'])
  })

  it('IN9: relationships include the resources that they link to', async () => {
    const response = await api.get('/api/articles/1/relationships/comments?include=comments.author')
    expect(response.status).toBe(200)
    expect(response.includedNames).toEqual(['comments/12', 'comments/5', 'people/10', 'people/9'])
    expect(
      (await api.get('/api/articles/1/relationships/author?include=author')).includedNames,
    ).toEqual(['people/9'])
    expect(
      (await api.get('/api/articles/1/relationships/tags?include=tags')).includedNames,
    ).toEqual(['tags/2', 'tags/3'])
    expect(
      (await api.get('/api/articles/2/relationships/author?include=author')).at('/included'),
    ).toEqual([])
  })

  it('IN9: related addresses include the relations of their resources', async () => {
    expect((await api.get('/api/articles/1/comments?include=author')).includedNames).toEqual([
      'people/10',
      'people/9',
    ])
    const author = await api.get('/api/articles/1/author?include=articles')
    expect(author.one).toMatchObject({ type: 'people', id: '9' })
    expect(author.includedNames).toEqual(['articles/1'])
  })

  it('IN9, DS36: a page of linkage includes the resources of this page', async () => {
    for (const relation of ['comments', 'tags']) {
      const path = `/api/articles/1/relationships/${relation}?page[size]=1&include=${relation}`
      const first = await api.get(path)
      expect([first.status, first.ids.length]).toEqual([200, 1])
      expect(first.includedNames).toEqual([`${relation}/${first.ids[0]}`])
      const second = await api.get(first.link('next') ?? '')
      expect(second.includedNames).toEqual([`${relation}/${second.ids[0]}`])
      expect(second.ids).not.toEqual(first.ids)
    }
  })

  it('IN9: POST and PATCH include', async () => {
    const created = await api.post('/api/articles?include=author', {
      data: {
        type: 'articles',
        id: 'with-author',
        attributes: { title: 'New' },
        relationships: { author: { data: { type: 'people', id: '10' } } },
      },
    })
    expect([created.status, created.includedNames]).toEqual([201, ['people/10']])
    const changed = await api.patch('/api/articles/with-author?include=author,tags', {
      data: {
        type: 'articles',
        id: 'with-author',
        relationships: { tags: { data: [{ type: 'tags', id: '4' }] } },
      },
    })
    expect([changed.status, changed.includedNames]).toEqual([200, ['people/10', 'tags/4']])
    expect((await api.delete('/api/articles/with-author')).status).toBe(204)
  })

  it('IN10: a path that is too long is refused, and the error names the limit', async () => {
    const path = Array.from({ length: 8 }, (_, index) => (index % 2 ? 'articles' : 'author')).join(
      '.',
    )
    const response = await api.get(`/api/articles?include=${path}`)
    expectError(response, 400, { parameter: 'include' })
    expect(Object.keys(response.errors[0]?.meta ?? {}).length).toBeGreaterThan(0)
  })

  it('DS36, IN8: an included inverse relation has linkage', async () => {
    const { one } = await api.get('/api/articles/1?include=comments')
    const linkage = one.relationships?.comments?.data
    expect(linkage).toHaveLength(2)
    expect(linkage).toContainEqual({ type: 'comments', id: '5' })
    const empty = await api.get('/api/articles/2?include=comments')
    expect(empty.one.relationships?.comments?.data).toEqual([])
  })

  it('DS37: fieldsets may hide the linkage, and the resource is still included', async () => {
    const response = await api.get('/api/articles/1?include=author&fields[articles]=title')
    expect(response.includedNames).toEqual(['people/9'])
    expect(response.one.attributes).toEqual({ title: 'JSON:API paints my bikeshed!' })
    expect(response.one.relationships ?? {}).toEqual({})
  })

  it('DS38: a cycle includes no resource twice', async () => {
    const circle = await api.get('/api/articles/1?include=author.articles')
    expect(circle.includedNames).toEqual(['people/9'])
    const list = await api.get('/api/articles?include=author.articles.comments.article')
    expect(list.ids).toEqual(['1', '2'])
    expect(list.includedNames).toEqual(['comments/12', 'comments/5', 'people/9'])
    expect((await api.get('/api/comments?include=article.comments')).includedNames).toEqual([
      'articles/1',
    ])
  })

  it('DS38: paths that share a start are followed once', async () => {
    const response = await api.get('/api/articles?include=comments,comments.author,author,author')
    expect(response.includedNames).toEqual(['comments/12', 'comments/5', 'people/10', 'people/9'])
  })

  it('DS18: a resource is the same on every path', async () => {
    const alone = (await api.get('/api/people/9')).one
    expect((await api.get('/api/articles/1/author')).one).toEqual(alone)
    expect((await api.get('/api/people')).many.find(({ id }) => id === '9')).toEqual(alone)
    expect((await api.get('/api/articles/1?include=author')).included[0]).toEqual(alone)
    expect(
      (await api.get('/api/articles/1/relationships/author?include=author')).included[0],
    ).toEqual(alone)
  })
})

describe.each(stores)('JSON:API 1.5: inclusion in long lists, on $name', ({ make, layout }) => {
  const size = 2_600
  const id = (index: number) => `s-${String(index).padStart(4, '0')}`

  it('DS36, DS38: a long list has each resource once, wherever it is linked from', async () => {
    const { router, api } = await blog(await make(), { isEmpty: true })
    await router.load(
      Section,
      Array.from({ length: size }, (_, index) => ({
        id: id(index),
        name: index % 2 ? 'odd' : 'even',
        parent: index === 0 ? null : id(0),
        near: [id(size - 1 - index), id((index * 7) % size)].filter(
          (entry, place, all) =>
            all.indexOf(entry) === place &&
            // Foreign keys refuse items of a later batch.
            (layout === 'documents' || entry <= id(index)),
        ),
      })),
    )
    const whole = await api.get('/api/sections?include=neighbours,parent')
    expect([whole.ids.length, whole.at('/included')]).toEqual([size, []])
    const odd = await api.get('/api/sections?filter[name]=odd&include=neighbours,parent')
    expect(odd.ids).toHaveLength(size / 2)
    expect(odd.included.length).toBeGreaterThan(0)
    expect(odd.included.every(({ attributes }) => attributes?.name === 'even')).toBe(true)
    const children = await api.get(`/api/sections/${id(0)}?include=children`)
    if (children.status === 200) expect(children.included).toHaveLength(size - 1)
    else expectError(children, 400, { parameter: 'include' })
  })
})
