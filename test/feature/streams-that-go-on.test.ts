import { createRouter, model, type RouterOptions, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { type EventStream, eventStream } from '../support/event-stream.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

const Book = model('book', { title: z.string(), price: z.number() }, { ids: 'either' })
const Author = model('author', { open: z.boolean() }, { ids: 'either' })
const Story = model(
  'story',
  { title: z.string(), author: toOne('author') },
  { ids: 'either', plural: 'stories' },
)

describe.each(stores)('A stream that something goes wrong with ($name)', ({ make }) => {
  async function service(options: Partial<RouterOptions> = {}) {
    const store = await make()
    const router = createRouter({ policy: rest(), store, changes: true, ...options })
    router.prepare(Book)
    return { store, router, books: router.items(Book), api: client(router) }
  }

  async function createdUntil(stream: EventStream, lastId: string): Promise<string> {
    const ids: string[] = []
    while (ids.at(-1) !== lastId) {
      const { event, data } = await stream.next()
      expect(event).toBe('create')
      ids.push((data as { readonly id: string }).id)
    }
    return ids.join()
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
    await transactionsEnded()
    const resumed = await eventStream(router, '/books/changes', { 'last-event-id': id! })
    const reset = await resumed.next()
    expect(reset).toMatchObject({ event: 'reset', data: {} })
    await books.create({ id: 'c', title: 'C', price: 1 })
    // Both streams share one reset, from before 'b' if another transaction was under way then.
    expect(['c', 'b,c']).toContain(await createdUntil(resumed, 'c'))
    const after = await eventStream(router, '/books/changes', { 'last-event-id': reset.id! })
    expect(['c', 'b,c']).toContain(await createdUntil(after, 'c'))
    await router.close()
    for (const each of [stream, resumed, after]) await each.untilEnd()
  })
  it('goes on within a transaction where another who reads the same leaves', async () => {
    const errors: unknown[] = []
    const router = createRouter({
      policy: rest(),
      store: await make(),
      changes: true,
      security: { defaultAccess: 'open' },
      onError: (error) => void errors.push(error),
    })
    // Related items are read in the name of a request.
    router.prepare(Author).access(({ item }) => ({ read: item.open.equal(true) }))
    router.prepare(Story)
    await router.items(Author).create({ id: 'a', open: true })
    const leaving = new AbortController()
    const first = await eventStream(router, '/stories/changes', {}, leaving.signal)
    const second = await eventStream(router, '/stories/changes')
    const stories = Array.from({ length: 60 }, (_, index) => ({
      id: `s${String(index).padStart(2, '0')}`,
      title: 'T'.repeat(60_000),
      author: 'a',
    }))
    await router.items(Story).createMany(stories)
    await first.next()
    const ids = [((await second.next()).data as { readonly id: string }).id]
    leaving.abort()
    while (ids.length < stories.length)
      ids.push(((await second.next()).data as { readonly id: string }).id)
    expect(ids).toEqual(stories.map(({ id }) => id))
    expect(errors).toEqual([])
    // What was being read for it may have ended with it.
    await first.close().catch((error) => expect(error).toMatchObject({ name: 'AbortError' }))
    await router.close()
    await second.untilEnd()
  })
  it('gets past a former state that cannot be written, as a page does, and reports it once', async () => {
    const errors: unknown[] = []
    const router = createRouter({
      policy: rest(),
      store: await make(),
      changes: true,
      onError: (error) => void errors.push(error),
    })
    const bug = new TypeError('a price of 0')
    router.prepare(Book).map((book) => {
      if (book.price === 0) throw bug
      return book
    })
    const books = router.items(Book)
    const api = client(router)
    await transactionsEnded()
    const { next } = (await api.get('/books/changes')).body as { readonly next: string }
    const path = `/books/changes?since=${next}`
    await books.createMany([
      ...['a', 'b'].map((id) => ({ id, title: 'T'.repeat(200_000), price: 1 })),
      ...Array.from({ length: 60 }, () => ({ title: 'T', price: 1 })),
      { id: 'z', title: 'Z', price: 0 },
    ])
    await books.update('z', { price: 2 })
    const streams = await Promise.all([eventStream(router, path), eventStream(router, path)])
    await transactionsEnded()
    for (const stream of streams) {
      // What was sent of the transaction before has no id.
      expect(await stream.next()).toMatchObject({ data: { id: 'a' }, id: undefined })
      let event = await stream.next()
      while (event.event === 'create') event = await stream.next()
      // The change from this state is a second reset, unless the first is from past both.
      for (let isBehind = true; isBehind; ) {
        expect(event).toMatchObject({ event: 'reset', data: {} })
        const { body } = await api.get(`/books/changes?since=${event.id}`)
        isBehind = (body as { readonly changes: unknown[] }).changes.length > 0
        if (isBehind) event = await stream.next()
      }
    }
    const page = (await api.get(path)).body as { readonly next: string }
    expect(page).toMatchObject({ changes: [{ kind: 'reset' }], isEnd: false })
    await books.delete('a')
    for (const stream of streams)
      expect(await stream.next()).toMatchObject({ event: 'delete', data: { id: 'a' } })
    await vi.waitFor(async () => {
      const { body } = await api.get(`/books/changes?since=${page.next}`)
      expect(body).toMatchObject({ changes: [{ kind: 'delete', id: 'a' }], isEnd: true })
    }, 10_000)
    expect(new Set(errors)).toEqual(new Set([bug]))
    // Of the change to this state and of the one from it.
    expect(errors.length).toBeLessThanOrEqual(2)
    await router.close()
    for (const stream of streams) await stream.untilEnd()
  })

  it('ends where the router closes while a hidden change is written for it alone', async () => {
    const [writing, released] = [signal(), signal()]
    const router = createRouter({ policy: rest(), store: await make(), changes: true })
    // What a mapper makes is not shared.
    router.prepare(Book).map(
      async (book) => {
        writing.resolve()
        await released.promise
        return book
      },
      { hides: ['price'], writable: ['price'] },
    )
    await router.items(Book).create({ id: 'b', title: 'B', price: 1 })
    const stream = await eventStream(router, '/books/changes')
    const ended = stream.untilEnd()
    await router.items(Book).update('b', { price: 2 })
    await writing.promise
    const closed = router.close()
    released.resolve()
    await closed
    await ended
    expect(stream.text()).toMatch(/retry: \d+\nid: [\w-]+\n\n$/)
  })
})

function signal() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
