import { field, hash, type Middleware, model, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

/** Secret houses and rooms exist, but are hidden from callers. */
const House = model('house', {
  name: z.string(),
  secret: field(z.boolean().default(false), { hidden: true }),
  rooms: toMany('room', { inverse: 'house' }),
})
const Room = model('room', {
  name: z.string(),
  rank: z.int().default(0),
  secret: field(z.boolean().default(false), { hidden: true }),
  house: toOne('house', { optional: true }),
  doors: toMany('room'),
  hash: hash(),
})
const Key = model('key', { code: z.string(), room: toOne('room') }, { upsert: true })

const noSecrets: Middleware = { query: { getItem: (query) => query.where('secret').equal(false) } }

const houses = [
  { id: 'h-1', name: 'Open' },
  { id: 'h-2', name: 'Manderley', secret: true },
]
const rooms = [
  { id: 'r-1', name: 'Hall', rank: 1, house: 'h-1', doors: ['r-2', 'r-3'] },
  { id: 'r-2', name: 'Vault', rank: 2, secret: true, house: 'h-1', doors: ['r-3'] },
  { id: 'r-3', name: 'Attic', rank: 3, house: 'h-2' },
  { id: 'r-4', name: 'Cellar', rank: 4 },
]

describe.each(stores)('No back door: items that a query hook hides, on $name', ({ make }) => {
  let api: Client
  /** What is stored, whoever asks. */
  let stored: (id: string) => Promise<unknown>

  beforeEach(async () => {
    const { router } = service(await make(), [])
    router.prepare(House).use(noSecrets)
    router.prepare(Room).use(noSecrets)
    router
      .prepare(Key)
      .use({ query: { getItem: (query) => query.where('code').notEqual('secret') } })
    await router.load(House, houses)
    await router.load(Room, rooms)
    await router.load(Key, [
      { id: 'k-1', code: 'open', room: 'r-1' },
      { id: 'k-2', code: 'secret', room: 'r-1' },
      { id: 'k-3', code: 'vault', room: 'r-2' },
    ])
    api = client(router)
    stored = async (id) => {
      for await (const room of router.query(Room).where('id').equal(id).exec()) return room
      return undefined
    }
  })

  it.each([
    ['GET', undefined, {}],
    ['GET', undefined, { 'if-none-match': '*' }],
    ['HEAD', undefined, {}],
    ['PATCH', { room: { name: 'x' } }, {}],
    ['PATCH', { room: { name: 'x' } }, { 'if-match': '*' }],
    ['PATCH', { room: { name: 'x' } }, { 'if-match': '"x"' }],
    ['PATCH', { room: { name: 5 } }, {}],
    ['PATCH', { room: { unknown: 5 } }, {}],
    ['PATCH', { room: { id: 'other' } }, {}],
    ['PATCH', { room: { house: 'nowhere' } }, {}],
    ['PATCH', { room: { house: { id: 'h-1' } } }, {}],
    ['PATCH', 'nonsense', {}],
    ['PUT', { room: { name: 'x' } }, {}],
    ['PUT', { room: { name: 'x' } }, { 'if-none-match': '*' }],
    ['PUT', { room: {} }, {}],
    ['DELETE', undefined, {}],
    ['DELETE', undefined, { 'if-match': '"x"' }],
  ] as const)(
    '%s with %j and %j gets the same response as for a missing item',
    async (method, body, headers) => {
      const before = await stored('r-2')
      const hidden = await api.send(method, '/rooms/r-2', body, headers)
      const missing = await api.send(method, '/rooms/r-9', body, headers)
      expect([hidden.status, hidden.text.replaceAll('r-2', 'ID')]).toEqual([
        missing.status,
        missing.text.replaceAll('r-9', 'ID'),
      ])
      expect([...hidden.headers].filter(([name]) => name !== 'content-length')).toEqual(
        [...missing.headers].filter(([name]) => name !== 'content-length'),
      )
      expect([400, 404, 422]).toContain(hidden.status)
      expect(await stored('r-2')).toEqual(before)
    },
  )

  it('are 404 on GET, PATCH, PUT and DELETE', async () => {
    expect((await api.get('/rooms/r-2')).status).toBe(404)
    expect((await api.patch('/rooms/r-2', { room: { name: 'x' } })).status).toBe(404)
    expect((await api.put('/rooms/r-2', { room: { name: 'x' } })).status).toBe(404)
    expect((await api.delete('/rooms/r-2')).status).toBe(404)
  })

  it('are absent from lists and counts, whatever the parameters', async () => {
    expect((await api.get('/rooms')).ids('rooms')).toEqual(['r-1', 'r-3', 'r-4'])
    for (const query of [
      'filter[id]=r-2',
      'filter[name]=Vault',
      "filter=or(eq(name,'Vault'),eq(id,'r-2'))",
      'filter[rank]=2',
    ])
      expect((await api.get(`/rooms?${query}`)).ids('rooms'), query).toEqual([])
    expect((await api.get('/rooms?withCount=true&page[size]=1')).at('/meta/page/total')).toBe(3)
    expect((await api.get('/rooms?withCount=true&filter[name]=Vault')).at('/meta/page/total')).toBe(
      0,
    )
    expect((await api.get('/rooms?page[number]=2&page[size]=1')).ids('rooms')).toEqual(['r-3'])
  })

  it('are absent from relation members, in items and in lists', async () => {
    expect((await api.get('/rooms/r-1')).at('/room/doors')).toEqual(['r-3'])
    expect((await api.get('/rooms/r-3')).at('/room/house')).toBeNull()
    expect((await api.get('/rooms')).text).not.toMatch(/"r-2"|"h-2"/)
    expect((await api.get('/rooms?include=house,doors')).text).not.toMatch(
      /"r-2"|"h-2"|Manderley|Vault/,
    )
    expect((await api.patch('/rooms/r-1', { room: { rank: 9 } })).text).not.toContain('"r-2"')
  })

  it.each([
    ['filter[house.name]=Manderley', []],
    ['filter[house.name][startsWith]=M', []],
    ['filter[house.name][gt]=A', ['r-1']],
    ['filter[house.name][isNull]=true', ['r-3', 'r-4']],
    ['filter[house]=h-2', []],
    ['filter[house][ne]=h-1', ['r-3', 'r-4']],
    ['filter[house][in]=h-2', []],
    ['filter[house][isNull]=true', ['r-3', 'r-4']],
    ['filter[house.id]=h-2', []],
    ['filter[house.id][isNull]=true', ['r-3', 'r-4']],
    ['filter[doors][any]=r-2', []],
    ['filter[doors][any]=r-2,r-3', ['r-1']],
    ['filter[doors][all]=r-2,r-3', []],
    ["filter=not(eq(house.name,'Manderley'))", ['r-1', 'r-3', 'r-4']],
    ["filter=or(eq(house.name,'Manderley'),eq(house,'h-2'))", []],
  ])('cannot be found out by the filter %s', async (query, ids) => {
    const response = await api.get(`/rooms?${query}`)
    expect([response.status, response.ids('rooms')]).toEqual([200, ids])
  })

  it('cannot be found out by filters through the inverse side of a relation', async () => {
    expect((await api.get('/houses?filter[rooms][any]=r-2')).ids('houses')).toEqual([])
    expect((await api.get('/houses?filter[rooms][any]=r-1,r-2')).ids('houses')).toEqual(['h-1'])
    expect((await api.get('/houses?filter[rooms][all]=r-1,r-2')).ids('houses')).toEqual([])
  })

  it('cannot be found out by sorts through a relation, nor by their cursors', async () => {
    // Behind a hidden house everything reads as null, the smallest value, and ties come by id.
    for (const sort of ['house.name', 'house.id']) {
      expect((await api.get(`/rooms?sort=${sort}`)).ids('rooms'), sort).toEqual([
        'r-3',
        'r-4',
        'r-1',
      ])
      expect((await api.get(`/rooms?sort=-${sort}`)).ids('rooms'), sort).toEqual([
        'r-1',
        'r-4',
        'r-3',
      ])
    }
    const page = await api.get('/rooms?sort=house.name&page[size]=1')
    const cursor =
      new URL(page.link('next') ?? '', 'http://localhost').searchParams.get('page[after]') ?? ''
    expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('Manderley')
  })

  it('cannot be related to: 422, in the words for a missing item', async () => {
    const responseTo = async (id: string) => {
      const responses = [
        await api.post('/rooms', { room: { name: 'x', house: id } }),
        await api.patch('/rooms/r-4', { room: { house: id } }),
        await api.put('/rooms/r-4', { room: { name: 'x', house: id } }),
        await api.patch('/rooms/r-4', { room: { doors: [id] } }),
      ]
      expect(responses.map((response) => response.status)).toEqual([422, 422, 422, 422])
      return responses.map((response) => response.text.replaceAll(id, 'ID'))
    }
    expect(await responseTo('h-2')).toEqual(await responseTo('h-9'))
  })

  it.each(['PATCH', 'PUT'])(
    'cannot be found out by sending links to them by %s: stored links are refused like unknown ones',
    async (method) => {
      const responseTo = async (id: string) => {
        const responses = [
          await api.send(method, '/rooms/r-1', {
            room: { name: 'Hall', house: 'h-1', doors: [id, 'r-3'] },
          }),
          await api.send(method, '/rooms/r-1', { room: { name: 5, doors: [id] } }),
          await api.send(method, '/keys/k-3', { key: { code: 'vault', room: id } }),
        ]
        expect(responses.map((response) => response.status)).toEqual([422, 422, 422])
        return responses.map((response) => response.text.replaceAll(id, 'ID'))
      }
      expect(await responseTo('r-2')).toEqual(await responseTo('r-9'))
      expect(await stored('r-1')).toMatchObject({ doors: ['r-2', 'r-3'] })
    },
  )

  it.each(['PATCH', 'PUT'])(
    'do not change the order of a relation that %s sets',
    async (method) => {
      for (const doors of [['r-3', 'r-4', 'r-1'], ['r-4', 'r-1', 'r-3'], ['r-1']]) {
        const response = await api.send(method, '/rooms/r-1', {
          room: { name: 'Hall', house: 'h-1', doors },
        })
        expect(response.at('/room/doors')).toEqual(doors)
        expect(((await stored('r-1')) as { doors: readonly string[] }).doors.toSorted()).toEqual(
          [...doors, 'r-2'].toSorted(),
        )
      }
    },
  )

  it('stay related when an item is sent back without them', async () => {
    const { body } = await api.get('/rooms/r-1')
    const patched = await api.patch('/rooms/r-1', { room: { rank: 7 } })
    expect(patched.status).toBe(200)
    expect(await stored('r-1')).toMatchObject({ doors: ['r-2', 'r-3'], rank: 7 })
    expect(body).toMatchObject({ room: { doors: ['r-3'] } })
  })

  it.each(['PATCH', 'PUT'])(
    'stay related when %s sends an item back as it was received',
    async (method) => {
      for (const id of ['r-1', 'r-3']) {
        const before = await stored(id)
        const { body } = await api.get(`/rooms/${id}`)
        expect((await api.send(method, `/rooms/${id}`, body)).status).toBe(200)
        expect(await stored(id)).toEqual(before)
      }
    },
  )

  it.each(['PATCH', 'PUT'])(
    'do not prevent sending back an item that requires them by %s',
    async (method) => {
      const { body } = await api.get('/keys/k-3')
      expect(body).toEqual({ key: { id: 'k-3', code: 'vault', room: null } })
      expect((await api.send(method, '/keys/k-3', body)).status).toBe(200)
      expect((await api.patch('/keys/k-3', { key: { code: 'other' } })).status).toBe(200)
    },
  )

  it('are not overwritten or created again by an upsert', async () => {
    for (const headers of [{}, { 'if-none-match': '*' }]) {
      const response = await api.put('/keys/k-2', { key: { code: 'mine', room: 'r-1' } }, headers)
      expect([404, 409, 412]).toContain(response.status)
    }
    expect((await api.get('/keys/k-2')).status).toBe(404)
  })

  it('cannot be created again under their id', async () => {
    expect((await api.post('/rooms', { room: { id: 'r-2', name: 'x' } })).status).toBe(409)
    expect(await stored('r-2')).toMatchObject({ name: 'Vault' })
  })
})

describe.each(stores)('No back door: what each query hook hides, on $name', ({ make }) => {
  const Note = model('note', { text: z.string(), open: z.boolean().default(true) })

  const statuses = async (middleware: Middleware) => {
    const { router } = service(await make(), [])
    router.prepare(Note).use(middleware)
    await router.load(
      Note,
      ['n-1', 'n-2', 'n-3', 'n-4'].map((id) => ({ id, text: id, open: false })),
    )
    const api = client(router)
    return {
      listed: (await api.get('/notes')).ids('notes').length,
      get: (await api.get('/notes/n-1')).status,
      patch: (await api.patch('/notes/n-2', { note: { text: 'x' } })).status,
      put: (await api.put('/notes/n-3', { note: { text: 'x', open: false } })).status,
      delete: (await api.delete('/notes/n-4')).status,
    }
  }
  const onlyOpen: NonNullable<NonNullable<Middleware['query']>['any']> = (query) =>
    query.where('open').equal(true)

  const open = { listed: 4, get: 200, patch: 200, put: 200, delete: 204 }

  it.each([
    ['any', { listed: 0, get: 404, patch: 404, put: 404, delete: 404 }],
    ['getItem', { listed: 0, get: 404, patch: 404, put: 404, delete: 404 }],
    ['read', { listed: 0, get: 404, patch: 404, put: 404, delete: 404 }],
    ['write', { ...open, patch: 403, put: 403, delete: 403 }],
    ['update', { ...open, patch: 403, put: 403, delete: 403 }],
    ['getList', { ...open, listed: 0 }],
    ['patch', { ...open, patch: 403 }],
    ['put', { ...open, put: 403 }],
    ['replace', { ...open, put: 403 }],
    ['delete_', { ...open, delete: 403 }],
    ['create', { ...open, patch: 403, put: 403 }],
  ] as const)(
    '%s hides the item from the right operations, and no others',
    async (hook, expected) => {
      expect(await statuses({ query: { [hook]: onlyOpen } })).toEqual(expected)
    },
  )
})
