import { createRouter, file, model, type RouterOptions } from 'resourcery'
import { apiKeyFields, apiKeys } from 'resourcery/auth'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Person } from '../support/two-stores.ts'

const create = (options: object) =>
  createRouter({ policy: rest(), ...options } as unknown as RouterOptions)
const store = () => 'north'

describe('Stores by caller that are registered wrongly', () => {
  const one = memory()
  const blobs = memoryBlobs()
  it.each<[string, object, string]>([
    ['no stores', { store }, "For several, list them in the option 'stores'"],
    ['no list', { stores: [memory()], store }, 'must be an object with stores by their names'],
    ['an empty list', { stores: {}, store }, "The option 'stores' is empty"],
    [
      'a store beside the list',
      { stores: { north: memory() }, store: memory() },
      'must be a function that gives the name of one of them',
    ],
    ['no function', { stores: { north: memory() } }, 'must be a function that gives the name'],
    [
      'blobs beside the list',
      { stores: { north: memory() }, store, blobs },
      'each store has blobs of its own: { north: { store, blobs } }',
    ],
    [
      'one store under two names',
      { stores: { north: one, south: { store: one } }, store },
      "'north' and 'south' of the option 'stores' are one store",
    ],
    [
      'one file under two names',
      { stores: { north: sqlite('.data/north.db'), south: sqlite('./.data/north.db') }, store },
      "'north' and 'south' of the option 'stores' are one store",
    ],
    [
      'one blob store under two names',
      { stores: { north: { store: memory(), blobs }, south: { store: memory(), blobs } }, store },
      "'north' and 'south' of the option 'stores' have one blob store",
    ],
    [
      'blobs of some stores only',
      { stores: { north: { store: memory(), blobs }, south: memory() }, store },
      "The store 'north' has blobs, and 'south' has none",
    ],
    ['a name with a space', { stores: { 'the north': memory() }, store }, "The name 'the north'"],
    ['what is no store', { stores: { north: 'north.db' }, store }, "'store' of the store 'north'"],
    ['an unknown option', { stores: { north: memory() }, store, blob: 1 }, "Unknown option 'blob'"],
    [
      'authenticators that read items',
      {
        stores: { north: memory() },
        store,
        security: {
          authentication: [
            apiKeys({
              model: model('apiKey', { ...apiKeyFields() }),
              caller: () => ({ id: 'ada' }),
            }),
          ],
          callerSchema: Person,
        },
      },
      "The authenticator 'apiKey' reads items of the router",
    ],
  ])('%s', (_, options, message) => {
    expect(() => create(options)).toThrow(message)
  })

  it('two names of one store in two routers', () => {
    const shared = memory()
    create({ stores: { north: shared }, store })
    create({ stores: { north: shared, south: memory() }, store })
    expect(() => create({ stores: { south: shared }, store: () => 'south' })).toThrow(
      "The store 'south' is 'north' of another router",
    )
  })

  it('a model with files without blobs', async () => {
    const router = create({ stores: { north: memory() }, store })
    router.prepare(model('page', { title: z.string(), scan: file() }))
    await expect(router.open()).rejects.toThrow('the router has no blob store')
  })

  it('a model twice, and a model too late', async () => {
    const router = create({ stores: { north: memory() }, store })
    const Page = model('page', { title: z.string() })
    router.prepare(Page)
    expect(() => router.prepare(Page)).toThrow("The model 'page' is prepared twice")
    await router.open()
    expect(() => router.prepare(model('leaf', { title: z.string() }))).toThrow('The router is open')
    await router.close()
  })

  it('an authenticator of the service that reads items is a 500 that says so', async () => {
    const errors: unknown[] = []
    const Page = model('page', { title: z.string() })
    const router = createRouter({
      policy: rest(),
      stores: { north: memory() },
      store: () => 'north',
      security: {
        authentication: [
          {
            name: 'reader',
            scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
            authenticate: async (_, { items }) => ({
              caller: { id: (await items(Page).first())?.id ?? 'nobody' },
            }),
          },
        ],
        callerSchema: z.object({ id: z.string() }),
      },
      onError: (error) => errors.push((error as Error).message),
    })
    router.prepare(Page)
    const response = await router.handle(new Request('http://localhost/pages'))
    expect(response.status).toBe(500)
    expect(errors).toEqual([
      'An authenticator reads items of a router with several stores, but their store is only known once the caller is. Read them with a router over one store.',
    ])
    await router.close()
  })
})
