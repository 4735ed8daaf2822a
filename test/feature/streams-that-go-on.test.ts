import { createRouter, model, type RouterOptions } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { eventStream } from '../support/event-stream.ts'
import { stores } from '../support/stores.ts'

const Book = model('book', { title: z.string(), price: z.number() }, { ids: 'either' })

describe.each(stores)('A stream that something goes wrong with ($name)', ({ make }) => {
  async function service(options: Partial<RouterOptions> = {}) {
    const store = await make()
    const router = createRouter({ policy: rest(), store, changes: true, ...options })
    router.prepare(Book)
    return { store, router, books: router.items(Book), api: client(router) }
  }

  it('goes on with a reset where the position is of another log, and is 400 as a page', async () => {
    const { store, router, books, api } = await service()
    const stream = await eventStream(router, '/books/changes')
    await books.create({ id: 'a', title: 'A', price: 1 })
    const { id } = await stream.next()
    await store.changes!.rename()
    await books.create({ id: 'b', title: 'B', price: 1 })
    expect(await stream.next()).toMatchObject({ event: 'reset', data: {} })
    expect((await api.get(`/books/changes?since=${id}`)).status).toBe(400)
    const resumed = await eventStream(router, '/books/changes', { 'last-event-id': id! })
    const reset = await resumed.next()
    expect(reset).toMatchObject({ event: 'reset', data: {} })
    await books.create({ id: 'c', title: 'C', price: 1 })
    expect(await resumed.next()).toMatchObject({ event: 'create', data: { id: 'c' } })
    const after = await eventStream(router, '/books/changes', { 'last-event-id': reset.id! })
    expect(await after.next()).toMatchObject({ event: 'create', data: { id: 'c' } })
    await router.close()
    for (const each of [stream, resumed, after]) await each.untilEnd()
  })
})
