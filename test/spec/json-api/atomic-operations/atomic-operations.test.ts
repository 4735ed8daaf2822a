import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { atomicType, atomicUri } from '../../support/atomic.ts'
import { type Blog, blog } from '../../support/blog.ts'
import { type Client, mediaType } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'

const address = '/api/operations'
const addTag = (name: string, more: object = {}) => ({
  op: 'add',
  data: { type: 'tags', ...more, attributes: { name } },
})
const rename = (id: string, name: unknown, more: object = {}) => ({
  op: 'update',
  data: { type: 'tags', id, attributes: { name } },
  ...more,
})
const removeTag = (id: string) => ({ op: 'remove', ref: { type: 'tags', id } })
const tag = (id: string) => ({ type: 'tags', id })

describe.each(stores)('JSON:API 1.12: atomic operations, on $name', ({ make }) => {
  let router: Blog['router']
  let api: Client

  beforeEach(async () => {
    ;({ router, api } = await blog(await make()))
  })

  const send = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    api.post(address, body, { 'content-type': atomicType, ...headers })

  const everything = async () => {
    const lists = ['people', 'articles', 'comments', 'tags', 'sections', 'events', 'countries']
    return Promise.all(lists.map(async (plural) => (await api.get(`/api/${plural}`)).text))
  }

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])(
    'AO1: %s gets 405 and Allow',
    async (method) => {
      const response = await api.send(method, address)
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
    },
  )

  it('AO1: OPTIONS allows POST', async () => {
    const response = await api.send('OPTIONS', address)
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'OPTIONS, POST'])
  })

  it.each([
    mediaType,
    `${mediaType};profile="https://example.org/p"`,
    `${mediaType};ext=""`,
    `${mediaType};ext="https://example.org/ext"`,
    `${mediaType};ext="${atomicUri} https://example.org/ext"`,
    `${atomicType};charset=utf-8`,
    'application/json',
    '',
  ])('AO2, CN6, CN7: a body sent as %j is 415', async (contentType) => {
    const response = await send(
      { 'atomic:operations': [addTag('x')] },
      { 'content-type': contentType },
    )
    expectError(response, 415, { header: 'Content-Type' })
  })

  it.each([
    atomicType,
    `${mediaType}; ext="${atomicUri}"`,
    `${mediaType} ; ext=" ${atomicUri} "`,
    `APPLICATION/VND.API+JSON;EXT="${atomicUri}"`,
    `${atomicType};profile="https://example.org/unknown"`,
  ])('AO2, CN18: a body sent as %j is accepted', async (contentType) => {
    const response = await send(
      { 'atomic:operations': [addTag('x')] },
      { 'content-type': contentType },
    )
    expect(response.status).toBe(200)
  })

  it.each([
    `${mediaType};ext="https://example.org/ext"`,
    `${mediaType};ext="${atomicUri} https://example.org/ext"`,
    `${atomicType};foo=1`,
    'text/html',
  ])(
    'CN9, CN10: a client that accepts %j alone gets 406, and nothing is changed',
    async (accept) => {
      expectError(
        await send({ 'atomic:operations': [addTag('x', { id: 'n' })] }, { accept }),
        406,
        { header: 'Accept' },
      )
      expect((await api.get('/api/tags/n')).status).toBe(404)
    },
  )

  it.each([
    '',
    '*/*',
    'application/*',
    mediaType,
    atomicType,
    `${mediaType};ext="https://x/y", ${mediaType}`,
  ])(
    'AO22, CN4, CN13, CN16: a client that accepts %j gets the extension, which Content-Type and jsonapi name',
    async (accept) => {
      const response = await send({ 'atomic:operations': [addTag('x')] }, { accept })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, atomicType])
      expect([response.headers.get('vary'), response.at('/jsonapi')]).toEqual([
        'Accept',
        { version: '1.1', ext: [atomicUri] },
      ])
    },
  )

  it('AO22, CN4: errors name the extension too', async () => {
    const response = await api.operate([{}])
    expect([response.status, response.headers.get('content-type')]).toEqual([400, atomicType])
  })

  it.each([
    ['POST', '/api/tags'],
    ['PATCH', '/api/tags/2'],
    ['POST', '/api/articles/1/relationships/tags'],
  ])('CN7: %s %s refuses extensions', async (method, path) => {
    const response = await api.send(method, path, { data: [] }, { 'content-type': atomicType })
    expectError(response, 415, { header: 'Content-Type' })
    expectError(await api.get('/api/tags', { accept: atomicType }), 406, { header: 'Accept' })
  })

  it('CN14: extensions named in the body are ignored', async () => {
    const claimed = {
      jsonapi: { ext: ['https://example.org/ext'] },
      'atomic:operations': [addTag('x')],
    }
    expect((await send(claimed)).status).toBe(200)
    const plain = { jsonapi: { ext: [atomicUri] }, 'atomic:operations': [addTag('x')] }
    expectError(await api.post('/api/tags', plain), 400, { pointer: '' })
  })

  it.each(['data', 'included', 'errors', 'atomic:results'])(
    'AO3, AO4: %s must not stand beside operations',
    async (name) => {
      const response = await send({ 'atomic:operations': [addTag('x')], [name]: [] })
      expectError(response, 400, { pointer: `/${name}` })
    },
  )

  it('DS5: other members beside operations are ignored', async () => {
    const more = { meta: {}, links: {}, junk: 1, '@context': 'x' }
    expect(
      (await send({ 'atomic:operations': [{ ...addTag('x'), junk: 1, '@id': 2 }], ...more }))
        .status,
    ).toBe(200)
  })

  it.each([
    [[], ''],
    [null, ''],
    ['"operations"', ''],
    [{}, ''],
    [{ 'atomic:operations': null }, '/atomic:operations'],
    [{ 'atomic:operations': {} }, '/atomic:operations'],
    [{ 'atomic:operations': [] }, '/atomic:operations'],
    [{ 'atomic:operations': [null] }, '/atomic:operations/0'],
    [{ 'atomic:operations': [[]] }, '/atomic:operations/0'],
    [{ 'atomic:operations': ['add'] }, '/atomic:operations/0'],
  ])('AO14: the document %j is 400', async (body, pointer) => {
    expectError(await send(body), 400, { pointer })
  })

  it('an empty body is 400, and so is malformed JSON', async () => {
    for (const body of ['', ' ', '{"atomic:operations":[', '\ufeff{}']) {
      const response = await send(body)
      expect([body, response.status]).toEqual([body, 400])
    }
  })

  it.each(['insert', 'ADD', '', 1, null, ['add'], '__proto__', 'constructor'])(
    'AO5: the op %j is 400',
    async (op) => {
      expectError(await api.operate([{ op, data: tag('2') }]), 400, {
        pointer: '/atomic:operations/0/op',
      })
    },
  )

  it('AO5: an operation without op is 400 with a pointer to the operation', async () => {
    expectError(await api.operate([addTag('x'), { data: tag('2') }]), 400, {
      pointer: '/atomic:operations/1',
    })
  })

  it('AO6: ref and href together are 400', async () => {
    const operation = { op: 'remove', ref: tag('2'), href: '/api/tags/2' }
    expectError(await api.operate([operation]), 400, { pointer: '/atomic:operations/0' })
  })

  it('AO7: a ref is type and id', async () => {
    const response = await api.operate([
      { op: 'update', ref: tag('2'), data: { ...tag('2'), attributes: { name: 'a' } } },
    ])
    expect([response.status, response.results[0]?.data?.attributes]).toEqual([200, { name: 'a' }])
  })

  it('AO7: a ref is type and lid', async () => {
    const operations = [
      addTag('a', { lid: 'new' }),
      {
        op: 'update',
        ref: { type: 'tags', lid: 'new' },
        data: { type: 'tags', lid: 'new', attributes: { name: 'b' } },
      },
      { op: 'remove', ref: { type: 'tags', lid: 'new' } },
    ]
    const { status, results } = await api.operate(operations)
    expect([status, results.map(({ data }) => data?.attributes?.name)]).toEqual([
      200,
      ['a', 'b', undefined],
    ])
    expect((await api.get(`/api/tags/${results[0]?.data?.id}`)).status).toBe(404)
  })

  it('AO7: a ref is type, id and relationship', async () => {
    const operation = {
      op: 'add',
      ref: { type: 'articles', id: '2', relationship: 'tags' },
      data: [tag('4')],
    }
    expect((await api.operate([operation])).status).toBe(204)
    expect((await api.get('/api/articles/2/relationships/tags')).ids).toEqual(['4'])
  })

  it('AO7: a ref is type, lid and relationship', async () => {
    const article = { type: 'articles', lid: 'new' }
    const { status, results } = await api.operate([
      { op: 'add', data: { ...article, attributes: { title: 'New' } } },
      { op: 'add', ref: { ...article, relationship: 'tags' }, data: [tag('4')] },
    ])
    expect([status, results.length]).toEqual([200, 2])
    expect((await api.get(`/api/articles/${results[0]?.data?.id}/relationships/tags`)).ids).toEqual(
      ['4'],
    )
  })

  it.each<[unknown, number, string]>([
    [null, 400, ''],
    ['tags/2', 400, ''],
    [[], 400, ''],
    [{}, 400, ''],
    [{ id: '2' }, 400, ''],
    [{ type: 'tags' }, 400, ''],
    [{ type: 7, id: '2' }, 400, '/type'],
    [{ type: 'tags', id: 2 }, 400, '/id'],
    [{ type: 'tags', id: null }, 400, '/id'],
    [{ type: 'tags', lid: 2 }, 400, '/lid'],
    [{ type: 'tags', id: '2', lid: 'a' }, 400, '/lid'],
    [{ type: 'tags', lid: 'nobody' }, 400, '/lid'],
    [{ type: 'tags', id: '2', relationship: 7 }, 400, '/relationship'],
    [{ type: 'tag', id: '2' }, 404, '/type'],
    [{ type: '__proto__', id: '2' }, 404, '/type'],
    [{ type: 'tags', id: '2', relationship: 'name' }, 404, '/relationship'],
    [{ type: 'articles', id: '1', relationship: 'nope' }, 404, '/relationship'],
    [{ type: 'articles', id: '1', relationship: 'constructor' }, 404, '/relationship'],
    [{ type: 'tags', id: '' }, 404, ''],
  ])('AO7: the ref %j is %i', async (ref, status, pointer) => {
    const response = await api.operate([{ op: 'remove', ref, data: [] }])
    expectError(response, status, { pointer: `/atomic:operations/0/ref${pointer}` })
  })

  it.each(['', 'http://localhost:1'])(
    'AO8: a href names a collection, a resource or a relationship, after %j',
    async (base) => {
      const { api } = await blog(await make(), base === '' ? {} : { baseUrl: base })
      const operations = [
        {
          op: 'add',
          href: `${base}/api/tags`,
          data: { type: 'tags', id: 'n', attributes: { name: 'a' } },
        },
        {
          op: 'update',
          href: `${base}/api/tags/%6e`,
          data: { type: 'tags', id: 'n', attributes: { name: 'b' } },
        },
        { op: 'add', href: `${base}/api/articles/1/relationships/tags`, data: [tag('n')] },
        { op: 'update', href: `${base}/api/articles/1/relationships/author`, data: null },
        { op: 'remove', href: `${base}/api/articles/1/relationships/tags`, data: [tag('2')] },
        { op: 'remove', href: `${base}/api/tags/3` },
      ]
      const response = await api.operate(operations)
      expect([response.status, response.results.map(({ data }) => data?.attributes?.name)]).toEqual(
        [200, ['a', 'b', undefined, undefined, undefined, undefined]],
      )
      expect((await api.get('/api/articles/1/relationships/tags')).ids).toEqual(['n'])
      expect((await api.get('/api/articles/1/author')).at('/data')).toBeNull()
    },
  )

  it('AO8: link addresses of responses are valid hrefs, root-relative ones too', async () => {
    const baseUrl = 'https://blog.example'
    const { api } = await blog(await make(), { baseUrl })
    const { one } = await api.get('/api/articles/1')
    const relationships = one.relationships?.tags?.links?.self as string
    expect(relationships.startsWith(baseUrl)).toBe(true)
    const operations = [relationships, relationships.slice(baseUrl.length)].map((href) => ({
      op: 'update',
      href,
      data: [],
    }))
    expect((await api.operate(operations)).status).toBe(204)
  })

  it.each<[unknown, number]>([
    [7, 400],
    [null, 400],
    ['', 400],
    ['tags/2', 400],
    ['/tags/2', 400],
    ['/api', 400],
    ['/api?x', 400],
    ['/apis/tags/2', 400],
    ['//localhost/api/tags/2', 400],
    ['http://localhost/api/tags/2', 400],
    ['https://evil.example/api/tags/2', 400],
    ['/api/tags/2?fields[tags]=name', 400],
    ['/api/tags/2#name', 400],
    ['/api/tags', 400],
    ['/api/articles/1/relationships', 404],
    ['/api/articles/1/tags', 404],
    ['/api/operations', 404],
    ['/api/nope/2', 404],
    ['/api/tags/2/', 404],
    ['/api/../api/tags/2', 404],
    ['/api/tags/%', 400],
    ['/api/tags/%ff', 400],
    ['/api/tags/404', 404],
  ])('AO8: the href %j is %i', async (href, status) => {
    const response = await api.operate([{ op: 'remove', href }])
    const isFound = href === '/api/tags/404'
    expectError(response, status, { pointer: `/atomic:operations/0${isFound ? '' : '/href'}` })
  })

  it('AO9: operations see the changes of earlier operations', async () => {
    const response = await api.operate([
      addTag('a', { id: 'n' }),
      rename('n', 'b'),
      rename('n', 'c'),
      { op: 'add', ref: { type: 'articles', id: '2', relationship: 'tags' }, data: [tag('n')] },
      { op: 'update', data: { type: 'articles', id: '2', attributes: { rank: 9 } } },
      removeTag('n'),
      { op: 'update', data: { type: 'articles', id: '2', attributes: { rank: 10 } } },
      addTag('d', { id: 'n' }),
    ])
    expect(response.status).toBe(200)
    const results = response.results.map(
      ({ data }) => data?.attributes?.name ?? data?.relationships?.tags?.data,
    )
    expect(results).toEqual(['a', 'b', 'c', undefined, [tag('n')], undefined, [], 'd'])
    expect((await api.get('/api/tags/n')).at('/data/attributes')).toEqual({ name: 'd' })
  })

  it.each<[string, unknown, number]>([
    ['breaks the model', rename('2', 7), 422],
    [
      'has unknown attributes',
      { op: 'update', data: { ...tag('2'), attributes: { nope: 1 } } },
      422,
    ],
    ['changes what is not there', rename('404', 'x'), 404],
    ['removes what is not there', removeTag('404'), 404],
    ['adds what is there', addTag('x', { id: '2' }), 409],
    ['removes what is referred to', { op: 'remove', ref: { type: 'articles', id: '1' } }, 409],
    [
      'takes a unique value',
      { op: 'update', data: { type: 'articles', id: '2', attributes: { slug: 'bikeshed' } } },
      409,
    ],
    [
      'relates to what is not there',
      { op: 'add', ref: { type: 'articles', id: '2', relationship: 'tags' }, data: [tag('404')] },
      404,
    ],
    [
      'adds to a relation to one',
      { op: 'add', ref: { type: 'articles', id: '1', relationship: 'author' }, data: [] },
      403,
    ],
    [
      'chooses an id that it may not',
      { op: 'add', data: { type: 'events', id: 'x', attributes: { name: 'x' } } },
      403,
    ],
    [
      'chooses no id where it must',
      { op: 'add', data: { type: 'countries', attributes: { name: 'x' } } },
      422,
    ],
    ['is out of date', rename('2', 'x', { meta: { ifMatch: '"old"' } }), 412],
    ['is malformed', { op: 'add' }, 400],
  ])(
    'AO10, AO13, AO15: a last operation that %s rolls back all of them',
    async (_, last, status) => {
      const before = await everything()
      const done = [
        addTag('a', { id: 'n' }),
        rename('2', 'changed'),
        {
          op: 'update',
          ref: { type: 'articles', id: '2', relationship: 'tags' },
          data: [tag('n'), tag('3')],
        },
        {
          op: 'update',
          ref: { type: 'people', id: '10', relationship: 'articles' },
          data: [{ type: 'articles', id: '1' }],
        },
        { op: 'add', data: { type: 'articles', attributes: { title: 'x', slug: 'new' } } },
        removeTag('4'),
      ]
      const response = await api.operate([...done, last])
      expect(response.status, response.text).toBe(status)
      for (const { source } of response.errors)
        expect(source?.pointer).toMatch(/^\/atomic:operations\/6/)
      expect(await everything()).toEqual(before)
      expect((await api.operate(done)).status).toBe(200)
    },
  )

  it('AO13: pointers lead to the exact members', async () => {
    const operations = [
      addTag('fine'),
      {
        op: 'add',
        data: {
          type: 'articles',
          attributes: { title: '', rank: 'x', nope: 1, details: { width: 'w' } },
        },
      },
    ]
    const response = await api.operate(operations)
    const start = '/atomic:operations/1/data/attributes'
    expect(response.errors.map(({ source }) => source?.pointer).toSorted()).toEqual(
      ['/details/width', '/nope', '/rank', '/title'].map((suffix) => start + suffix),
    )
  })

  it('AO13, ER1: malformed operations are reported all at once', async () => {
    const response = await api.operate([
      { op: 'add', data: { type: 'tags', attributes: [] } },
      { op: 'update', data: { type: 'tags', attributes: {} } },
      { op: 'remove' },
      {
        op: 'add',
        data: {
          type: 'articles',
          attributes: { title: 'x' },
          relationships: { author: {}, tags: { data: 7 } },
        },
      },
      {
        op: 'add',
        ref: { type: 'articles', id: '1', relationship: 'tags' },
        data: [{ type: 'people', id: '9' }, 7],
      },
      { op: 'frob', href: 7 },
      {
        op: 'update',
        ref: { type: 'tags', lid: 'nobody' },
        data: { type: 'tags', id: '2', attributes: 7 },
        meta: 7,
      },
      { op: 'update', data: { type: 'tags', lid: 'nobody', attributes: 7 } },
      { op: 'add', ref: { type: 'articles', id: 1, relationship: 'tags' }, data: 7 },
    ])
    expect(response.status).toBe(400)
    expect(
      response.errors
        .map(({ source }) => source?.pointer?.slice('/atomic:operations/'.length))
        .toSorted(),
    ).toEqual([
      '0/data/attributes',
      '1/data',
      '2',
      '3/data/relationships/author',
      '3/data/relationships/tags/data',
      '4/data/0/type',
      '4/data/1',
      '5/href',
      '5/op',
      '6/data/attributes',
      '6/meta',
      '6/ref/lid',
      '7/data/attributes',
      '7/data/lid',
      '8/data',
      '8/ref/id',
    ])
  })

  it('ER1: errors beyond the limit are counted', async () => {
    const response = await api.operate(Array.from({ length: 80 }, () => ({ op: 'frob', href: 7 })))
    expect([response.status, response.errors.length, response.at('/meta/omitted')]).toEqual([
      400, 50, 110,
    ])
  })

  it('AO11: there is a result for each operation, in order', async () => {
    const response = await api.operate([addTag('a'), removeTag('2'), rename('3', 'b')])
    expect([response.status, response.results.map(({ data }) => data?.attributes?.name)]).toEqual([
      200,
      ['a', undefined, 'b'],
    ])
    expect(response.at('/atomic:results/1')).toEqual({})
  })

  it('AO12, AO18, AO19, AO20: without results the response is 204', async () => {
    const response = await api.operate([
      removeTag('2'),
      { op: 'update', ref: { type: 'articles', id: '1', relationship: 'author' }, data: null },
      { op: 'update', ref: { type: 'articles', id: '1', relationship: 'tags' }, data: [] },
    ])
    expect([response.status, response.text, response.headers.get('vary')]).toEqual([
      204,
      '',
      'Accept',
    ])
    expect((await api.get('/api/tags/2')).status).toBe(404)
  })

  it('AO16: the result of an add equals the resource at its address', async () => {
    const { results } = await api.operate([
      {
        op: 'add',
        data: {
          type: 'articles',
          id: 'n',
          attributes: { title: 'x' },
          relationships: { tags: { data: [tag('2')] } },
        },
      },
    ])
    expect(results[0]?.data).toEqual((await api.get('/api/articles/n')).at('/data'))
  })

  it.each<[unknown, number, string]>([
    [undefined, 400, ''],
    [null, 400, ''],
    [[], 400, ''],
    ['x', 400, ''],
    [{ attributes: { name: 'x' } }, 400, '/data'],
    [{ type: 7 }, 400, '/data/type'],
    [{ type: 'tag' }, 404, '/data/type'],
    [{ type: 'tags', lid: 7 }, 400, '/data/lid'],
    [{ type: 'tags', id: 7, attributes: { name: 'x' } }, 400, '/data/id'],
    [{ type: 'tags', attributes: 'x' }, 400, '/data/attributes'],
  ])('AO16: adding %j is %i', async (data, status, pointer) => {
    expectError(await api.operate([{ op: 'add', data }]), status, {
      pointer: `/atomic:operations/0${pointer}`,
    })
  })

  it('AO16: a type of another collection is 409', async () => {
    const response = await api.operate([
      { op: 'add', href: '/api/people', data: { type: 'tags', attributes: {} } },
    ])
    expectError(response, 409, { pointer: '/atomic:operations/0/data/type' })
  })

  it('AO16: a ref beside an added resource, which Orbit sends, must match the resource', async () => {
    const data = { type: 'tags', id: 'n', attributes: { name: 'x' } }
    expect((await api.operate([{ op: 'add', ref: tag('n'), data }])).status).toBe(200)
    for (const ref of [
      tag('m'),
      { type: 'tags' },
      { type: 'people', id: 'n' },
      { type: 'tags', id: 'n', lid: 'l' },
    ]) {
      expectError(await api.operate([{ op: 'add', ref, data }]), 400, {
        pointer: '/atomic:operations/0/ref',
      })
    }
  })

  it('AO17: the result of an update is the whole resource', async () => {
    const { results } = await api.operate([
      { op: 'update', data: { type: 'articles', id: '1', attributes: { rank: 3 } } },
      rename('2', 'paint'),
    ])
    expect(results[0]?.data).toEqual((await api.get('/api/articles/1')).at('/data'))
    expect(results[1]?.data?.attributes).toEqual({ name: 'paint' })
  })

  it('AO17: data of another type or id than the target is 409', async () => {
    for (const [data, member] of [
      [tag('3'), 'id'],
      [{ type: 'people', id: '2' }, 'type'],
    ] as const) {
      const response = await api.operate([{ op: 'update', ref: tag('2'), data }])
      expectError(response, 409, { pointer: `/atomic:operations/0/data/${member}` })
    }
  })

  it('AO17: data without an id is 400', async () => {
    expectError(await api.operate([{ op: 'update', ref: tag('2'), data: { type: 'tags' } }]), 400, {
      pointer: '/atomic:operations/0/data',
    })
  })

  it('AO17: an update without data is 400', async () => {
    for (const target of [
      {},
      { ref: tag('2') },
      { href: '/api/tags/2' },
      { data: null },
      { data: [] },
    ])
      expectError(await api.operate([{ op: 'update', ...target }]), 400, {
        pointer: '/atomic:operations/0',
      })
  })

  it('AO18: the resource to remove is named by ref or href, not by data', async () => {
    expectError(await api.operate([{ op: 'remove', data: tag('2') }]), 400, {
      pointer: '/atomic:operations/0',
    })
    expect((await api.operate([{ op: 'remove', ref: tag('2'), data: tag('3') }])).status).toBe(204)
    expect([(await api.get('/api/tags/2')).status, (await api.get('/api/tags/3')).status]).toEqual([
      404, 200,
    ])
  })

  it('AO19: a to-one relation is set and cleared', async () => {
    const ref = { type: 'articles', id: '1', relationship: 'author' }
    const author = async () => (await api.get('/api/articles/1/relationships/author')).at('/data')
    expect(
      (await api.operate([{ op: 'update', ref, data: { type: 'people', id: '10' } }])).status,
    ).toBe(204)
    expect(await author()).toEqual({ type: 'people', id: '10' })
    expect((await api.operate([{ op: 'update', ref, data: null }])).status).toBe(204)
    expect(await author()).toBeNull()
  })

  it('AO20, RE5, RE8: a to-many relation is added to, replaced and removed from, without duplicates', async () => {
    const ref = { type: 'articles', id: '1', relationship: 'tags' }
    const tags = async () => (await api.get('/api/articles/1/relationships/tags')).ids
    expect(
      (await api.operate([{ op: 'add', ref, data: [tag('4'), tag('2'), tag('4')] }])).status,
    ).toBe(204)
    expect(await tags()).toEqual(['2', '3', '4'])
    expect((await api.operate([{ op: 'remove', ref, data: [tag('3'), tag('404')] }])).status).toBe(
      204,
    )
    expect(await tags()).toEqual(['2', '4'])
    expect((await api.operate([{ op: 'update', ref, data: [tag('3')] }])).status).toBe(204)
    expect(await tags()).toEqual(['3'])
  })

  it('AO20, RE14: both sides of a relation agree', async () => {
    const ref = { type: 'people', id: '10', relationship: 'articles' }
    expect(
      (await api.operate([{ op: 'add', ref, data: [{ type: 'articles', id: '1' }] }])).status,
    ).toBe(204)
    expect((await api.get('/api/articles/1/relationships/author')).at('/data/id')).toBe('10')
  })

  it.each<[unknown, string]>([
    [undefined, ''],
    [null, '/data'],
    [tag('2'), '/data'],
    [[7], '/data/0'],
    [[{ id: '2' }], '/data/0'],
    [[tag('2'), { type: 'tags' }], '/data/1'],
    [[{ type: 'tags', id: 2 }], '/data/0/id'],
  ])('AO20: the linkage %j is 400', async (data, pointer) => {
    const ref = { type: 'articles', id: '1', relationship: 'tags' }
    for (const op of ['add', 'update', 'remove'])
      expectError(await api.operate([{ op, ref, data }]), 400, {
        pointer: `/atomic:operations/0${pointer}`,
      })
  })

  it('AO21: local ids refer to resources of earlier operations, in relations and linkage', async () => {
    const { status, results } = await api.operate([
      { op: 'add', data: { type: 'people', lid: 'p', attributes: { name: 'Ann' } } },
      addTag('t', { lid: 't' }),
      {
        op: 'add',
        data: {
          type: 'articles',
          lid: 'a',
          attributes: { title: 'New' },
          relationships: {
            author: { data: { type: 'people', lid: 'p' } },
            tags: { data: [tag('2'), { type: 'tags', lid: 't' }] },
          },
        },
      },
      {
        op: 'add',
        ref: { type: 'articles', id: '1', relationship: 'tags' },
        data: [{ type: 'tags', lid: 't' }],
      },
      {
        op: 'update',
        ref: { type: 'articles', id: '2', relationship: 'author' },
        data: { type: 'people', lid: 'p' },
      },
      { op: 'update', data: { type: 'people', lid: 'p', attributes: { age: 5 } } },
    ])
    expect(status).toBe(200)
    const [person, label, article] = results.map(({ data }) => data?.id as string) as [
      string,
      string,
      string,
    ]
    expect((await api.get(`/api/articles/${article}/author`)).one.id).toBe(person)
    expect((await api.get(`/api/articles/${article}/tags`)).ids).toEqual(
      expect.arrayContaining(['2', label]),
    )
    expect((await api.get('/api/articles/1/tags')).ids).toContain(label)
    expect((await api.get('/api/articles/2/author')).one.attributes).toEqual({
      name: 'Ann',
      age: 5,
    })
    expect((await api.get(`/api/people/${person}/articles`)).ids.toSorted()).toEqual(
      ['2', article].toSorted(),
    )
  })

  it('AO21, RE11: adding to a to-one relation is 403 and does not define its lid', async () => {
    const data = { type: 'people', lid: 'p' }
    const response = await send({
      'atomic:operations': [
        { op: 'add', data: { ...data, attributes: { name: 'Ann' } } },
        { op: 'add', ref: { type: 'articles', id: '1', relationship: 'author' }, data },
      ],
    })
    expectError(response, 403, { pointer: '/atomic:operations/1' })
  })

  it('AO21: a new resource relates to itself by its own lid', async () => {
    const own = { type: 'sections', lid: 'me' }
    const { results } = await api.operate([
      {
        op: 'add',
        data: {
          ...own,
          attributes: { name: 'x' },
          relationships: { parent: { data: own }, neighbours: { data: [own] } },
        },
      },
    ])
    const { id, relationships } = results[0]!.data!
    expect([relationships?.parent?.data, relationships?.neighbours?.data]).toEqual([
      { type: 'sections', id },
      [{ type: 'sections', id }],
    ])
  })

  it('AO21, DS15: a lid beside a client id refers to that id', async () => {
    const { results } = await api.operate([
      addTag('a', { id: 'n', lid: 'l' }),
      { op: 'update', data: { type: 'tags', id: 'n', lid: 'l', attributes: { name: 'b' } } },
      {
        op: 'add',
        ref: { type: 'articles', id: '2', relationship: 'tags' },
        data: [{ type: 'tags', lid: 'l' }],
      },
    ])
    expect(results.map(({ data }) => data?.id)).toEqual(['n', 'n', undefined])
    expect((await api.get('/api/articles/2/tags')).ids).toEqual(['n'])
  })

  it('AO21: two types may have the same lid', async () => {
    const { status, results } = await api.operate([
      addTag('t', { lid: '1' }),
      { op: 'add', data: { type: 'people', lid: '1', attributes: { name: 'Ann' } } },
      {
        op: 'add',
        ref: { type: 'articles', id: '2', relationship: 'tags' },
        data: [{ type: 'tags', lid: '1' }],
      },
    ])
    expect(status).toBe(200)
    expect((await api.get('/api/articles/2/tags')).ids).toEqual([results[0]?.data?.id])
  })

  it.each<[string, unknown[], string]>([
    [
      'forward in a ref',
      [{ op: 'remove', ref: { type: 'tags', lid: 'l' } }, addTag('a', { lid: 'l' })],
      '0/ref/lid',
    ],
    [
      'forward in data',
      [{ op: 'update', data: { type: 'tags', lid: 'l' } }, addTag('a', { lid: 'l' })],
      '0/data/lid',
    ],
    [
      'forward in a relationship',
      [
        {
          op: 'add',
          data: {
            type: 'articles',
            attributes: { title: 'x' },
            relationships: { tags: { data: [{ type: 'tags', lid: 'l' }] } },
          },
        },
        addTag('a', { lid: 'l' }),
      ],
      '0/data/relationships/tags/data/0/lid',
    ],
    [
      'forward in linkage',
      [
        {
          op: 'add',
          ref: { type: 'articles', id: '1', relationship: 'tags' },
          data: [{ type: 'tags', lid: 'l' }],
        },
        addTag('a', { lid: 'l' }),
      ],
      '0/data/0/lid',
    ],
    [
      'of another type',
      [addTag('a', { lid: 'l' }), { op: 'remove', ref: { type: 'people', lid: 'l' } }],
      '1/ref/lid',
    ],
    ['given twice', [addTag('a', { lid: 'l' }), addTag('b', { lid: 'l' })], '1/data/lid'],
    [
      'of an update',
      [
        rename('2', 'x', { data: { ...tag('2'), lid: 'l' } }),
        { op: 'remove', ref: { type: 'tags', lid: 'l' } },
      ],
      '1/ref/lid',
    ],
    [
      'of another resource than the id',
      [addTag('a', { lid: 'l' }), { op: 'update', data: { type: 'tags', id: '2', lid: 'l' } }],
      '1/data/lid',
    ],
  ])('AO21, DS16: a lid %s is 400', async (_, operations, pointer) => {
    const before = await everything()
    expectError(await api.operate(operations), 400, { pointer: `/atomic:operations/${pointer}` })
    expect(await everything()).toEqual(before)
  })

  it('AO21: a lid is valid within its request only, and is no id', async () => {
    await api.operate([addTag('a', { lid: 'l' })])
    expectError(await api.operate([{ op: 'remove', ref: { type: 'tags', lid: 'l' } }]), 400)
    expect((await api.get('/api/tags/l')).status).toBe(404)
  })

  it('AO21: a resource that is removed by its lid is gone for later operations', async () => {
    const ref = { type: 'tags', lid: 'l' }
    const response = await api.operate([
      addTag('a', { lid: 'l' }),
      { op: 'remove', ref },
      { op: 'remove', ref },
    ])
    expectError(response, 404, { pointer: '/atomic:operations/2' })
  })

  it('AO23: 100 operations succeed, and more are refused with the limit in the error', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => addTag(`t${index}`))
    expect((await api.operate(many(100))).results).toHaveLength(100)
    const before = await everything()
    const response = await api.operate(many(101))
    expectError(response, 400, { pointer: '/atomic:operations' })
    expect([
      response.errors[0]?.code,
      response.errors[0]?.meta,
      response.errors[0]?.detail,
    ]).toEqual([
      'limit-exceeded',
      { limit: 100 },
      'A request must have at most 100 operations; got 101.',
    ])
    expect(await everything()).toEqual(before)
  })

  it('AO23: the limit is an option, and so is that of the body', async () => {
    const { api } = await blog(await make(), { limits: { maxOperations: 2, maxBodyBytes: 2_000 } })
    expect((await api.operate([addTag('a'), addTag('b')])).status).toBe(200)
    expect((await api.operate([addTag('a'), addTag('b'), addTag('c')])).status).toBe(400)
    expect((await api.operate([addTag('x'.repeat(2_000))])).status).toBe(413)
  })

  it('the nesting limit applies to batches too', async () => {
    const nested = `${'['.repeat(100)}${']'.repeat(100)}`
    const response = await send(
      `{"atomic:operations":[{"op":"add","data":{"type":"tags","attributes":{"name":${nested}}}}]}`,
    )
    expect([response.status, response.errors[0]?.code]).toEqual([400, 'limit-exceeded'])
  })

  it('SF3: fields select the members of results; other parameters are 400', async () => {
    const path = `${address}?fields[articles]=title`
    const update = { op: 'update', data: { type: 'articles', id: '1', attributes: { rank: 3 } } }
    const { results } = await api.operate([update, rename('2', 'x')], {}, path)
    expect([results[0]?.data?.attributes, results[0]?.data?.relationships]).toEqual([
      { title: 'JSON:API paints my bikeshed!' },
      undefined,
    ])
    expect(results[1]?.data?.attributes).toEqual({ name: 'x' })
    for (const parameter of ['include', 'sort', 'filter', 'page[size]', 'fields[nope]'])
      expectError(await api.operate([update], {}, `${address}?${parameter}=1`), 400, { parameter })
  })

  it('the rule of the batch is a rule of the router', () => {
    const rule = router.rules.find((rule) => rule.operation === 'Batch')
    expect([rule?.method, rule?.path, rule?.request.kind, rule?.response.content]).toEqual([
      'POST',
      '/operations',
      'batch',
      'results',
    ])
    const statuses = new Set(rule?.errorResponses.map(({ status }) => status))
    for (const status of [400, 403, 404, 406, 409, 412, 413, 415, 422, 503])
      expect(statuses).toContain(status)
    expect(statuses, 'nothing here requires If-Match').not.toContain(428)
  })

  it('ER9, AO13: every request gets a document, never a 5xx, and all pointers exist', async () => {
    const types = fc.constantFrom<unknown>(
      'tags',
      'articles',
      'people',
      'sections',
      'comments',
      'nope',
      7,
      null,
      undefined,
    )
    const ids = fc.constantFrom<unknown>(
      '1',
      '2',
      '9',
      'x',
      '',
      '.',
      '__proto__',
      7,
      null,
      undefined,
    )
    const lids = fc.constantFrom<unknown>('a', 'b', '', 7, null, undefined)
    const identity = fc.record({ type: types, id: ids, lid: lids }, { requiredKeys: [] })
    const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined))
    const linkage = fc.oneof(
      identity,
      fc.array(identity, { maxLength: 3 }),
      fc.constant(null),
      junk,
    )
    const relationship = fc.oneof(
      { weight: 4, arbitrary: fc.record({ data: linkage }) },
      { weight: 1, arbitrary: junk },
    )
    const attributes = fc.dictionary(
      fc.constantFrom('name', 'title', 'rank', 'slug', 'details', 'nope', '__proto__'),
      junk,
    )
    const resource = fc
      .record({
        attributes: fc.oneof(attributes, junk),
        relationships: fc.oneof(
          fc.dictionary(
            fc.constantFrom('author', 'tags', 'comments', 'parent', 'children', 'nope'),
            relationship,
          ),
          junk,
        ),
      })
      .chain((members) => identity.map((named) => ({ ...named, ...members })))
    const ref = fc.oneof(
      identity,
      fc
        .tuple(identity, fc.constantFrom<unknown>('tags', 'author', 'articles', 'nope', 7))
        .map(([named, relationship]) => ({
          ...named,
          relationship,
        })),
      junk,
    )
    const href = fc.oneof(
      fc.constantFrom(
        '/api/tags',
        '/api/tags/2',
        '/api/articles/1/relationships/tags',
        '/api/tags/%',
        '//x',
        'http://x',
      ),
      fc.webPath().map((path) => `/api${path}`),
      junk,
    )
    const meta = fc.oneof(
      fc.record({ ifMatch: fc.oneof(fc.constantFrom('*', '"x"', '', 'W/"x"'), junk) }),
      junk,
    )
    const operation = fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record(
          {
            op: fc.constantFrom<unknown>('add', 'update', 'remove', 'frob', 7),
            ref,
            href,
            data: fc.oneof(resource, linkage),
            meta,
          },
          { requiredKeys: ['op'] },
        ),
      },
      { weight: 1, arbitrary: junk },
    )
    const operations = fc.oneof(
      { weight: 9, arbitrary: fc.array(operation, { maxLength: 5 }) },
      { weight: 1, arbitrary: junk },
    )
    await fc.assert(
      fc.asyncProperty(operations, async (batch) => {
        const response = await api.operate(batch)
        expect(response.status, response.text).toBeLessThan(500)
        if (response.status < 400) return
        for (const { source } of response.errors)
          expect(source?.pointer, response.text).toBeDefined()
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 300) },
    )
  })
})
