import { type Hook, type Middleware, model, printRules } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const BookCategory = model('bookCategory', { name: z.string(), rank: z.int().optional() })

const hooks: readonly Hook[] = [
  'any',
  'getList',
  'getItem',
  'create',
  'patch',
  'update',
  'put',
  'replace',
  'delete_',
]

/**
 * The table of the specification; `beside` are the guards of the design, which run in both phases.
 */
const operations: readonly {
  name: string
  method: string
  path: string
  body?: unknown
  status: number
  hooks: readonly Hook[]
  beside: readonly Hook[]
}[] = [
  {
    name: 'GetList',
    method: 'GET',
    path: '/bookCategories',
    status: 200,
    hooks: ['getList'],
    beside: ['getItem'],
  },
  {
    name: 'GetItem',
    method: 'GET',
    path: '/bookCategories/c-1',
    status: 200,
    hooks: ['getItem'],
    beside: [],
  },
  {
    name: 'CreateItem',
    method: 'POST',
    path: '/bookCategories',
    body: { bookCategory: { id: 'c-2', name: 'Poetry' } },
    status: 201,
    hooks: ['create'],
    beside: [],
  },
  {
    name: 'UpdateItem',
    method: 'PATCH',
    path: '/bookCategories/c-1',
    body: { bookCategory: { rank: 2 } },
    status: 200,
    hooks: ['patch', 'update'],
    beside: ['getItem'],
  },
  {
    name: 'ReplaceItem',
    method: 'PUT',
    path: '/bookCategories/c-1',
    body: { bookCategory: { name: 'Drama' } },
    status: 200,
    hooks: ['put', 'replace'],
    beside: ['getItem', 'update'],
  },
  {
    name: 'DeleteItem',
    method: 'DELETE',
    path: '/bookCategories/c-1',
    status: 204,
    hooks: ['delete_'],
    beside: ['getItem', 'update'],
  },
]

describe.each(stores)('The six operations, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    const fixture = service(await make(), [BookCategory])
    await fixture.router.load(BookCategory, [{ id: 'c-1', name: 'Novels', rank: 1 }])
    api = fixture.api
  })

  it('a registered model has all six, at its plural and below', () => {
    const { router } = service({} as never, [BookCategory])
    expect(
      printRules(router.rules)
        .split('\n')
        .map((line) => line.replaceAll(/ +/g, ' ')),
    ).toEqual([
      'GET /bookCategories GetList',
      'QUERY /bookCategories GetList',
      'POST /bookCategories CreateItem',
      'GET /bookCategories/:id GetItem',
      'PATCH /bookCategories/:id UpdateItem',
      'PUT /bookCategories/:id ReplaceItem',
      'DELETE /bookCategories/:id DeleteItem',
    ])
    expect(Object.isFrozen(router.rules)).toBe(true)
    for (const rule of router.rules) expect(Object.isFrozen(rule)).toBe(true)
  })

  it.each(operations)(
    '$name: $method $path responds with $status',
    async ({ method, path, body, status }) => {
      expect((await api.send(method, path, body)).status).toBe(status)
    },
  )

  it('GetList: the list stands under the plural key', async () => {
    expect((await api.get('/bookCategories')).body).toEqual({
      bookCategories: [{ id: 'c-1', name: 'Novels', rank: 1 }],
    })
  })

  it('GetList: an empty collection is an empty list', async () => {
    await api.delete('/bookCategories/c-1')
    expect((await api.get('/bookCategories')).body).toEqual({ bookCategories: [] })
  })

  it('GetItem: the item stands under the singular key', async () => {
    expect((await api.get('/bookCategories/c-1')).body).toEqual({
      bookCategory: { id: 'c-1', name: 'Novels', rank: 1 },
    })
  })

  it('CreateItem: responds with the created item', async () => {
    const response = await api.post('/bookCategories', {
      bookCategory: { id: 'c-2', name: 'Poetry' },
    })
    expect(response.body).toEqual({ bookCategory: { id: 'c-2', name: 'Poetry' } })
  })

  it('UpdateItem: responds with the full updated item', async () => {
    const response = await api.patch('/bookCategories/c-1', { bookCategory: { rank: 2 } })
    expect(response.body).toEqual({ bookCategory: { id: 'c-1', name: 'Novels', rank: 2 } })
  })

  it('ReplaceItem: responds with the replaced item', async () => {
    const response = await api.put('/bookCategories/c-1', { bookCategory: { name: 'Drama' } })
    expect(response.body).toEqual({ bookCategory: { id: 'c-1', name: 'Drama' } })
  })

  it('DeleteItem: responds with an empty body', async () => {
    expect((await api.delete('/bookCategories/c-1')).text).toBe('')
  })

  describe('hooks', () => {
    /** A service whose middleware records the hooks that run. */
    const watched = async (...middleware: ((log: string[]) => Middleware)[]) => {
      const log: string[] = []
      const { router } = service(await make(), [])
      const prepared = router.prepare(BookCategory)
      for (const entry of middleware) prepared.use(entry(log))
      await router.load(BookCategory, [{ id: 'c-1', name: 'Novels' }])
      return { api: client(router), log }
    }

    const everyHook =
      (names: readonly Hook[], label = '') =>
      (log: string[]): Middleware => ({
        request: Object.fromEntries(
          names.map((name) => [name, () => void log.push(`${label}1 ${name}`)]),
        ),
        query: Object.fromEntries(
          names.map((name) => [
            name,
            (query) => {
              log.push(`${label}2 ${name}`)
              return query
            },
          ]),
        ),
      })

    const phase = (log: readonly string[], number: 1 | 2) =>
      [...new Set(log)]
        .filter((line) => line.includes(`${number} `))
        .map((line) => line.replace(`${number} `, ''))

    it.each(operations)(
      '$name runs any and $hooks, in phase 1 and in phase 2',
      async (operation) => {
        const { api: own, log } = await watched(everyHook(hooks))
        expect((await own.send(operation.method, operation.path, operation.body)).status).toBe(
          operation.status,
        )
        expect(phase(log, 1)).toEqual(['any', ...operation.beside, ...operation.hooks])
        // Query hooks of `create` are checked after every change of an item.
        const outcome = ['UpdateItem', 'ReplaceItem'].includes(operation.name) ? ['create'] : []
        expect(phase(log, 2)).toEqual(['any', ...operation.beside, ...operation.hooks, ...outcome])
      },
    )

    it.each(operations)(
      '$name runs phase 1 wholly before phase 2 (shared behaviour 1)',
      async (operation) => {
        const { api: own, log } = await watched(everyHook(hooks, 'a'), everyHook(hooks, 'b'))
        await own.send(operation.method, operation.path, operation.body)
        const phases = log.map((line) => line.charAt(1))
        expect(phases).toEqual(phases.toSorted())
        expect(new Set(phases)).toEqual(new Set(['1', '2']))
      },
    )

    it.each(operations)(
      '$name runs each hook in the order of registration, any first',
      async (operation) => {
        const { api: own, log } = await watched(
          everyHook(operation.hooks, 'a'),
          everyHook(['any'], 'b'),
          everyHook(operation.hooks, 'c'),
        )
        await own.send(operation.method, operation.path, operation.body)
        const ran = [...new Set(log)]
        for (const number of [1, 2]) {
          expect(ran.find((line) => line.includes(`${number} `))).toBe(`b${number} any`)
          for (const hook of operation.hooks)
            expect(ran.filter((line) => line.endsWith(`${number} ${hook}`))).toEqual([
              `a${number} ${hook}`,
              `c${number} ${hook}`,
            ])
        }
      },
    )

    it.each([
      ['PATCH', { bookCategory: {} }, 'update', 'patch'],
      ['PUT', { bookCategory: { name: 'x' } }, 'replace', 'put'],
    ] as const)(
      '%s runs its two hooks in the order of registration, whatever their names',
      async (method, body, first, second) => {
        const { api: own, log } = await watched(everyHook([first], 'a'), everyHook([second], 'b'))
        await own.send(method, '/bookCategories/c-1', body)
        expect(log.filter((line) => line.includes('1 '))).toEqual([`a1 ${first}`, `b1 ${second}`])
      },
    )

    it('HEAD runs the hooks of GET', async () => {
      const { api: own, log } = await watched(everyHook(hooks))
      await own.head('/bookCategories/c-1')
      await own.head('/bookCategories')
      expect(phase(log, 1)).toEqual(['any', 'getItem', 'getList'])
    })

    it('of router.use run for every model, before those of the model, which run for it alone', async () => {
      const Other = model('other', { name: z.string() })
      const log: string[] = []
      const { router } = service(await make(), [Other])
      router.prepare(BookCategory).use(everyHook(['any'], 'own ')(log))
      router.use(everyHook(['any'], 'shared ')(log))
      const own = client(router)
      await own.get('/bookCategories')
      expect(log).toEqual(['shared 1 any', 'own 1 any', 'shared 2 any', 'own 2 any'])
      log.length = 0
      await own.get('/others')
      expect(log).toEqual(['shared 1 any', 'shared 2 any'])
    })
  })

  describe('names', () => {
    it.each([
      ['book', 'books'],
      ['bookCategory', 'bookCategories'],
      ['person', 'people'],
      ['wolf', 'wolves'],
      ['box', 'boxes'],
      ['analysis', 'analyses'],
      ['userAddress', 'userAddresses'],
      ['salesPerson', 'salesPeople'],
    ])('the plural of %s is %s: path segment and list key', async (singular, plural) => {
      const { api: own } = service(await make(), [model(singular, { name: z.string().optional() })])
      expect((await own.get(`/${plural}`)).body).toEqual({ [plural]: [] })
      const response = await own.post(`/${plural}`, { [singular]: { id: 'x' } })
      expect(response.body).toEqual({ [singular]: { id: 'x' } })
      expect(response.headers.get('location')).toBe(`/${plural}/x`)
    })

    it('the plural is the one that the model declares, if it does', async () => {
      const Data = model('datum', { name: z.string().optional() }, { plural: 'measurements' })
      const { api: own } = service(await make(), [Data])
      expect((await own.get('/measurements')).body).toEqual({ measurements: [] })
      expect((await own.get('/data')).status).toBe(404)
    })

    it('have one spelling: other spellings are 404', async () => {
      for (const path of [
        '/bookcategories',
        '/BookCategories',
        '/book-categories',
        '/bookCategory',
        '/bookCategories/',
        '/bookCategories/c-1/',
        '//bookCategories',
        '/bookCategories/c-1/name',
      ])
        expect((await api.get(path)).status, path).toBe(404)
    })
  })

  it('are mounted below basePath, and nowhere else', async () => {
    const { api: own } = service(await make(), [BookCategory], { basePath: '/api/v1' })
    expect((await own.get('/api/v1/bookCategories')).status).toBe(200)
    for (const path of [
      '/bookCategories',
      '/api/bookCategories',
      '/api/v1',
      '/api/v1bookCategories',
      '/API/v1/bookCategories',
    ])
      expect((await own.get(path)).status, path).toBe(404)
    const created = await own.post('/api/v1/bookCategories', {
      bookCategory: { id: 'c-2', name: 'x' },
    })
    expect(created.headers.get('location')).toBe('/api/v1/bookCategories/c-2')
  })
})
