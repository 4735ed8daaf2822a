import { createRouter, model, type Router } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stores } from '../support/stores.ts'

const Counter = model('counter', { value: z.int() })

describe.each(stores)('Transactions that get an item and update it, on $name', ({ make }) => {
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
})
