import { createRouter, dateTime, file, hash, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Post extends model('post', {
  title: z.string(),
  publishAt: dateTime({ optional: true }),
  seenAt: dateTime({ optional: true, date: true }),
  endsOn: z.iso.date().optional(),
  notes: z.string().optional(),
  hash: hash(),
  scan: file({ types: ['text/plain'] }),
}) {}

const hour = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours))

describe.each(stores)('Access rules with the time of the request ($name)', ({ make }) => {
  async function world(policy = rest()) {
    const clock = { time: hour(10) }
    const router = createRouter({
      policy,
      store: await make(),
      blobs: memoryBlobs(),
      security: { authentication: [token], callerSchema: Caller },
      capabilities: 'items',
      idempotency: true,
      now: () => clock.time,
    })
    router.prepare(Post).access(({ item, caller, now }) => ({
      read: item.publishAt.lessThanOrEqual(now).or(caller.roles.contains('admin')),
      update: item.endsOn.greaterThanOrEqual(now),
      fields: { notes: { read: item.seenAt.lessThan(now) } },
    }))
    await router.load(Post, [
      // The same instant as 10:00 in UTC.
      { id: 'a', title: 'A', publishAt: '2026-01-01T12:00:00+02:00', endsOn: '2026-01-01' },
      { id: 'b', title: 'B', publishAt: '2026-01-01T11:00:00Z', endsOn: '2025-12-31' },
      { id: 'c', title: 'C' },
      {
        id: 'd',
        title: 'D',
        publishAt: '2025-01-01T00:00:00Z',
        seenAt: new Date('2026-01-01T10:30:00Z'),
        notes: 'n',
      },
    ])
    return { router, clock, api: client(router) }
  }

  it('show an item from its instant on, whatever its time zone', async () => {
    const { api, clock } = await world()
    const ids = async () => (await api.get('/posts?sort=id')).ids('posts')
    expect(await ids()).toEqual(['a', 'd'])
    expect((await api.get('/posts/b')).status).toBe(404)
    clock.time = hour(9)
    expect(await ids()).toEqual(['d'])
    clock.time = hour(11)
    expect(await ids()).toEqual(['a', 'b', 'd'])
    expect((await api.get('/posts/b')).status).toBe(200)
    expect((await api.get('/posts', as('x:admin'))).ids('posts')).toHaveLength(4)
  })

  it('compare a date with the day in UTC, and say what may be changed now', async () => {
    const { api, clock } = await world()
    clock.time = hour(11)
    const change = (id: string) => api.patch(`/posts/${id}`, { post: { title: 'X' } })
    expect((await change('b')).status).toBe(403)
    expect((await api.get('/posts/a')).at('/meta/can/update')).toBe(true)
    expect((await change('a')).status).toBe(200)
    clock.time = hour(24)
    expect((await api.get('/posts/a')).at('/meta/can/update')).toBe(false)
    expect((await change('a')).status).toBe(403)
    const capabilities = await api.get('/posts/capabilities')
    expect(capabilities.at('/operations/update')).toBe('sometimes')
    expect(capabilities.at('/fields/notes/read')).toBe('sometimes')
  })

  it('answer a request with a tag as the time says, and not as it was', async () => {
    const { api, clock } = await world()
    const seen = await api.get('/posts/d')
    const etag = seen.headers.get('etag')!
    expect(seen.at('/post/notes')).toBe(undefined)
    const again = () => api.get('/posts/d', { 'if-none-match': etag })
    expect((await again()).status).toBe(304)
    clock.time = hour(11)
    const appeared = await again()
    expect([appeared.status, appeared.at('/post/notes')]).toEqual([200, 'n'])
    clock.time = new Date('2024-01-01T00:00:00Z')
    expect((await again()).status).toBe(404)
  })

  it('filter and sort by a member only while it is shown', async () => {
    const { api, clock } = await world()
    const found = async () => (await api.get('/posts?filter[notes]=n')).ids('posts')
    expect(await found()).toEqual([])
    clock.time = hour(11)
    expect(await found()).toEqual(['d'])
  })

  it('hold for files', async () => {
    const { api, router, clock } = await world()
    await router.loadResource(
      Post,
      { id: 'b', path: 'scan' },
      { bytes: Buffer.from('text'), contentType: 'text/plain' },
    )
    expect((await api.get('/posts/b/scan')).status).toBe(404)
    clock.time = hour(11)
    const shown = await api.get('/posts/b/scan')
    expect(shown.status).toBe(200)
    clock.time = hour(9)
    const headers = { 'if-none-match': shown.headers.get('etag')! }
    expect((await api.get('/posts/b/scan', headers)).status).toBe(404)
  })

  it('do not make a repeated request another one', async () => {
    const { api, clock } = await world()
    const create = () =>
      api.post(
        '/posts',
        { post: { title: 'N', publishAt: '2026-01-01T00:00:00Z' } },
        { 'idempotency-key': '"k-1"' },
      )
    const first = await create()
    clock.time = hour(23)
    const second = await create()
    expect([second.status, second.at('/post/id')]).toEqual([201, first.at('/post/id')])
  })

  it('see one time in all parts of a request, which hooks read too', async () => {
    const times: Date[] = []
    const router = createRouter({
      policy: rest(),
      store: await make(),
      blobs: memoryBlobs(),
      now: () => {
        times.push(new Date(Date.UTC(2026, 0, 1, times.length)))
        return times.at(-1)!
      },
    })
    const seen: Date[] = []
    router
      .prepare(Post)
      .access(({ item, now }) => ({ read: item.publishAt.lessThanOrEqual(now) }))
      .use({
        query: {
          getList: (query, context) => {
            seen.push(context.now)
            return query.where('seenAt').notEqual(context.now)
          },
        },
      })
    const api = client(router)
    await api.get('/posts')
    await api.get('/posts?withCount=true&page[size]=1&sort=title')
    expect(times).toHaveLength(2)
    expect(seen).toContainEqual(times[1])
  })

  it('are decided anew for a caller that changes between requests while the time does not', async () => {
    const session = { id: 'ann', roles: ['admin'] }
    const now = hour(10)
    const router = createRouter({
      policy: rest(),
      store: await make(),
      blobs: memoryBlobs(),
      security: {
        authentication: [{ ...token, authenticate: () => ({ caller: session }) }],
        callerSchema: z.custom<Caller>(() => true),
      },
      now: () => now,
    })
    router.prepare(Post).access(({ caller }) => ({ read: caller.roles.contains('admin') }))
    await router.load(Post, [{ id: 'a', title: 'A' }])
    const api = client(router)
    expect((await api.get('/posts/a')).status).toBe(200)
    session.roles = []
    expect((await api.get('/posts/a')).status).toBe(404)
  })

  it('are described in words', async () => {
    const router = createRouter({
      policy: jsonApi(),
      store: await make(),
      blobs: memoryBlobs(),
    })
    router.prepare(Post).access(({ item, now }) => ({ read: item.publishAt.lessThanOrEqual(now) }))
    expect(JSON.stringify(router.toOpenApi())).toContain(
      "'publishAt' is at most the time of the request",
    )
  })
})
