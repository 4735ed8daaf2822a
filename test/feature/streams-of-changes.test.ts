import { type Authenticator, createRouter, model, type RouterOptions } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { eventStream } from '../support/event-stream.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

const Book = model('book', { title: z.string(), price: z.number() }, { ids: 'either' })

const streamRequest = () =>
  new Request('http://localhost/books/changes', { headers: { accept: 'text/event-stream' } })

describe.each(stores)('A stream of changes ($name)', ({ make }) => {
  async function service(options: Partial<RouterOptions> = {}, policy = rest()) {
    const router = createRouter({ policy, store: await make(), changes: true, ...options })
    router.prepare(Book)
    return { router, books: router.items(Book), api: client(router) }
  }

  it('sends each change once it is committed, with the position after it', async () => {
    const { router, books } = await service()
    const stream = await eventStream(router, '/books/changes?filter[price][lt]=10')
    expect(stream.status).toBe(200)
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    await books.create({ id: 'b', title: 'B', price: 20 })
    await books.update('b', { price: 5 })
    expect(await stream.next()).toMatchObject({
      event: 'create',
      data: { type: 'books', id: 'b', item: { id: 'b', title: 'B', price: 5 } },
    })
    await books.update('b', { price: 6 })
    const update = await stream.next()
    expect(update).toMatchObject({ event: 'update', data: { item: { price: 6 } } })
    expect(stream.text()).toMatch(/^retry: \d+\nid: [\w-]+\n\n/)
    await stream.close()
    await books.delete('b')
    const path = '/books/changes?filter[price][lt]=10'
    const resumed = await eventStream(router, path, { 'last-event-id': update.id! })
    expect(await resumed.next()).toMatchObject({ event: 'delete', data: { id: 'b' } })
    await router.close()
    await resumed.untilEnd()
  })

  it('sends all of more changes than are kept in memory, in parts', async () => {
    const { router, books } = await service()
    const stream = await eventStream(router, '/books/changes', { 'last-event-id': '' })
    const ids = Array.from({ length: 2_500 }, (_, index) => `b${String(index).padStart(4, '0')}`)
    await books.createMany(ids.map((id) => ({ id, title: 'B'.repeat(200), price: 1 })))
    const sent: { readonly id: string }[] = []
    while (sent.length < ids.length)
      sent.push((await stream.next()).data as { readonly id: string })
    expect(sent.map(({ id }) => id)).toEqual(ids)
    await router.close()
    await stream.untilEnd()
  })

  it('has an id at the end of each transaction only', async () => {
    const { router, books } = await service({}, jsonApi())
    const stream = await eventStream(router, '/books/changes')
    await books.createMany(['a', 'b'].map((id) => ({ id, title: 'B', price: 1 })))
    const [first, second] = [await stream.next(), await stream.next()]
    expect(first.data).toMatchObject({ item: { type: 'books', attributes: { title: 'B' } } })
    expect([first.id, second.id]).toEqual([undefined, expect.any(String)])
    await router.close()
    await stream.untilEnd()
  })

  it('begins with a reset where the log no longer has what follows', async () => {
    const store = await make()
    const { router, books, api } = await service({ store })
    const { next } = (await api.get('/books/changes')).body as { readonly next: string }
    for (const id of ['a', 'b']) await books.create({ id, title: 'B', price: 1 })
    await transactionsEnded()
    await store.changes!.removeOldest({ beforeMs: 0, maxEntries: 0 }, 10)
    const stream = await eventStream(router, `/books/changes?since=${next}`)
    const reset = await stream.next()
    expect(reset).toMatchObject({ event: 'reset', data: {} })
    await books.delete('a')
    expect(await stream.next()).toMatchObject({ event: 'delete' })
    await router.close()
    await stream.untilEnd()
  })

  it('sends a long transaction in parts, with an id after all of it', async () => {
    const { router, books } = await service()
    const stream = await eventStream(router, '/books/changes')
    const ids = Array.from({ length: 1_200 }, (_, index) => `b${String(index).padStart(4, '0')}`)
    const title = 'T'.repeat(600)
    await books.createMany(ids.map((id) => ({ id, title, price: 1 })))
    await books.create({ id: 'z', title: 'Z', price: 1 })
    const events: Awaited<ReturnType<typeof stream.next>>[] = []
    while (events.length < ids.length) events.push(await stream.next())
    expect(events.map(({ data }) => (data as { readonly id: string }).id)).toEqual(ids)
    expect(events.filter(({ id }) => id !== undefined)).toEqual([events.at(-1)])
    expect(stream.longestChunk()).toBeLessThan(300_000)
    expect(await stream.next()).toMatchObject({ data: { id: 'z' } })
    const last = { 'last-event-id': events.at(-1)!.id! }
    const resumed = await eventStream(router, '/books/changes', last)
    expect(await resumed.next()).toMatchObject({ data: { id: 'z' } })
    await router.close()
    for (const each of [stream, resumed]) await each.untilEnd()
  })

  it('keeps nothing of a long transaction that its client does not read', async () => {
    const { router, books } = await service()
    const stream = await eventStream(router, '/books/changes')
    const ids = Array.from({ length: 900 }, (_, index) => `b${String(index).padStart(4, '0')}`)
    const title = 'T'.repeat(600)
    await books.createMany(ids.map((id) => ({ id, title, price: 1 })))
    const events: Awaited<ReturnType<typeof stream.next>>[] = [await stream.next()]
    await books.delete('b0899')
    await transactionsEnded()
    expect(await router.erase(Book, 'b0899')).toBeGreaterThan(0)
    while (events.at(-1)!.event !== 'reset') events.push(await stream.next())
    expect(events.length).toBeLessThan(ids.length)
    expect(stream.text()).not.toContain('b0899')
    await router.close()
    await stream.untilEnd()
  })

  it('counts a transaction once, whatever it has that the caller does not see', async () => {
    const pagesOf = async (hiddenCount: number) => {
      const router = createRouter({ policy: rest(), store: await make(), changes: true })
      router.prepare(Book).access(({ item }) => ({ read: item.price.lessThan(10) }))
      const booksOf = (letter: string, count: number, price: number) =>
        Array.from({ length: count }, (_, index) => ({
          id: `${letter}${index}`,
          title: 'T',
          price,
        }))
      const parts = [
        ...booksOf('a', 250, 1),
        ...booksOf('h', hiddenCount, 20),
        ...booksOf('c', 50, 1),
      ]
      await router.items(Book).createMany(parts)
      await transactionsEnded()
      const stream = await eventStream(router, '/books/changes?since=start')
      const ids: (string | undefined)[] = []
      for (let count = 0; count < 300; count++) ids.push((await stream.next()).id)
      await stream.close()
      const api = client(router)
      const pages: unknown[] = []
      for (let since = 'start', isEnd = false; !isEnd; ) {
        const { body } = await api.get(`/books/changes?since=${since}&limit=280`)
        const page = body as { changes: unknown[]; next: string; isEnd: boolean }
        pages.push([page.changes.length, 'isTransactionSplit' in page])
        since = page.next
        isEnd = page.isEnd
      }
      await router.close()
      return { pages, withId: ids.filter((id) => id !== undefined).length }
    }
    const expected = {
      pages: [
        [280, true],
        [20, false],
      ],
      withId: 1,
    }
    expect(await pagesOf(0)).toEqual(expected)
    expect(await pagesOf(15_000)).toEqual(expected)
  })

  it('is no subscriber any more after its time, also where its client does not read', async () => {
    const feed = { connectionMs: 2_000, maxSubscribersPerCaller: 1 }
    const { router, books } = await service({ changes: { feed } })
    const stalled = await eventStream(router, '/books/changes')
    await books.create({ id: 'b', title: 'B', price: 1 })
    expect(await stalled.next()).toMatchObject({ event: 'create' })
    const refused = await router.handle(streamRequest())
    expect(refused.status).toBe(429)
    await vi.waitFor(
      async () => {
        const { status, body } = await router.handle(streamRequest())
        await body?.cancel()
        expect(status).toBe(200)
      },
      { timeout: 10_000, interval: 20 },
    )
    // What it gets when it reads on is the end.
    await stalled.untilEnd()
    await router.close()
  })

  it('has comments without an id while nothing changes, and ends after its time', async () => {
    const feed = { heartbeatMs: 10, connectionMs: 1_500 }
    const { router } = await service({ changes: { feed } })
    const stream = await eventStream(router, '/books/changes')
    await stream.untilEnd()
    expect(stream.text()).toMatch(
      /^retry: \d+\nid: [\w-]+\n\n(?::\n\n)+retry: \d+\nid: [\w-]+\n\n$/,
    )
    await router.close()
  })

  it.each([
    ['all callers see the same', false],
    ['callers see other fields', true],
  ])('ends when the credential of its caller expires (%s)', async (_, hasFieldRules) => {
    const expiring: Authenticator<Caller> = {
      ...token,
      authenticate: () => ({
        caller: { id: 'ann', roles: [] },
        expiresAt: new Date(Date.now() + 100),
      }),
    }
    const router = createRouter({
      policy: rest(),
      store: await make(),
      changes: true,
      security: { authentication: [expiring], callerSchema: Caller },
    })
    router.prepare(Book).access(({ signedIn, caller }) => ({
      read: signedIn,
      ...(hasFieldRules && { fields: { price: { read: caller.id.equal('bob') } } }),
    }))
    const stream = await eventStream(router, '/books/changes', as('ann'))
    await stream.untilEnd()
    expect(stream.text()).toMatch(/retry: \d+\nid: [\w-]+\n\n$/)
    await router.close()
  })

  it('is read once for all who see and ask for the same, and goes on when one of them leaves', async () => {
    const store = await make()
    const { router, books } = await service({ store })
    const streams = await Promise.all(
      Array.from({ length: 15 }, () => eventStream(router, '/books/changes')),
    )
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    await books.create({ id: 'b', title: 'B', price: 1 })
    await Promise.all(streams.map((stream) => stream.next()))
    // They began one after another, on PostgreSQL at the ends of other transactions.
    await vi.waitFor(async () => {
      await books.update('b', { price: Math.random() })
      const events = await Promise.all(streams.map((stream) => stream.next()))
      expect(new Set(events.map(({ id }) => id)).size).toBe(1)
    }, 10_000)
    const [leaving, ...others] = streams
    await leaving!.close()
    await books.update('b', { price: 2 })
    for (const stream of others) expect(await stream.next()).toMatchObject({ event: 'update' })
    process.off('warning', note)
    expect(warnings).toEqual([])
    await router.close()
    for (const stream of others) await stream.untilEnd()
  })

  it('has its comments by the clock, whatever is written that it does not show', async () => {
    const { router, books } = await service({ changes: { feed: { heartbeatMs: 60 } } })
    const stream = await eventStream(router, '/books/changes?filter[price][lt]=0')
    await books.create({ id: 'b', title: 'B', price: 1 })
    let isWriting = true
    const writing = (async () => {
      for (let price = 2; isWriting; price++) {
        await books.update('b', { price })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    const ended = stream.untilEnd()
    // Without the clock, no comment would ever come.
    while (!stream.text().includes(':\n\n:\n\n'))
      await new Promise((resolve) => setTimeout(resolve, 10))
    isWriting = false
    await writing
    await router.close()
    await ended
  })

  it('sends nothing that was erased, also where others have just read it', async () => {
    const { router, books, api } = await service()
    const { next } = (await api.get('/books/changes')).body as { readonly next: string }
    const path = `/books/changes?since=${next}`
    const first = await eventStream(router, path)
    await books.create({ id: 'b', title: 'Personal', price: 1 })
    expect(await first.next()).toMatchObject({ event: 'create' })
    await books.delete('b')
    expect(await first.next()).toMatchObject({ event: 'delete' })
    const second = await eventStream(router, path)
    expect(await second.next()).toMatchObject({ event: 'create' })
    await router.erase(Book, 'b')
    const third = await eventStream(router, path)
    expect(await third.next()).toMatchObject({ event: 'reset' })
    expect(third.text()).not.toContain('Personal')
    await router.close()
    for (const stream of [first, second, third]) await stream.untilEnd()
  })

  it('ends when the router closes', async () => {
    const { router } = await service()
    const stream = await eventStream(router, '/books/changes')
    const ended = stream.untilEnd()
    await router.close()
    await ended
    expect(stream.text()).toMatch(/retry: \d+\nid: [\w-]+\n\n$/)
  })

  it('is one of a limited number, of each client and of all', async () => {
    const feed = { maxSubscribers: 2, maxSubscribersPerCaller: 1 }
    const { router, api } = await service({ changes: { feed } })
    const stream = await eventStream(router, '/books/changes')
    const refused = await api.get('/books/changes?wait=1')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.errors).toMatchObject([{ code: 'too-many-requests' }])
    // Who does not wait is not counted.
    expect((await api.get('/books/changes')).status).toBe(200)
    await stream.close()
    const again = await eventStream(router, '/books/changes')
    expect(again.status).toBe(200)
    await router.close()
    await again.untilEnd()
  })

  it('is no stream for who prefers JSON, and nothing else', async () => {
    const { router, api } = await service()
    const json = await api.get('/books/changes', {
      accept: 'text/event-stream;q=0.5, application/json',
    })
    expect(json.headers.get('content-type')).toContain('application/json')
    const neither = await api.get('/books/changes', { accept: 'text/html' })
    expect(neither.status).toBe(406)
    expect(neither.errors[0]?.detail).toContain('text/event-stream')
    const head = await api.head('/books/changes', { accept: 'text/event-stream' })
    expect([head.status, head.text]).toEqual([200, ''])
    await router.close()
  })

  it('reads the log once for all who wait by long poll', async () => {
    const store = await make()
    const log = store.changes!
    const { watch } = log
    let signals = 0
    vi.spyOn(log, 'watch').mockImplementation((listener) =>
      watch.call(log, () => {
        signals++
        listener()
      }),
    )
    const { router, books, api } = await service({ store })
    const path = '/books/changes?filter[price][lt]=0&wait=60'
    const read = vi.spyOn(log, 'read')
    const haveRead = async (reads: number) => {
      for (let count = -1; count < reads || count !== read.mock.calls.length; ) {
        count = read.mock.calls.length
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
    }
    const waiting = Array.from({ length: 90 }, () => api.get(path))
    // Each has read once before it waits.
    await haveRead(waiting.length)
    // Transactions of others move the end of the log, so each may begin at an end of its own.
    const { length } = read.mock.calls
    await books.create({ title: 'B', price: 0 })
    await transactionsEnded()
    await haveRead(length + 1)
    read.mockClear()
    signals = 0
    for (let price = 1; price <= 5; price++) await books.create({ title: 'B', price })
    await transactionsEnded()
    await books.create({ title: 'B', price: -1 })
    for (const response of await Promise.all(waiting))
      expect(response.at('/changes')).toHaveLength(1)
    // A store may say again that there may be changes while other transactions are open.
    expect(signals).toBeGreaterThan(0)
    expect(read.mock.calls.length).toBeLessThanOrEqual(2 * signals + 2)
    await router.close()
  })

  it('is a page that waits, by long poll', async () => {
    const store = await make()
    const { router, books, api } = await service({ store })
    const { next } = (await api.get('/books/changes')).body as { readonly next: string }
    const waiting = api.get(`/books/changes?since=${next}&wait=30`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await books.create({ id: 'b', title: 'B', price: 1 })
    expect((await waiting).at('/changes/0/kind')).toBe('create')
    const empty = await api.get('/books/changes?wait=1')
    expect(empty.body).toMatchObject({ changes: [], isEnd: true })
    const read = vi.spyOn(store.changes!, 'read')
    const last = api.get('/books/changes?wait=30')
    await vi.waitFor(() => expect(read.mock.settledResults[0]?.type).toBe('fulfilled'), 10_000)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await router.close()
    expect((await last).body).toMatchObject({ changes: [], isEnd: true })
  })
})
