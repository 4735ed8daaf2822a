import {
  createRouter,
  field,
  model,
  RegistrationError,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Room = model('room', { name: z.string(), sessions: toMany('session', { inverse: 'room' }) })
const Session = model(
  'session',
  {
    title: z.string().default('Untitled'),
    start: z.int(),
    end: field(z.int(), { wire: 'finish' }),
    code: field(z.string().nullable().default(null), { immutable: true }),
    hours: z.object({ setup: z.int() }).optional(),
    room: toOne('room', { optional: true, immutable: true, onDelete: 'cascade' }),
  },
  {
    upsert: true,
    validate: {
      check: (session, issue) => {
        if (session.end <= session.start) issue('end', 'must be after start')
        if (session.hours && session.hours.setup > 9) issue('hours.setup', 'must be at most 9')
      },
      description: 'A session finishes after its start.',
    },
  },
)

describe.each(stores)('The check of a whole item, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let jsonApiClient: Client

  beforeEach(async () => {
    const store = await make()
    router = createRouter({ policy: rest(), store })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store })
    for (const each of [router, other]) {
      each.prepare(Room)
      each.prepare(Session).itemOperation('shorten', ({ item }) => {
        item.end -= 5
      })
    }
    api = client(router)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    await api.post('/rooms', { room: { id: 'red', name: 'Red' } })
    await api.post('/rooms', { room: { id: 'blue', name: 'Blue' } })
    await api.post('/sessions', { session: { id: 's', start: 1, finish: 5, room: 'red' } })
  })

  const errorsOf = ({ errors }: Awaited<ReturnType<Client['get']>>) =>
    errors.map(({ status, detail, source }) => [status, detail, source?.pointer])

  it('refuses a create, with a pointer to the member as clients know it', async () => {
    const created = await api.post('/sessions', {
      session: { start: 5, finish: 5, hours: { setup: 10 } },
    })
    expect(errorsOf(created)).toEqual([
      [422, "'finish' must be after start.", '/session/finish'],
      [422, "'hours.setup' must be at most 9.", '/session/hours/setup'],
    ])
  })

  it('refuses a change of one member that does not fit the others', async () => {
    expect(errorsOf(await api.patch('/sessions/s', { session: { start: 9 } }))).toEqual([
      [422, "'finish' must be after start.", '/session'],
    ])
    expect(
      errorsOf(await api.put('/sessions/s', { session: { start: 9, finish: 8, room: 'red' } })),
    ).toEqual([[422, "'finish' must be after start.", '/session/finish']])
    expect((await api.put('/sessions/new', { session: { start: 9, finish: 8 } })).status).toBe(422)
    expect((await api.post('/sessions/s/shorten')).status).toBe(422)
    expect((await api.get('/sessions/s')).at('/session/finish')).toBe(5)
    const patched = await jsonApiClient.patch('/json-api/sessions/s', {
      data: { type: 'sessions', id: 's', attributes: { finish: 0 } },
    })
    expect(patched.at('/errors/0/source/pointer')).toBe('/data/attributes/finish')
  })

  it('refuses items to load, with the id and all that is wrong', async () => {
    const hours = { setup: 10 }
    await expect(router.load(Session, [{ id: 'bad', start: 5, end: 5, hours }])).rejects.toThrow(
      "The session 'bad' cannot be loaded: 'end' must be after start; 'hours.setup' must be at most 9.",
    )
    await expect(
      router.load(Session, [{ id: 'bad', start: 'x' as never, end: 'y' as never }]),
    ).rejects.toThrow(/'bad' cannot be loaded: 'start': .*; 'end': /)
    expect((await api.get('/sessions/bad')).status).toBe(404)
    expect(await router.load(Session, [{ id: 'good', start: 5, end: 6 }])).toBe(1)
  })

  it('is said in the OpenAPI document', () => {
    const document = JSON.stringify(router.toOpenApi())
    expect(document).toContain('A session finishes after its start.')
  })

  it('keeps immutable members as they were first set', async () => {
    expect(errorsOf(await api.patch('/sessions/s', { session: { room: 'blue' } }))).toEqual([
      [403, "'room' cannot change.", '/session/room'],
    ])
    expect((await api.patch('/sessions/s', { session: { room: 'red', code: 'A1' } })).status).toBe(
      200,
    )
    expect(errorsOf(await api.patch('/sessions/s', { session: { code: 'A2' } }))).toEqual([
      [403, "'code' cannot change.", '/session/code'],
    ])
    const relationship = await jsonApiClient.patch('/json-api/sessions/s/relationships/room', {
      data: { type: 'rooms', id: 'blue' },
    })
    expect(relationship.status).toBe(403)
    const inverse = await jsonApiClient.post('/json-api/rooms/blue/relationships/sessions', {
      data: [{ type: 'sessions', id: 's' }],
    })
    expect(inverse.status).toBe(403)
    expect((await api.get('/sessions/s')).at('/session/room')).toBe('red')
  })
})

describe('A registration', () => {
  it('refuses what could never hold', () => {
    const open = (...declaration: Parameters<typeof model>) => {
      const router = createRouter({ policy: rest(), store: memory() })
      router.prepare(model('room', { name: z.string() }))
      router.prepare(model(...declaration))
      return () => router.rules
    }
    const set = { room: toOne('room', { optional: true, immutable: true }) }
    expect(open('desk', set)).toThrow(RegistrationError)
    expect(open('desk', set)).toThrow("'set-null', the default of an optional relation")
    expect(open('desk', {}, { validate: 5 as never })).toThrow("'validate' of the model 'desk'")
    expect(open('desk', {}, { validate: { check: 5, description: '' } as never })).toThrow(
      'must be a function',
    )
  })
})
