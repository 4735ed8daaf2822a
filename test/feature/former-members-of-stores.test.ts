import { createRouter, model, type Store } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Note = model('note', { text: z.string() })
const routerOf = (store: object) => createRouter({ policy: rest(), store: store as Store })
const nothing = async function* () {}

it('a store with members beside their groups is refused, with all new places', () => {
  const flat = { ...memory(), plan: async () => [], undeclaredBlobKeys: nothing }
  expect(() => routerOf({ ...flat, admin: undefined, keepsRange: () => true })).toThrow(
    "Members of the store are in groups now: 'keepsRange' is now 'store.facts.keepsRange', 'plan' is now 'store.admin.plan', 'undeclaredBlobKeys' is now 'store.admin.undeclaredBlobKeys'.",
  )
})

it('members of a class are found, and a store may be its own group', () => {
  const inner = memory()
  class Own {
    readonly find = inner.find
    async findVersion() {
      return undefined
    }
  }
  expect(() => routerOf(new Own())).toThrow("'findVersion' is now 'store.fastPaths.findVersion'")
  class Grouped extends Own {
    get fastPaths() {
      return this
    }
  }
  expect(() => routerOf(new Grouped())).not.toThrow()
})

it('a transaction with locks beside their group is refused at the first write', async () => {
  const inner = memory()
  const errors: unknown[] = []
  const store: Store = {
    ...inner,
    write: (work, caller) =>
      inner.write(
        (transaction) => work(Object.assign({ lockItems: async () => {} }, transaction)),
        caller,
      ),
  }
  const router = createRouter({ policy: rest(), store, onError: (error) => errors.push(error) })
  router.prepare(Note)
  const response = await client(router).post('/notes', { note: { text: 'a' } })
  expect(response.status).toBe(500)
  expect(errors).toEqual([
    new TypeError(
      "Members of the transaction are in groups now: 'lockItems' is now 'transaction.locks.lockItems'.",
    ),
  ])
  expect((await client(router).get('/notes')).at('/notes')).toEqual([])
})
