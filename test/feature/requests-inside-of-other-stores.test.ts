import { model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { stores } from '../support/stores.ts'
import { asUser, Note, Shelf, twoStores } from '../support/two-stores.ts'

const ada = asUser('ada@north')
const bob = asUser('bob@south')
type World = ReturnType<typeof twoStores>

const titles = async ({ router }: World, name: 'north' | 'south') =>
  (await router.inStore(name).items(Note).all()).map(({ title }) => title).sort()

describe.each(stores)('A request inside of the code of another store ($name)', ({ make }) => {
  const service = async () => {
    const world = twoStores({ north: await make(), south: await make() })
    onTestFinished(() => world.router.close())
    const { router, api } = world
    router.prepare(model('inner', { title: z.string() })).use({
      request: {
        create: async (context) => {
          await router.items(Shelf, { as: context }).create({ name: 'of the request' })
        },
      },
      write: {
        before: async () => {
          await router.items(Note).create({ title: 'of the hook' })
        },
      },
    })
    router.prepare(model('outer', { title: z.string() })).use({
      write: {
        before: async () => {
          const inner = await api.post('/inners', { inner: { title: 'x' } }, bob)
          expect(inner.status, inner.text).toBe(201)
          await router.items(Note).create({ title: 'of the outer hook' })
        },
      },
    })
    return world
  }
  const expectInSouth = async (world: World) => {
    expect(world.errors).toEqual([])
    expect(await titles(world, 'south')).toEqual(['of the hook'])
    expect(await world.router.inStore('south').query(Shelf).size()).toBe(1)
    expect(await world.router.inStore('north').query(Shelf).size()).toBe(0)
  }

  it('uses the store of its own caller, where a write hook sends it', async () => {
    const world = await service()
    const { status, text } = await world.api.post('/outers', { outer: { title: 't' } }, ada)
    expect(status, text).toBe(201)
    await expectInSouth(world)
    expect(await titles(world, 'north')).toEqual(['of the outer hook'])
  })

  it('uses the store of its own caller, where a transaction sends it', async () => {
    const world = await service()
    const { router, api } = world
    await router.inStore('north').transaction(async () => {
      const inner = await api.post('/inners', { inner: { title: 'x' } }, bob)
      expect(inner.status, inner.text).toBe(201)
    })
    await expectInSouth(world)
    expect(await titles(world, 'north')).toEqual([])
  })

  it('cannot use the transaction that it is sent from without naming a store', async () => {
    const world = await service()
    const { router, api, errors } = world
    router.use({ request: { getList: async () => void router.items(Note) } })
    await router.inStore('north').transaction(async () => {
      expect((await api.get('/shelves', bob)).status).toBe(500)
    })
    expect(String(errors[0])).toContain('needs to know which one')
  })

  it('runs hooks in their own store, where code uses items of another one', async () => {
    const world = await service()
    const { router } = world
    const Leaf = model('leaf', { title: z.string() })
    router.prepare(Leaf).use({
      write: { before: async () => void (await router.items(Note).create({ title: 'of leaf' })) },
    })
    const leaves = router.inStore('south').items(Leaf)
    await router.inStore('north').transaction(async () => {
      await leaves.create({ title: 'x' })
    })
    expect([await titles(world, 'north'), await titles(world, 'south')]).toEqual([[], ['of leaf']])
  })
})

describe('The function that chooses the store', () => {
  /** Names another store each time, and calls of hooks in the name of their requests. */
  const asking = (options: Parameters<typeof twoStores>[1]) => {
    const names: string[] = []
    const world = twoStores(
      { north: memory(), south: memory() },
      {
        ...options,
        store: () => {
          names.push('asked')
          return names.length % 2 === 1 ? 'north' : 'south'
        },
      },
    )
    onTestFinished(() => world.router.close())
    // What acts in the name of the request runs its hooks again.
    let isInHook = false
    world.router.use({
      request: {
        any: async (context) => {
          if (isInHook) return
          isInHook = true
          await world.router.items(Shelf, { as: context }).all()
          isInHook = false
        },
      },
    })
    return { ...world, names }
  }
  const atomic = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
  const add = (title: string) => ({ op: 'add', data: { type: 'notes', attributes: { title } } })

  it.each([
    ['a request', rest(), 'POST', '/notes', { note: { title: 'a' } }, {}],
    [
      'lines',
      rest({ jsonLines: true }),
      'POST',
      '/notes',
      '{"title":"a"}\n{"title":"b"}\n',
      { 'content-type': 'application/jsonl' },
    ],
    [
      'operations',
      jsonApi(),
      'POST',
      '/operations',
      { 'atomic:operations': [add('a'), add('b')] },
      { 'content-type': atomic, accept: atomic },
    ],
    [
      'a query',
      rest(),
      'QUERY',
      '/notes',
      'sort=title',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
  ] as const)('is called once for %s', async (_, policy, method, path, body, headers) => {
    const { router, names, errors } = asking({ policy })
    const response = await router.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers, ...ada },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
    const text = await response.text()
    expect([response.ok, errors], text).toEqual([true, []])
    expect(names).toEqual(['asked'])
  })

  it('may return no promise, also one that rejects', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const { router, api, errors } = twoStores(
      { north: memory(), south: memory() },
      { store: (async () => Promise.reject(new Error('no table'))) as never },
    )
    expect((await api.get('/notes', ada)).status).toBe(500)
    expect(() => router.inStoreOf(undefined)).toThrow('returned a promise')
    expect(String(errors[0])).toContain("The function 'store' of createRouter() returned a promise")
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(unhandled).toEqual([])
  })
})
