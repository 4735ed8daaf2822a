import {
  action,
  createRouter,
  dateTime,
  field,
  model,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Room extends model('room', { name: z.string() }) {}

class Session extends model(
  'session',
  {
    title: z.string(),
    note: z.string().optional(),
    tags: z.array(z.string()).default([]),
    minutes: z.int().default(30),
    begins: dateTime({ date: true }),
    slug: field(z.string().default(''), { readOnly: true }),
    room: toOne<Room>('room', { optional: true }),
    speakers: toMany('speaker'),
  },
  {
    validate: (item, issue) => {
      const session = item as unknown as Session
      if (session.hours() > 8) issue('minutes', `must not be ${session.hours()} hours`)
    },
  },
) {
  /** A member of the class alone. */
  checks = 0
  readonly #unit = 60

  get label() {
    return `${this.title} (${this.begins.getUTCFullYear()})`
  }

  get heading() {
    return this.title.toUpperCase()
  }

  set heading(text: string) {
    this.title = text.toLowerCase()
  }

  hours() {
    return this.minutes / this.#unit
  }

  extend() {
    this.minutes += 30
  }

  static {
    action(this, 'extend')
  }
}

const Speaker = model('speaker', { name: z.string() })

const begins = '2024-05-01T08:00:00Z'

describe.each(stores)('Getters and methods of a class in hooks, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let jsonApiClient: Client
  let log: string[]

  beforeEach(async () => {
    log = []
    const store = await make()
    const blobs = memoryBlobs()
    router = createRouter({ policy: rest(), store, blobs })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store, blobs })
    for (const each of [router, other]) {
      each.prepare(Room)
      each.prepare(Speaker).use({
        write: {
          before: ({ next }) => {
            if (next) log.push(String(Object.getPrototypeOf(next) === Object.prototype))
          },
        },
      })
      each.prepare(Session).use({
        write: {
          before: ({ next, previous, refuse }) => {
            log.push(`before ${previous?.label ?? '-'} > ${next?.label ?? '-'}`)
            if (!next) return
            if (next.hours() === 7) refuse('minutes', 'must not be 7 hours')
            if (next.title === 'shout') next.heading = 'LOUD'
            if (next.title === 'longer') next.extend()
            if (next.title === 'assigned') Object.assign(next, { ...next, note: 'all of it' })
            if (next.title === 'label') Object.assign(next, { label: 'x' })
            if (next.title === 'other') Object.assign(next, { labl: 'x' })
            if (next.title === 'no note') delete (next as { note?: string | undefined }).note
            next.checks++
            next.slug = next.label.replaceAll(' ', '-')
          },
          after: ({ item, previous }) => {
            log.push(`after ${previous?.label ?? '-'} > ${item?.label ?? '-'}`)
          },
          afterCommit: ({ item, previous }) => {
            log.push(`commit ${(item ?? previous)?.hours()} ${item instanceof Session}`)
          },
        },
      })
    }
    api = client(router)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    await router.items(Room).create({ id: 'hall', name: 'Hall' })
  })

  const create = (id: string, values: object = {}) =>
    api.post('/sessions', { session: { id, title: 'Talk', begins, ...values } })

  it('are there for POST, PATCH, PUT, an action, DELETE and items in code', async () => {
    const created = await create('a', { room: 'hall' })
    expect(created.status).toBe(201)
    expect(created.at('/session')).toMatchObject({
      title: 'Talk',
      slug: 'Talk-(2024)',
      minutes: 30,
    })
    await api.patch('/sessions/a', { session: { minutes: 60 } })
    await api.put('/sessions/a', { session: { title: 'Put', begins } })
    await api.post('/sessions/a/extend')
    await router.items(Session).update('a', { title: 'Code' })
    await api.delete('/sessions/a')
    expect(log).toEqual([
      'before - > Talk (2024)',
      'after - > Talk (2024)',
      'commit 0.5 true',
      'before Talk (2024) > Talk (2024)',
      'after Talk (2024) > Talk (2024)',
      'commit 1 true',
      'before Talk (2024) > Put (2024)',
      'after Talk (2024) > Put (2024)',
      'commit 0.5 true',
      'before Put (2024) > Put (2024)',
      'after Put (2024) > Put (2024)',
      'commit 1 true',
      'before Put (2024) > Code (2024)',
      'after Put (2024) > Code (2024)',
      'commit 1 true',
      'before Code (2024) > -',
      'after Code (2024) > -',
      'commit 1 false',
    ])
  })

  it('are there for JSON:API, its relationships and its batches', async () => {
    const resource = { type: 'sessions', id: 'a', attributes: { title: 'Talk', begins } }
    const created = await jsonApiClient.post('/json-api/sessions', { data: resource })
    expect(created.at('/data/attributes/slug')).toBe('Talk-(2024)')
    await jsonApiClient.patch('/json-api/sessions/a', {
      data: { type: 'sessions', id: 'a', attributes: { title: 'Patched' } },
    })
    await jsonApiClient.patch('/json-api/sessions/a/relationships/room', {
      data: { type: 'rooms', id: 'hall' },
    })
    const batch = await jsonApiClient.post(
      '/json-api/operations',
      {
        'atomic:operations': [
          { op: 'add', data: { ...resource, id: 'b' } },
          { op: 'remove', ref: { type: 'sessions', id: 'a' } },
        ],
      },
      {
        'content-type': 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"',
        accept: 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"',
      },
    )
    expect(batch.status).toBe(200)
    expect(log.filter((line) => line.startsWith('before'))).toEqual([
      'before - > Talk (2024)',
      'before Talk (2024) > Patched (2024)',
      'before Patched (2024) > Patched (2024)',
      'before - > Talk (2024)',
      'before Patched (2024) > -',
    ])
  })

  it('set members of the item, and are no members themselves', async () => {
    expect((await create('a', { title: 'shout' })).at('/session/title')).toBe('loud')
    expect((await create('b', { title: 'longer' })).at('/session/minutes')).toBe(60)
    const assigned = await create('c', { title: 'assigned' })
    expect(assigned.at('/session/note')).toBe('all of it')
    expect(Object.keys(assigned.at('/session') as object).sort()).toEqual(
      ['begins', 'id', 'minutes', 'note', 'room', 'slug', 'speakers', 'tags', 'title'].sort(),
    )
    const bare = await create('d', { title: 'no note', note: 'x' })
    expect(bare.at('/session/note')).toBeUndefined()
    expect((await create('e', { title: 'label' })).status).toBe(500)
    expect((await create('f', { title: 'other' })).status).toBe(500)
  })

  it('check items as a whole, also those of code and loaded ones', async () => {
    const long = await create('a', { minutes: 540 })
    expect(long.errors).toMatchObject([
      {
        status: 422,
        detail: "'minutes' must not be 9 hours.",
        source: { pointer: '/session/minutes' },
      },
    ])
    const seven = await create('a', { minutes: 420 })
    expect(seven.errors).toMatchObject([{ status: 422, detail: "'minutes' must not be 7 hours." }])
    const values = { id: 'a', title: 'Talk', begins, minutes: 540 }
    await expect(router.items(Session).create(values)).rejects.toThrow('must not be 9 hours')
    await expect(router.load(Session, [values])).rejects.toThrow('must not be 9 hours')
  })

  it('do not change what a write compares', async () => {
    await create('a')
    log = []
    const { status } = await api.patch('/sessions/a', { session: { title: 'Talk' } })
    expect(status).toBe(200)
    expect(log).toEqual([])
  })

  it('are not there for a model without a class: its hooks get plain values', async () => {
    await router.items(Speaker).create({ name: 'Ann' })
    expect(log).toEqual(['true'])
  })
})

describe.each([
  { name: 'REST', policy: rest(), path: '/session' },
  { name: 'JSON:API', policy: jsonApi(), path: '/data/attributes' },
])('Getters and methods of a class in mappers, under $name', ({ policy, path }) => {
  it('are there, and are sent only where the mapper adds them', async () => {
    const { make } = stores[0]!
    const router = createRouter({ policy, store: await make() })
    router.prepare(Room)
    router.prepare(Speaker)
    router
      .prepare(Session)
      .map((session) => ({ ...session, hours: session.hours(), title: session.label }), {
        adds: { hours: z.number(), label: z.string().optional() },
      })
    await router.items(Session).create({ id: 'a', title: 'Talk', begins })
    const sent = await client(router).get('/sessions/a')
    expect(sent.at(path)).toMatchObject({ title: 'Talk (2024)', hours: 0.5 })
    expect(sent.at(`${path}/label`)).toBeUndefined()
  })
})
