import {
  type Context,
  createRouter,
  file,
  type ItemOf,
  model,
  type Policy,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  totals: toMany('total', { inverse: 'author' }),
})
const Total = model(
  'total',
  {
    count: z.int(),
    author: toOne<ItemOf<typeof Author>>('author'),
    genres: toMany('genre'),
    chart: file({ maxBytes: 10 }),
    remarks: toMany('remark', { inverse: 'total' }),
  },
  { readOnly: true, description: 'How many books an author has' },
)
const Genre = model('genre', { name: z.string() })
const Remark = model('remark', { text: z.string(), total: toOne('total', { optional: true }) })

const atomicType = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
const total = { type: 'totals', id: 't-1' }

describe.each(stores)('A read-only model, on $name', ({ make, layout }) => {
  let genreContext: Context | undefined

  async function service(policy: Policy): Promise<{ router: Router; api: Client }> {
    const router = createRouter({
      policy,
      store: await make(),
      blobs: memoryBlobs(),
      onError: () => {},
    })
    for (const prepared of [Author, Total, Remark]) router.prepare(prepared)
    router.prepare(Genre).use({
      request: {
        getList: (context) => {
          genreContext = context
        },
      },
    })
    await router.load(Author, [{ id: 'a-1', name: 'Mary' }])
    await router.load(Genre, [{ id: 'g-1', name: 'Horror' }])
    await router.load(Total, [{ id: 't-1', count: 2, author: 'a-1', genres: ['g-1'] }])
    const mediaType = policy.name === 'rest' ? 'application/json' : 'application/vnd.api+json'
    return { router, api: client(router, undefined, mediaType) }
  }

  it.each([
    ['rest', rest()],
    ['json-api', jsonApi()],
  ] as const)('is read as any other, under %s', async (_, policy) => {
    const { api } = await service(policy)
    expect((await api.get('/totals/t-1')).text).toContain('"count":2')
    expect((await api.get('/totals?filter[count]=2&sort=-count&include=author')).status).toBe(200)
    expect((await api.head('/totals')).status).toBe(200)
  })

  it.each([
    ['POST', '/totals'],
    ['PATCH', '/totals/t-1'],
    ['PUT', '/totals/t-1'],
    ['DELETE', '/totals/t-1'],
    ['POST', '/totals/t-1/chart'],
    ['DELETE', '/totals/t-1/chart'],
  ])('has no %s %s, and Allow says it', async (method, path) => {
    for (const policy of [rest(), jsonApi()]) {
      const { api } = await service(policy)
      const response = await api.send(method, path, {})
      const allow = path === '/totals' ? 'GET, HEAD, OPTIONS, QUERY' : 'GET, HEAD, OPTIONS'
      expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
      expect((await api.options(path)).headers.get('allow')).toBe(allow)
    }
  })

  it.each(['author', 'genres', 'remarks'])('has no writes to the relationship %s', async (name) => {
    const { api } = await service(jsonApi())
    const path = `/totals/t-1/relationships/${name}`
    expect((await api.get(path)).status).toBe(200)
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expect((await api.send(method, path, { data: null })).status).toBe(405)
  })

  it('cannot be written from the other side of a relation', async () => {
    const { api } = await service(jsonApi())
    const path = '/authors/a-1/relationships/totals'
    expect((await api.get(path)).ids('data')).toEqual(['t-1'])
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expect((await api.send(method, path, { data: [total] })).status).toBe(405)
    const patch = (totals: unknown) =>
      api.patch('/authors/a-1', {
        data: { type: 'authors', id: 'a-1', relationships: { totals } },
      })
    const refused = await patch({ data: [] })
    expect([refused.status, refused.errors[0]]).toMatchObject([
      422,
      {
        code: 'invalid-member',
        detail: "'totals' is read-only here: send it unchanged or omit it.",
        source: { pointer: '/data/relationships/totals/data' },
      },
    ])
    expect((await patch({ data: [total] })).status).toBe(200)
    const created = await api.post('/authors', {
      data: {
        type: 'authors',
        attributes: { name: 'Percy' },
        relationships: { totals: { data: [total] } },
      },
    })
    expect(created.status).toBe(422)
    expect((await api.get('/totals/t-1/author')).at('/data/id')).toBe('a-1')
  })

  it('cannot be written by atomic operations', async () => {
    const { api } = await service(jsonApi())
    for (const operation of [
      { op: 'add', data: { type: 'totals', attributes: { count: 1 } } },
      { op: 'update', data: { ...total, attributes: { count: 1 } } },
      { op: 'remove', ref: total },
      { op: 'update', ref: { ...total, relationship: 'author' }, data: null },
      { op: 'add', ref: { type: 'authors', id: 'a-1', relationship: 'totals' }, data: [total] },
      { op: 'update', href: '/authors/a-1/relationships/totals', data: [] },
    ]) {
      const body = JSON.stringify({ 'atomic:operations': [operation] })
      const response = await api.post('/operations', body, {
        'content-type': atomicType,
        accept: atomicType,
      })
      expect([response.status, response.text]).toEqual([
        expect.toSatisfy((status) => status >= 400 && status < 500),
        expect.stringContaining('/atomic:operations/0'),
      ])
    }
    expect((await api.get('/totals/t-1')).at('/data/attributes/count')).toBe(2)
  })

  it('has no operations that write in the document', async () => {
    for (const policy of [rest(), jsonApi()]) {
      const { router } = await service(policy)
      const { paths } = router.toOpenApi() as { paths: Record<string, object> }
      const ofTotals = Object.entries(paths).filter(([path]) => /^\/totals/.test(path))
      expect(ofTotals.length).toBeGreaterThan(2)
      for (const [, operations] of ofTotals)
        expect(
          Object.keys(operations).filter((name) => /post|patch|put|delete/.test(name)),
        ).toEqual([])
      expect(JSON.stringify(router.toOpenApi())).not.toContain('TotalCreate')
    }
  })

  it('has no form in the schemas of atomic operations, and needs no address for them', async () => {
    const { router } = await service(jsonApi())
    const document = JSON.stringify(router.toOpenApi())
    expect(document).toContain('"AuthorAtomicOperation"')
    expect(document).not.toContain('"TotalAtomicOperation"')
    expect(document).not.toMatch(/"(?:anyOf|oneOf)":\[\]/)
    const alone = createRouter({ policy: jsonApi(), store: await make(), onError: () => {} })
    alone.prepare(model('sum', { count: z.int() }, { readOnly: true }))
    expect(JSON.stringify(alone.toOpenApi())).not.toContain('/operations')
  })

  it('is written by code of the service, and not in the name of a caller', async () => {
    const { router, api } = await service(rest())
    const totals = router.items(Total)
    const created = await totals.create({ id: 't-2', count: 1, author: 'a-1', genres: ['g-1'] })
    expect(created.count).toBe(1)
    await totals.update('t-2', { count: 5 })
    await totals.setResource('t-2', 'chart', {
      bytes: new TextEncoder().encode('x'),
      contentType: 'text/plain',
    })
    expect((await api.get('/totals/t-2')).at('/total/count')).toBe(5)
    expect((await api.get('/totals/t-2/chart')).text).toBe('x')
    const totalsOfAuthor: object = { totals: ['t-1', 't-2'] }
    await router.items(Author).update('a-1', totalsOfAuthor)
    await expect(totals.create({ id: 't-3', count: 1, author: 'a-9' })).rejects.toThrow('a-9')
    await totals.delete('t-2')
    expect((await api.get('/totals/t-2')).status).toBe(404)
    await api.get('/genres')
    const asCaller = router.items(Total, { as: genreContext! })
    for (const write of [
      () => asCaller.create({ count: 1, author: 'a-1' }),
      () => asCaller.update('t-1', { count: 1 }),
      () => asCaller.delete('t-1'),
      () => asCaller.deleteResource('t-1', 'chart'),
    ])
      await expect(write).rejects.toThrow(
        "Clients only read the model 'total' (readOnly), so code cannot write its items in the name of a caller. Omit 'as'.",
      )
  })

  it('takes part in deletions where it declares onDelete', async () => {
    const Customer = model('customer', {})
    const Invoice = model(
      'invoice',
      { customer: toOne('customer', { onDelete: 'restrict' }), lines: z.array(z.string()) },
      { readOnly: true, ids: 'server' },
    )
    const Mail = model(
      'mail',
      { customer: toOne('customer', { onDelete: 'cascade' }) },
      { readOnly: true },
    )
    const router = createRouter({ policy: rest(), store: await make(), onError: () => {} })
    for (const prepared of [Customer, Invoice, Mail]) router.prepare(prepared)
    const api = client(router)
    for (const id of ['c-1', 'c-2']) {
      await router.items(Customer).create({ id })
      await router.items(Mail).create({ id: `m-${id}`, customer: id })
    }
    const invoice = await router.items(Invoice).create({ customer: 'c-1', lines: ['x'] })
    expect((await api.get(`/invoices/${invoice.id}`)).status).toBe(200)
    expect((await api.delete('/customers/c-1')).errors[0]?.code).toBe('still-referenced')
    expect((await api.delete('/customers/c-2')).status).toBe(204)
    expect((await api.get('/mails')).ids('mails')).toEqual(['m-c-1'])
  })

  it('leaves it to the database whether its items forbid deletions', async () => {
    const { api } = await service(rest())
    // Only tables have foreign keys.
    const status = layout === 'tables' ? 409 : 204
    expect((await api.delete('/genres/g-1')).status).toBe(status)
    expect((await api.get('/totals/t-1')).status).toBe(200)
    expect((await api.get('/totals/t-1?include=genres,author')).status).toBe(200)
  })

  it('may be the target of relations', async () => {
    const { api } = await service(rest())
    const created = await api.post('/remarks', { remark: { text: 'x', total: 't-1' } })
    expect(created.status).toBe(201)
    expect((await api.get('/totals/t-1')).status).toBe(200)
    expect((await api.post('/remarks', { remark: { text: 'x', total: 't-9' } })).status).toBe(422)
  })
})

describe('A read-only model refuses at registration', () => {
  const register = (...models: Parameters<Router['prepare']>[0][]) => {
    const router = createRouter({ policy: rest(), store: memory() })
    for (const each of models) router.prepare(each)
    return () => router.rules
  }

  it('options about writes of clients, all at once', () => {
    expect(
      register(model('total', { count: z.int() }, { readOnly: true, requireMatch: true })),
    ).toThrow(
      "Clients only read the model 'total' (readOnly), so 'requireMatch', about what they write, has no use. Remove it, or the option 'readOnly'.",
    )
    const options = { readOnly: true, requireMatch: true, upsert: true, ids: 'server' } as const
    expect(register(model('total', { count: z.int() }, options))).toThrow(
      "Clients only read the model 'total' (readOnly), so 'upsert' and 'requireMatch', about what they write, have no use. Remove them, or the option 'readOnly'.",
    )
  })

  it('an action', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router
      .prepare(model('total', { count: z.int() }, { readOnly: true }))
      .itemOperation('double', () => {})
    expect(() => router.rules).toThrow(
      "The action 'double' of the model 'total' would write the item, but the model is read-only. Remove the action, or the option 'readOnly'.",
    )
  })
})
