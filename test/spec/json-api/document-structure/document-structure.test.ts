import { createRouter, field, model, RegistrationError, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stores } from '../../../support/stores.ts'
import { blog, Section } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectDone, expectError } from '../../support/expecting.ts'
import { linksIn } from '../../support/link-walk.ts'

describe.each(stores)('JSON:API 1.3: document structure, on $name', ({ make }) => {
  let api: Client

  beforeAll(async () => {
    api = (await blog(await make())).api
  })

  it('DS6, DS45: the version is in every document', async () => {
    for (const path of [
      '/api/articles',
      '/api/articles/1',
      '/api/articles/1/relationships/tags',
      '/api/nope',
    ]) {
      expect((await api.get(path)).at('/jsonapi'), path).toEqual({ version: '1.1' })
    }
  })

  it.each([
    '/api/articles?include=author&sort=-title',
    '/api/articles?filter[title][contains]=J&fields[articles]=title',
    "/api/articles?filter=eq(title,'Alone')",
    '/api/articles?page[size]=1&sort=title',
    '/api/articles/1?include=comments.author&fields[people]=name',
    '/api/articles/1/comments?sort=-body',
    '/api/articles/1/relationships/comments?include=comments',
    '/api/articles?filter[title]=caf%C3%A9%26+x',
  ])('DS9: the self link of %s returns the same document', async (path) => {
    const response = await api.get(path)
    const self = response.link('self')
    expect(self).toBeDefined()
    expect(new URL(self ?? '', 'http://x').searchParams.size).toBe(
      new URL(path, 'http://x').searchParams.size,
    )
    expect((await api.get(self ?? '')).document).toEqual(response.document)
  })

  it('DS8: a related address links to itself', async () => {
    expect((await api.get('/api/articles/1/author')).link('self')).toBe('/api/articles/1/author')
    expect((await api.get('/api/articles/2/author')).link('self')).toBe('/api/articles/2/author')
  })

  it('DS11: primary data is one resource, an identifier or null for a single target', async () => {
    expect((await api.get('/api/articles/1')).one.type).toBe('articles')
    expect((await api.get('/api/articles/1/relationships/author')).at('/data')).toEqual({
      type: 'people',
      id: '9',
    })
    expect((await api.get('/api/articles/2/author')).at('/data')).toBeNull()
  })

  it('DS12: primary data is an array for a collection, with one or zero members too', async () => {
    expect((await api.get('/api/articles?filter[title]=Alone')).at('/data')).toHaveLength(1)
    expect((await api.get('/api/articles?filter[title]=None')).at('/data')).toEqual([])
    expect((await api.get('/api/articles/2/comments')).at('/data')).toEqual([])
    expect((await api.get('/api/articles/2/relationships/comments')).at('/data')).toEqual([])
  })

  it('DS13: ids are strings everywhere', async () => {
    const response = await api.get('/api/articles?include=author,tags,comments')
    for (const entry of [...response.many, ...response.included])
      expect(typeof entry.id).toBe('string')
    expect(response.text).not.toMatch(/"id":\s*\d/)
  })

  it('DS18: a type and an id name the same resource in a list, a relation and an include', async () => {
    const alone = (await api.get('/api/comments/5')).one
    expect((await api.get('/api/articles/1/comments')).many.find(({ id }) => id === '5')).toEqual(
      alone,
    )
    expect(
      (await api.get('/api/articles/1?include=comments')).included.find(({ id }) => id === '5'),
    ).toEqual(alone)
  })

  it('DS20: a resource has attributes, relationships and links', async () => {
    for (const entry of (await api.get('/api/articles')).many) {
      expect(Object.keys(entry)).toEqual(
        expect.arrayContaining(['type', 'id', 'attributes', 'relationships', 'links']),
      )
      expect(Object.keys(entry.relationships ?? {}).toSorted()).toEqual([
        'author',
        'comments',
        'tags',
      ])
    }
  })

  it('DS26: a relation that is not loaded has links, and no linkage', async () => {
    const comments = (await api.get('/api/articles/1')).one.relationships?.comments
    expect(comments).toEqual({
      links: {
        self: '/api/articles/1/relationships/comments',
        related: '/api/articles/1/comments',
      },
    })
  })

  it('DS28: every related link is valid, also without related resources', async () => {
    for (const path of ['/api/articles?include=comments', '/api/people', '/api/comments']) {
      for (const { href, name } of linksIn((await api.get(path)).document)) {
        if (name === 'related') expect((await api.get(href)).status, href).toBe(200)
      }
    }
  })

  it('DS30: linkage is null or an identifier for to-one, an array for to-many', async () => {
    for (const { relationships } of (await api.get('/api/articles?include=comments,tags,author'))
      .many) {
      const { author, comments, tags } = relationships ?? {}
      expect(
        author?.data === null || typeof (author?.data as { id?: unknown })?.id === 'string',
      ).toBe(true)
      for (const many of [comments, tags]) expect(Array.isArray(many?.data)).toBe(true)
    }
  })
})

describe.each(stores)('JSON:API 1.3: the names that clients see, on $name', ({ make }) => {
  let api: Client

  beforeAll(async () => {
    const fixture = await blog(await make())
    await fixture.router.load(Section, [
      { id: 's-1', name: 'One', pageCount: 3, secret: 'hush', password: 'pass', near: ['s-2'] },
      { id: 's-2', name: 'Two', pageCount: 1, parent: 's-1' },
    ])
    api = fixture.api
  })

  it('DS20: members have their public names, without hidden and write-only ones', async () => {
    const { one } = await api.get('/api/sections/s-1?include=neighbours,children')
    expect(one.attributes).toEqual({ name: 'One', pages: 3 })
    expect(Object.keys(one.relationships ?? {}).toSorted()).toEqual([
      'children',
      'neighbours',
      'parent',
    ])
    expect(one.relationships?.neighbours).toMatchObject({
      links: {
        self: '/api/sections/s-1/relationships/neighbours',
        related: '/api/sections/s-1/neighbours',
      },
      data: [{ type: 'sections', id: 's-2' }],
    })
  })

  it('SF4, SO3, FI3: parameters accept public names only', async () => {
    expect((await api.get('/api/sections?sort=pages')).ids).toEqual(['s-2', 's-1'])
    expect((await api.get('/api/sections?filter[pages]=3')).ids).toEqual(['s-1'])
    expect((await api.get('/api/sections?fields[sections]=pages')).many[0]?.attributes).toEqual({
      pages: 3,
    })
    for (const name of ['pageCount', 'secret', 'password']) {
      for (const parameter of ['sort', 'fields[sections]']) {
        expectError(await api.get(`/api/sections?${parameter}=${name}`), 400, { parameter })
      }
      expectError(await api.get(`/api/sections?filter[${name}]=1`), 400, {
        parameter: `filter[${name}]`,
      })
    }
    expectError(await api.get('/api/sections?include=near'), 400, { parameter: 'include' })
  })

  it('FE10: addresses have public names only', async () => {
    for (const name of ['neighbours', 'relationships/neighbours']) {
      expect((await api.get(`/api/sections/s-1/${name}`)).ids).toEqual(['s-2'])
    }
    for (const name of ['near', 'relationships/near'])
      expectError(await api.get(`/api/sections/s-1/${name}`), 404)
  })

  it('ER9: pointers have public names, and a hidden member does not exist', async () => {
    const send = (members: unknown) =>
      api.post('/api/sections', { data: { type: 'sections', ...(members as object) } })
    const pages = await send({ attributes: { name: 'n', pages: 'x', password: 'p' } })
    expectError(pages, 422, { pointer: '/data/attributes/pages' })
    expectError(pages, 422, { pointer: '/data/attributes/password' })
    const hidden = await send({ attributes: { name: 'n', secret: 'x', pageCount: 1, nope: 1 } })
    expect(hidden.errors.map(({ code, source }) => [code, source?.pointer]).toSorted()).toEqual(
      ['nope', 'pageCount', 'secret'].map((name) => [
        hidden.errors[0]?.code,
        `/data/attributes/${name}`,
      ]),
    )
    const near = await send({ attributes: { name: 'n' }, relationships: { near: { data: [] } } })
    expectError(near, 422, { pointer: '/data/relationships/near' })
  })

  it('DS29, UP2: hidden and write-only members keep their value through PATCH', async () => {
    const data = { type: 'sections', id: 's-1', attributes: { pages: 4 } }
    const response = await api.patch('/api/sections/s-1', { data })
    expect([response.status, response.one.attributes]).toEqual([200, { name: 'One', pages: 4 }])
    expect(response.text).not.toMatch(/hush|pass/)
    const back = { type: 'sections', id: 's-1', attributes: { pages: 3 } }
    expect((await api.patch('/api/sections/s-1', { data: back })).one.attributes?.pages).toBe(3)
  })

  it('DS38: a resource that relates to itself is in the document once', async () => {
    const data = [{ type: 'sections', id: 's-2' }]
    expectDone(await api.post('/api/sections/s-2/relationships/neighbours', { data }))
    const response = await api.get('/api/sections/s-2?include=neighbours,parent.children')
    expect(response.includedNames).toEqual(['sections/s-1'])
    expect(
      (await api.get('/api/sections?include=neighbours,parent,children')).at('/included'),
    ).toEqual([])
    expectDone(await api.delete('/api/sections/s-2/relationships/neighbours', { data }))
  })
})

describe('JSON:API 1.3: names, at registration', () => {
  const register = (...models: Parameters<ReturnType<typeof createRouter>['prepare']>[0][]) => {
    const router = createRouter({ policy: jsonApi(), store: memory() })
    for (const model of models) router.prepare(model)
    return router.rules
  }
  const named = (name: string) => model('thing', { [name]: z.string().optional() })

  it.each(['a', 'aB', 'a1', 'first-name', 'first_name', 'A'])(
    'DS47: a field may be named %j',
    (name) => {
      expect(register(named(name)).length).toBeGreaterThan(0)
    },
  )

  it.each([
    '',
    'a_',
    '_a',
    '-a',
    'a-',
    'a.b',
    'a/b',
    '@a',
    'a:b',
    'é',
    '日',
    'a b',
    ...`+,.[]!"#$%&'()*/:;<=>?@\\^\`{|}~`.split(''),
  ])('DS47, DS48, DS49: a field may not be named %j', (name) => {
    expect(() => register(named(name))).toThrow(RegistrationError)
  })

  it.each([...`+,.[]!"#$%&'()*/:;<=>?@\\^\`{|}~\u007f\u0000\t\n`].map((entry) => `a${entry}b`))(
    'DS48, DS49: %j holds a reserved character',
    (name) => {
      expect(() => register(named(name))).toThrow(RegistrationError)
    },
  )

  it.each(['id', 'type'])('DS21: a field may not be named %s', (name) => {
    expect(() => register(named(name))).toThrow(RegistrationError)
    const renamed = model('thing', { other: field(z.string(), { wire: name }) })
    expect(() => register(renamed)).toThrow(RegistrationError)
    expect(() => register(model('thing', { [name]: toOne('thing', { optional: true }) }))).toThrow(
      RegistrationError,
    )
  })

  it('DS21: an attribute and a relation may not share a name', () => {
    const clash = model('thing', {
      other: field(z.string(), { wire: 'parent' }),
      parent: toOne('thing', { optional: true }),
    })
    expect(() => register(clash)).toThrow(RegistrationError)
  })

  it.each(['my things', 'a.b', '-a', 'a+b', '', '@a', 'a/b'])(
    'DS19: a type may not be named %j',
    (plural) => {
      expect(() => register(model('thing', { name: z.string() }, { plural }))).toThrow(
        RegistrationError,
      )
    },
  )

  it('DS21: a relation may not take the path of the relationships', () => {
    const conflicting = model('thing', { relationships: toOne('thing', { optional: true }) })
    let printed: unknown
    try {
      printed = register(conflicting).map(({ method, path }) => `${method} ${path}`)
    } catch (error) {
      expect(error).toBeInstanceOf(RegistrationError)
      return
    }
    expect(printed).toEqual([...new Set(printed as string[])])
  })
})
