import { createRouter, model, type Router } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { promiseWithResolvers } from '../../src/concurrency/promise-with-resolvers.ts'
import { stores } from '../support/stores.ts'

const Counter = model('counter', { value: z.int() })

describe.each(stores)('Transactions that get an item and update it, on $name', ({ name, make }) => {
  const hasSeveralWriters = name === 'the PostgreSQL store'
  let router: Router

  beforeEach(async () => {
    router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Counter)
    await router.items(Counter).create({ id: 'c', value: 0 })
  })

  it('lose no update of one another', async () => {
    const increment = () =>
      router.transaction(async (items) => {
        const counter = await items(Counter).get('c')
        await new Promise((resolve) => setTimeout(resolve, 5))
        await items(Counter).update('c', { value: counter!.value + 1 })
      })
    await Promise.all(Array.from({ length: 10 }, increment))
    expect((await router.items(Counter).get('c'))?.value).toBe(10)
  })

  it('lose none either where the item was listed, and was changed before it is read by its id', async () => {
    let runCount = 0
    const listed = promiseWithResolvers<void>()
    const changed = promiseWithResolvers<void>()
    const slow = router.transaction(async (items) => {
      const [counter] = await items(Counter).all()
      // A store with one writer at a time has the other one wait until this one has ended.
      if (runCount++ === 0) {
        listed.resolve()
        if (hasSeveralWriters) await changed.promise
      }
      await items(Counter).get('c')
      await items(Counter).update('c', { value: counter!.value + 1 })
    })
    await listed.promise
    await router.items(Counter).update('c', { value: 5 })
    changed.resolve()
    await slow
    expect(runCount).toBe(hasSeveralWriters ? 2 : 1)
    expect((await router.items(Counter).get('c'))?.value).toBe(hasSeveralWriters ? 6 : 5)
  })
})
