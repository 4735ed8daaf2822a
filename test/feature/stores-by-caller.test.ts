import { createRouter, model, refuse, type Store } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'
import { asUser, gateway, Person, twoStores } from '../support/two-stores.ts'

class Desk extends model('desk', { name: z.string() }) {}

const ada = asUser('ada@north')
const bob = asUser('bob@south')

describe.each(stores)('A store chosen by the caller ($name)', ({ make }) => {
  const service = async (options: Parameters<typeof twoStores>[1] = {}) => {
    const world = twoStores({ north: await make(), south: await make() }, options)
    onTestFinished(() => world.router.close())
    return world
  }
  const note = (id: string, title: string, rank = 0) => ({ note: { id, title, rank } })

  it('gives each caller the items of its own store, also where ids are equal', async () => {
    const { api } = await service()
    expect((await api.post('/notes', note('n', 'Northern'), ada)).status).toBe(201)
    expect((await api.get('/notes', bob)).ids('notes')).toEqual([])
    expect((await api.get('/notes/n', bob)).status).toBe(404)
    expect((await api.post('/notes', note('n', 'Southern'), bob)).status).toBe(201)
    expect((await api.get('/notes/n', ada)).at('/note/title')).toBe('Northern')
    expect((await api.get('/notes/n', bob)).at('/note/title')).toBe('Southern')
    expect((await api.delete('/notes/n', bob)).status).toBe(204)
    expect((await api.get('/notes', ada)).ids('notes')).toEqual(['n'])
  })

  it('finds no items of another store through relationships', async () => {
    const { api } = await service()
    await api.post('/shelves', { shelf: { id: 's', name: 'Northern' } }, ada)
    const linked = { note: { title: 'T', shelf: 's' } }
    const refused = await api.post('/notes', linked, bob)
    expect([refused.status, refused.errors[0]!.code]).toEqual([422, 'related-not-found'])
    expect((await api.post('/notes', linked, ada)).status).toBe(201)
  })

  it('has unique values in each store', async () => {
    const { api } = await service()
    const coded = { note: { title: 'T', code: 'c' } }
    expect((await api.post('/notes', coded, ada)).status).toBe(201)
    expect((await api.post('/notes', coded, bob)).status).toBe(201)
    expect((await api.post('/notes', coded, bob)).errors[0]!.code).toBe('value-taken')
  })

  it('keeps files in the blob store of the caller', async () => {
    const { api } = await service()
    for (const caller of [ada, bob]) await api.post('/notes', note('n', 'T'), caller)
    const put = await api.post('/notes/n/scan', 'of the north', {
      ...ada,
      'content-type': 'text/plain',
    })
    expect(put.status, put.text).toBe(200)
    expect((await api.get('/notes/n/scan', ada)).text).toBe('of the north')
    expect((await api.get('/notes/n/scan', bob)).status).toBe(404)
  })

  it('is only known to the service: caches keep no response for other callers', async () => {
    const { api } = await service()
    await api.post('/notes', note('n', 'T'), ada)
    for (const path of ['/notes', '/notes/n', '/shelves']) {
      const { headers } = await api.get(path, ada)
      expect(headers.get('cache-control'), path).toBe('private, no-cache')
      expect(headers.get('vary'), path).toBe('Accept, X-User')
    }
  })

  it('refuses cursors of another store', async () => {
    const { api } = await service()
    for (const caller of [ada, bob])
      for (const id of ['a', 'b', 'c']) await api.post('/notes', note(id, id), caller)
    for (const sort of ['title', 'shelf.name']) {
      const first = await api.get(`/notes?sort=${sort}&page[size]=1`, ada)
      const next = first.link('next')!
      expect((await api.get(next, ada)).ids('notes')).toHaveLength(1)
      const refused = await api.get(next, bob)
      expect([refused.status, refused.errors[0]!.code], sort).toEqual([400, 'invalid-cursor'])
    }
  })

  it('refuses positions in the changes of another store', async () => {
    const { api } = await service({ changes: true })
    const { next } = (await api.get('/notes/changes', ada)).body as { readonly next: string }
    expect((await api.get(`/notes/changes?since=${next}`, ada)).status).toBe(200)
    const refused = await api.get(`/notes/changes?since=${next}`, bob)
    expect(refused.status, refused.text).toBe(400)
    const stream = await api.get('/notes/changes', {
      ...bob,
      accept: 'text/event-stream',
      'last-event-id': next,
    })
    expect(stream.status, stream.text).toBe(400)
  })

  it('keeps results of requests for the caller of the store only', async () => {
    const { api } = await service({ idempotency: true })
    const same = { 'idempotency-key': '"k"' }
    // Two callers with one id, as of two clusters.
    const north = { ...asUser('eve@north'), ...same }
    const south = { ...asUser('eve@south'), ...same }
    const first = await api.post('/notes', { note: { title: 'T' } }, north)
    expect(first.status).toBe(201)
    const repeated = await api.post('/notes', { note: { title: 'T' } }, north)
    expect(repeated.at('/note/id')).toBe(first.at('/note/id'))
    const other = await api.post('/notes', { note: { title: 'T' } }, south)
    expect(other.status).toBe(201)
    expect(other.at('/note/id')).not.toBe(first.at('/note/id'))
    expect((await api.get('/notes', south)).ids('notes')).toHaveLength(1)
  })

  it('is called once a request, after one authentication', async () => {
    const authenticator = gateway()
    const callers: (Person | undefined)[] = []
    const { api, router } = await service({
      authenticator,
      store: (caller) => {
        callers.push(caller)
        return caller?.group as 'north'
      },
    })
    // Code in the name of the request asks no more.
    let shelfCount: number | undefined
    router.prepare(Desk)
    router.use({
      request: {
        create: async (context) => {
          shelfCount = (await router.items(Desk, { as: context }).all()).length
        },
      },
    })
    expect((await api.get('/notes', ada)).status).toBe(200)
    expect((await api.post('/notes', note('n', 'T'), ada)).status).toBe(201)
    expect(callers).toEqual([
      { id: 'ada', group: 'north' },
      { id: 'ada', group: 'north' },
    ])
    expect([authenticator.count, shelfCount]).toEqual([2, 0])
  })

  it('is not asked for where a request needs no store', async () => {
    const authenticator = gateway()
    let calls = 0
    const { api } = await service({
      authenticator,
      docsPage: true,
      store: () => {
        calls++
        return 'north'
      },
    })
    expect((await api.get('/nothing', ada)).status).toBe(404)
    expect((await api.delete('/notes', ada)).status).toBe(405)
    expect((await api.options('/notes')).status).toBe(204)
    expect((await api.get('/openapi.json')).status).toBe(200)
    const crossSite = { ...ada, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await api.post('/notes', note('n', 'T'), crossSite)).errors[0]!.code).toBe(
      'cross-site-request',
    )
    expect((await api.get('/notes', asUser('!'))).errors[0]!.code).toBe('invalid-credentials')
    expect([calls, authenticator.count]).toEqual([0, 1])
  })

  it('refuses a caller without a store', async () => {
    const { api, errors } = await service()
    const anonymous = await api.get('/notes')
    expect([anonymous.status, anonymous.errors[0]]).toMatchObject([
      401,
      { code: 'unauthorized', detail: 'Sign in: there is no data for anonymous clients.' },
    ])
    const stranger = await api.post('/notes', note('n', 'T'), asUser('eve'))
    expect([stranger.status, stranger.errors[0]]).toMatchObject([
      403,
      { code: 'forbidden', detail: 'There is no data for you in this service.' },
    ])
    expect(stranger.headers.get('cache-control')).toBe('no-store')
    expect(errors).toEqual([])
  })

  it('lets pages of other origins read every response, also before a store is open', async () => {
    const origin = 'https://shop.example'
    const { api } = await service({
      security: {
        authentication: [gateway()],
        callerSchema: Person,
        cors: { origins: [origin] },
      },
    })
    for (const [caller, status] of [
      [{}, 401],
      [asUser('eve'), 403],
      [ada, 200],
    ] as const) {
      const response = await api.get('/notes', { ...caller, origin })
      expect(response.status).toBe(status)
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    }
    const preflight = await api.send('OPTIONS', '/notes', undefined, {
      origin,
      'access-control-request-method': 'POST',
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  })

  it('has one start page, for whoever is not signed in', async () => {
    const { api } = await service({ startPage: true })
    const page = await api.get('/', { accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
  })

  it.each<[string, () => unknown, string]>([
    ['an unknown name', () => 'secret-east', "returned 'secret-east'"],
    ['a name of an object', () => '__proto__', "returned '__proto__'"],
    ['no name', () => null, 'returned null'],
    ['a promise', async () => 'north', 'returned a promise'],
    [
      'an error',
      () => {
        throw new Error('secret-east is away')
      },
      'threw Error: secret-east is away',
    ],
  ])('reports %s, and the client does not see it', async (_, store, message) => {
    const { api, errors } = await service({ store: store as () => 'north' })
    const response = await api.get('/notes', ada)
    expect(response.status).toBe(500)
    expect(response.text).not.toMatch(/secret|__proto__|promise|null|south/)
    expect(errors.map((error) => (error as Error).message)).toEqual([
      `The function 'store' of createRouter() ${message}; expected 'north' and 'south', or undefined for a caller without a store.`,
    ])
  })

  it('may be refused with what the service throws', async () => {
    const { api, errors } = await service({
      store: () => refuse('forbidden', 'Your group has moved.'),
    })
    const response = await api.get('/notes', ada)
    expect([response.status, response.errors[0]!.detail]).toEqual([403, 'Your group has moved.'])
    expect(errors).toEqual([])
  })
})

const describesAlike = (north: Store, south: Store) => {
  const shared = {
    policy: rest(),
    security: { authentication: [gateway()], callerSchema: Person },
    changes: true,
    idempotency: true,
  }
  const byCaller = createRouter({ ...shared, stores: { north, south }, store: () => 'north' })
  byCaller.prepare(Desk)
  return byCaller
}

describe('The document of a router with several stores', () => {
  it('is one and the same for all stores, whatever each of them can do', async () => {
    const plain = memory()
    const strict: Store = { ...memory(), facts: { hasUnknownOutcomes: true } }
    const oneWay = describesAlike(plain, strict)
    const otherWay = describesAlike(memory(), strict)
    expect(oneWay.toOpenApi()).toEqual(otherWay.toOpenApi())
    expect(JSON.stringify(oneWay.toOpenApi())).toContain('outcome-unknown')
    const api = client(oneWay)
    expect((await api.get('/desks', ada)).status).toBe(200)
    await oneWay.close()
  })

  it('has what a caller without a store gets', async () => {
    const { responses } = describesAlike(memory(), memory()).toOpenApi().paths['/desks']!.get!
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']))
  })
})
