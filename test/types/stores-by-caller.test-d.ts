import { type Authenticator, createRouter, model, type Router } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { RouterByCaller } from 'resourcery/types'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Book extends model('book', { title: z.string() }) {}

const User = z.object({ id: z.string(), group: z.enum(['north', 'south']).optional() })
type User = z.output<typeof User>

const token: Authenticator<{ id: string }> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: () => undefined,
}
const shared = { policy: rest(), security: { authentication: [token], callerSchema: User } }
const stores = { north: memory(), south: { store: memory(), blobs: memoryBlobs() } }

describe('Stores by caller', () => {
  it('have the names of the list', () => {
    const router = createRouter({
      ...shared,
      stores,
      store: (caller) => {
        expectTypeOf(caller).toEqualTypeOf<User | undefined>()
        return caller?.group
      },
    })
    expectTypeOf(router).toEqualTypeOf<RouterByCaller<User, 'north' | 'south'>>()
    expectTypeOf(router).toExtend<Router<User>>()
    router.prepare(Book)
    router.inStore('south')
    // @ts-expect-error no store has this name
    router.inStore('east')
    router.inStoreOf({ id: 'ada' })
    // @ts-expect-error no caller
    router.inStoreOf('ada')
  })

  it('are named by a synchronous function only', () => {
    // @ts-expect-error no store has this name
    createRouter({ ...shared, stores, store: () => 'east' })
    // @ts-expect-error a promise
    createRouter({ ...shared, stores, store: async () => 'north' as const })
    // @ts-expect-error no function
    createRouter({ ...shared, stores, store: memory() })
    // @ts-expect-error blobs belong to each store
    createRouter({ ...shared, stores, store: () => 'north', blobs: memoryBlobs() })
    // @ts-expect-error a function without stores
    createRouter({ ...shared, store: () => 'north' })
  })

  it('are no part of a router with one store', () => {
    const router = createRouter({ ...shared, store: memory() })
    expectTypeOf(router).toEqualTypeOf<Router<User>>()
    // @ts-expect-error it has one store
    router.inStore('north')
  })
})
