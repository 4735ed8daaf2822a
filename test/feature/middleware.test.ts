import { field, hash, type IQuery, type Middleware, model, refuse, respond } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Note = model('note', {
  text: z.string(),
  owner: z.string().default('mary'),
  rank: z.int().default(0),
  secretRank: field(z.int().default(0), { hidden: true }),
  hash: hash(),
})

const notes = [
  { id: 'n-1', text: 'a', owner: 'mary', rank: 3, secretRank: 30 },
  { id: 'n-2', text: 'b', owner: 'percy', rank: 2, secretRank: 40 },
  { id: 'n-3', text: 'c', owner: 'mary', rank: 1, secretRank: 10 },
  { id: 'n-4', text: 'd', owner: 'mary', rank: 1, secretRank: 20 },
]

const requests = [
  ['GET', '/notes', undefined],
  ['GET', '/notes/n-1', undefined],
  ['POST', '/notes', { note: { id: 'n-9', text: 'new' } }],
  ['PATCH', '/notes/n-1', { note: { text: 'changed' } }],
  ['PUT', '/notes/n-1', { note: { text: 'changed' } }],
  ['DELETE', '/notes/n-1', undefined],
] as const

describe.each(stores)('Middleware, on $name', ({ make }) => {
  const guarded = async (...middleware: Middleware[]) => {
    const reported: unknown[] = []
    const { router } = service(await make(), [], { onError: (error) => reported.push(error) })
    const prepared = router.prepare(Note)
    for (const entry of middleware) prepared.use(entry)
    await router.load(Note, notes)
    return { api: client(router), router, reported }
  }

  describe('shared behaviour 2: a response of phase 1 ends the request', () => {
    it.each(requests)('%s %s stops there, and changes nothing', async (method, path, body) => {
      const ran: string[] = []
      const { api, router } = await guarded(
        { request: { any: () => respond(401, { 'www-authenticate': 'Bearer' }, 'who are you?') } },
        {
          request: { any: () => void ran.push('request') },
          query: {
            any: (query) => {
              ran.push('query')
              return query
            },
          },
        },
      )
      const response = await api.send(method, path, body)
      expect([response.status, response.text]).toEqual([401, 'who are you?'])
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      expect(ran).toEqual([])
      expect(await router.query(Note).size()).toBe(4)
      expect(await router.query(Note).where('text').equal('changed').size()).toBe(0)
    })

    it('before anything else of the request is checked: body, parameters, the id', async () => {
      const { api } = await guarded({ request: { any: () => respond(401) } })
      const responses = [
        api.post('/notes', 'nonsense'),
        api.post('/notes', { note: { unknown: 1 } }),
        api.get('/notes?filter[nothing]=1'),
        api.get('/notes/nobody'),
        api.patch('/notes/nobody', { note: { unknown: 1 } }),
        api.delete('/notes/n-1', { 'if-match': '"x"' }),
      ]
      for (const response of await Promise.all(responses)) expect(response.status).toBe(401)
    })

    it('whatever its status, success too', async () => {
      const { api } = await guarded({
        request: { getItem: () => respond(203, { 'content-type': 'text/plain' }, 'cached') },
      })
      const response = await api.get('/notes/n-1')
      expect([response.status, response.text]).toEqual([203, 'cached'])
    })

    it('when it is returned as a promise', async () => {
      const ran: string[] = []
      const { api } = await guarded(
        { request: { any: async () => void (await Promise.resolve(ran.push('first'))) } },
        { request: { any: async () => Promise.resolve(respond(403)) } },
        { request: { any: () => void ran.push('never') } },
      )
      expect((await api.get('/notes')).status).toBe(403)
      expect(ran).toEqual(['first'])
    })

    it('carries the headers set before it', async () => {
      const { api } = await guarded(
        { request: { any: (context) => context.setHeader('X-Trace', '1') } },
        { request: { any: () => respond(401, { 'x-own': '2' }) } },
      )
      const response = await api.get('/notes')
      expect([response.headers.get('x-trace'), response.headers.get('x-own')]).toEqual(['1', '2'])
    })
  })

  it('may refuse by throwing an error of the catalog, in either phase', async () => {
    const { api, reported } = await guarded({
      request: {
        create: () => {
          throw refuse('forbidden', 'Only editors write notes.')
        },
        update: async () => {
          throw refuse('too-many-requests', 'Slow down.', undefined, {
            headers: { 'retry-after': '5' },
          })
        },
      },
      query: {
        getList: () => {
          throw refuse('forbidden', 'Only readers list notes.')
        },
      },
    })
    const created = await api.post('/notes', { note: { text: 'x' } })
    expect([created.status, created.errors[0]?.detail]).toEqual([403, 'Only editors write notes.'])
    const updated = await api.patch('/notes/n-1', { note: { text: 'x' } })
    expect([updated.status, updated.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await api.get('/notes')).errors[0]?.detail).toBe('Only readers list notes.')
    expect(reported).toEqual([])
  })

  it('sets headers of every response: success, no body, not modified, errors', async () => {
    const { api } = await guarded({
      request: { any: (context) => context.setHeader('X-Served-By', 'us') },
    })
    const { etag } = await api.get('/notes/n-1')
    const responses: [number, ClientResponse][] = [
      [200, await api.get('/notes')],
      [200, await api.get('/notes?page[size]=1')],
      [200, await api.get('/notes/n-1')],
      [200, await api.head('/notes/n-1')],
      [304, await api.get('/notes/n-1', { 'if-none-match': etag })],
      [201, await api.post('/notes', { note: { text: 'x' } })],
      [200, await api.patch('/notes/n-1', { note: { text: 'x' } })],
      [204, await api.delete('/notes/n-4')],
      [404, await api.get('/notes/nobody')],
      [400, await api.get('/notes?sort=nothing')],
      [422, await api.post('/notes', { note: {} })],
      [412, await api.delete('/notes/n-1', { 'if-match': '"x"' })],
    ]
    for (const [status, response] of responses) {
      expect(response.status).toBe(status)
      expect(response.headers.get('x-served-by'), `${status}`).toBe('us')
    }
  })

  it('shares state from hook to hook and to mappers, within one request alone', async () => {
    const { router } = service(await make(), [])
    router
      .prepare(Note)
      .use({
        request: {
          any: async (context) => void context.state.set('user', context.request.headers['x-user']),
        },
      })
      .use({
        request: {
          any: (context) => context.setHeader('x-hello', String(context.state.get('user'))),
        },
        query: {
          getList: (query, context) =>
            query.where('owner').equal(String(context.state.get('user'))),
        },
      })
      .map((note, context) => ({ ...note, reader: context.state.get('user') }), {
        adds: { reader: z.string() },
      })
    await router.load(Note, notes)
    const api = client(router)
    const users = ['mary', 'percy', 'claire']
    const responses = await Promise.all(users.map((user) => api.get('/notes', { 'x-user': user })))
    expect(responses.map((response) => response.headers.get('x-hello'))).toEqual(users)
    expect(responses.map((response) => response.ids('notes'))).toEqual([
      ['n-1', 'n-3', 'n-4'],
      ['n-2'],
      [],
    ])
    expect(responses[1]?.at('/notes/0/reader')).toBe('percy')
  })

  it('sees the request, its rule and the id of the path', async () => {
    const seen: unknown[] = []
    const { api } = await guarded({
      request: {
        any: ({ request, rule, id }) => {
          seen.push([
            request.method,
            request.path,
            request.query,
            request.headers['x-a'],
            rule.operation,
            id,
          ])
        },
      },
    })
    await api.get('/notes/n%2D1?fields[notes]=text', { 'X-A': 'b' })
    await api.get('/notes')
    expect(seen).toEqual([
      ['GET', '/notes/n%2D1', expect.stringContaining('=text'), 'b', 'GetItem', 'n-1'],
      ['GET', '/notes', '', undefined, 'GetList', undefined],
    ])
  })

  describe('phase 2 narrows, sorts, limits and skips', () => {
    it('GetList rule 1: filters, sorts, limits and skips through IQuery', async () => {
      const lists: [(query: IQuery) => IQuery, string[]][] = [
        [(query) => query, ['n-1', 'n-2', 'n-3', 'n-4']],
        [(query) => query.where('owner').equal('mary'), ['n-1', 'n-3', 'n-4']],
        [(query) => query.sort('rank').sort('text', 'desc'), ['n-4', 'n-3', 'n-2', 'n-1']],
        [(query) => query.limit(2), ['n-1', 'n-2']],
        [(query) => query.limit(2).limit(3).limit(5), ['n-1', 'n-2']],
        [(query) => query.skip(1).skip(2), ['n-4']],
        [(query) => query.sort('secretRank').skip(1).limit(2), ['n-4', 'n-1']],
        [(query) => query.limit(0), []],
      ]
      for (const [getList, ids] of lists) {
        const { api } = await guarded({ query: { getList } })
        expect((await api.get('/notes')).ids('notes')).toEqual(ids)
      }
    })

    it("applies after the client's own parameters, and only narrows them", async () => {
      const { api } = await guarded({
        query: { getList: (query) => query.where('owner').equal('mary').sort('rank').limit(2) },
      })
      expect((await api.get('/notes')).ids('notes')).toEqual(['n-3', 'n-4'])
      expect((await api.get('/notes?sort=-text')).ids('notes')).toEqual(['n-4', 'n-3'])
      expect((await api.get('/notes?filter[rank][gt]=1')).ids('notes')).toEqual(['n-1'])
      expect((await api.get('/notes?page[size]=10')).ids('notes')).toEqual(['n-3', 'n-4'])
      expect((await api.get('/notes?page[size]=1')).ids('notes')).toEqual(['n-3'])
      expect((await api.get('/notes?filter[owner]=percy')).ids('notes')).toEqual([])
    })

    it('an or() in one part cannot widen another: neither of the client nor of a later hook', async () => {
      const mine: Middleware = { query: { any: (query) => query.where('owner').equal('mary') } }
      const open: Middleware = {
        query: {
          any: (query) =>
            query.or(
              (part) => part.where('rank').equal(2),
              (part) => part.where('rank').greaterThan(0),
            ),
        },
      }
      for (const middleware of [[mine], [mine, open], [open, mine]]) {
        const { api } = await guarded(...middleware)
        const requests = [
          '/notes',
          "/notes?filter=or(eq(owner,'mary'),eq(owner,'percy'))",
          "/notes?filter=or(eq(owner,'percy'),not(eq(owner,'percy')))",
          "/notes?filter=not(and(eq(owner,'x'),eq(owner,'y')))",
        ]
        for (const path of requests)
          expect((await api.get(path)).ids('notes'), path).toEqual(['n-1', 'n-3', 'n-4'])
        expect((await api.get('/notes/n-2')).status).toBe(404)
        expect((await api.patch('/notes/n-2', { note: { text: 'x' } })).status).toBe(404)
        expect((await api.delete('/notes/n-2')).status).toBe(404)
      }
    })

    it('an or() without alternatives matches nothing', async () => {
      const { api } = await guarded({ query: { any: (query) => query.or() } })
      expect((await api.get('/notes')).ids('notes')).toEqual([])
      expect((await api.get('/notes/n-1')).status).toBe(404)
    })

    it('the id is applied last: an or() over ids finds no other item', async () => {
      const { api } = await guarded({
        query: {
          getItem: (query) =>
            query.or(
              (part) => part.where('id').equal('n-1'),
              (part) => part.where('id').equal('n-3'),
            ),
        },
      })
      expect((await api.get('/notes/n-3')).at('/note/id')).toBe('n-3')
      expect((await api.get('/notes/n-2')).status).toBe(404)
    })

    it('may sort by a hidden field, and no cursor reveals its values', async () => {
      const { api } = await guarded({ query: { getList: (query) => query.sort('secretRank') } })
      const seen: string[] = []
      let next: string | undefined = '/notes?page[size]=1'
      while (next) {
        const page: ClientResponse = await api.get(next)
        seen.push(...page.ids('notes'))
        next = page.link('next')
        const cursor =
          new URL(next ?? 'x:y', 'http://localhost').searchParams.get('page[after]') ?? ''
        expect(Buffer.from(cursor.slice(1), 'base64url').toString('latin1')).not.toMatch(
          /\[[1-4]0,/,
        )
      }
      expect(seen).toEqual(['n-3', 'n-4', 'n-1', 'n-2'])
    })

    const walk = async (api: Client, first: string, rel: string) => {
      const seen: string[] = []
      const pages: ClientResponse[] = []
      for (
        let next: string | undefined = first;
        next && pages.length < 20;
        next = pages.at(-1)?.link(rel)
      ) {
        pages.push(await api.get(next))
        seen.push(...(pages.at(-1)?.ids('notes') ?? []))
      }
      return { seen, pages }
    }

    it.each(['page[number]=1&page[size]=3', 'page[offset]=0&page[limit]=3', 'page[size]=3'])(
      'its limit leaves no gaps between pages: %s',
      async (start) => {
        const { api } = await guarded({ query: { getList: (query) => query.limit(2) } })
        const { seen } = await walk(api, `/notes?${start}`, 'next')
        expect(['n-1,n-2', 'n-1,n-2,n-3,n-4']).toContain(seen.join())
      },
    )

    it.each(['page[number]=1&page[size]=1', 'page[offset]=0&page[limit]=1', 'page[size]=1'])(
      'skipped items are on no page, forwards or backwards: %s',
      async (start) => {
        const { api } = await guarded({ query: { getList: (query) => query.skip(1) } })
        const { seen, pages } = await walk(api, `/notes?${start}`, 'next')
        expect(seen).toEqual(['n-2', 'n-3', 'n-4'])
        const back = await walk(api, pages.at(-1)?.link('prev') ?? '', 'prev')
        expect(back.seen).toEqual(['n-3', 'n-2'])
      },
    )

    it('a query hook of create is a condition for new items', async () => {
      const { api, router } = await guarded({
        query: { create: (query) => query.where('owner').equal('mary') },
      })
      expect((await api.post('/notes', { note: { text: 'x', owner: 'mary' } })).status).toBe(201)
      expect((await api.post('/notes', { note: { text: 'x', owner: 'percy' } })).status).toBe(403)
      expect(await router.query(Note).size()).toBe(5)
    })

    it('a query hook of create is checked by every write that changes an item, and by nothing else', async () => {
      const { api } = await guarded({
        query: {
          create: () => {
            throw refuse('forbidden', 'Nobody writes notes.')
          },
        },
      })
      expect((await api.post('/notes', { note: { text: 'x' } })).status).toBe(403)
      expect((await api.get('/notes')).status).toBe(200)
      expect((await api.get('/notes/n-1')).status).toBe(200)
      expect((await api.patch('/notes/n-1', { note: { text: 'x' } })).status).toBe(403)
      expect((await api.delete('/notes/n-1')).status).toBe(204)
    })

    it('cannot return anything but a query: an opaque 500, reported, and nothing is changed', async () => {
      for (const wrong of [undefined, null, true, {}]) {
        const { api, router, reported } = await guarded({
          query: { any: () => wrong as unknown as IQuery },
        })
        for (const [method, path, body] of requests)
          expect((await api.send(method, path, body)).status, `${method} ${wrong}`).toBe(500)
        expect(reported).toHaveLength(requests.length)
        expect(await router.query(Note).size()).toBe(4)
        expect(await router.query(Note).where('text').equal('changed').size()).toBe(0)
      }
    })

    it('cannot name a field that the model does not have: an opaque 500, reported', async () => {
      const { api, reported } = await guarded({
        query: { any: (query) => query.where('nothing').equal(1) },
      })
      const response = await api.get('/notes/n-1')
      expect([response.status, response.text.includes('nothing')]).toEqual([500, false])
      expect(reported).toHaveLength(1)
    })
  })

  describe('that throws', () => {
    it.each(requests)(
      'responds to %s %s with an opaque 500, reported once, and nothing is changed',
      async (method, path, body) => {
        for (const phase of ['request', 'query']) {
          const boom = () => {
            throw new Error('password is swordfish')
          }
          const { api, router, reported } = await guarded({ [phase]: { any: boom } })
          const response = await api.send(method, path, body)
          expect([response.status, response.errors.map((error) => error.code)]).toEqual([
            500,
            ['internal-error'],
          ])
          expect(response.text).not.toContain('swordfish')
          expect(reported).toEqual([expect.objectContaining({ message: 'password is swordfish' })])
          expect(await router.query(Note).size()).toBe(4)
        }
      },
    )
  })
})
