import { createRouter, model, type Store, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Caller, token } from '../support/access-world.ts'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const fields = {
  stars: z.int(),
  seat: z.int().optional(),
  status: z.enum(['open', 'closed']).default('open'),
  talk: toOne('talk', { optional: true, onDelete: 'set-null' }),
  attendee: z.string().optional(),
}
const Talk = model('talk', {
  title: z.string(),
  ratings: toMany('rating', { inverse: 'talk' }),
})
const Rating = model('rating', fields, {
  unique: [['talk', 'attendee'], { fields: ['seat'], where: { status: 'open' } }],
  upsert: true,
})
const LooseRating = model('rating', fields, { upsert: true })
const atomicType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

describe.each(stores)('Fields that are unique together, on $name', ({ make }) => {
  let store: Store
  let api: Client
  let json: Client
  beforeEach(async () => {
    store = await make()
    const rest = service(store, [Talk, Rating])
    api = rest.api
    const router = createRouter({ policy: jsonApi(), store })
    for (const entry of [Talk, Rating]) router.prepare(entry)
    json = client(router, 'http://localhost', 'application/vnd.api+json')
    await rest.router.load(Talk, [
      { id: 't1', title: 'One' },
      { id: 't2', title: 'Two' },
    ])
    await rest.router.load(Rating, [
      { id: 'r1', stars: 5, talk: 't1', attendee: 'ada', seat: 1 },
      { id: 'r2', stars: 4, talk: 't2', attendee: 'ada', seat: 2 },
    ])
  })
  const taken = ({ status, errors }: ClientResponse) => ({
    status,
    errors: errors.map(({ code, source }) => [code, source?.pointer]),
  })
  const conflict = (pointer: string) => ({ status: 409, errors: [['value-taken', pointer]] })
  const post = (rating: object) => api.post('/ratings', { rating: { stars: 3, ...rating } })
  const patch = (id: string, rating: object) => api.patch(`/ratings/${id}`, { rating })

  it('refuses a second item, with one problem that names all fields', async () => {
    const response = await post({ talk: 't1', attendee: 'ada' })
    expect(taken(response)).toEqual(conflict('/rating/talk'))
    expect(response.errors[0]!.detail).toBe(
      "'talk' and 'attendee' must be unique together; another rating already has these values.",
    )
    expect(response.errors[0]).toMatchObject({ meta: { fields: ['talk', 'attendee'] } })
    expect(taken(await patch('r2', { talk: 't1' }))).toEqual(conflict('/rating/talk'))
    expect(taken(await patch('r2', { talk: 't1', stars: 1 }))).toEqual(conflict('/rating/talk'))
    const put = await api.put('/ratings/r2', { rating: { stars: 1, talk: 't1', attendee: 'ada' } })
    expect(taken(put)).toEqual(conflict('/rating/talk'))
    const upsert = await api.put('/ratings/r9', {
      rating: { id: 'r9', stars: 1, talk: 't1', attendee: 'ada' },
    })
    expect(taken(upsert)).toEqual(conflict('/rating/talk'))
    expect((await patch('r1', { talk: 't1', attendee: 'ada', stars: 2 })).status).toBe(200)
    expect((await patch('r2', { talk: 't1', attendee: 'bob' })).status).toBe(200)
  })

  it('points at no field that has its default', async () => {
    const Seat = model(
      'seat',
      { row: z.int(), hall: z.string().default('main') },
      { unique: [['hall', 'row']] },
    )
    const made = await make()
    const seats = service(made, [Seat]).api
    expect((await seats.post('/seats', { seat: { row: 1 } })).status).toBe(201)
    expect(taken(await seats.post('/seats', { seat: { row: 1 } }))).toEqual(conflict('/seat/row'))
    const router = createRouter({ policy: jsonApi(), store: made })
    router.prepare(Seat)
    const data = { type: 'seats', attributes: { row: 1 } }
    const seatsOfJsonApi = client(router, 'http://localhost', 'application/vnd.api+json')
    expect(taken(await seatsOfJsonApi.post('/seats', { data }))).toEqual(
      conflict('/data/attributes/row'),
    )
  })

  it('counts no item with null in one of the fields', async () => {
    for (const talk of ['t1', 't1']) expect((await post({ talk })).status).toBe(201)
    for (const attendee of ['ada', 'ada']) expect((await post({ attendee })).status).toBe(201)
    expect((await api.delete('/talks/t1')).status).toBe(204)
    expect((await api.delete('/talks/t2')).status).toBe(204)
    expect((await api.get('/ratings?filter[talk][isNull]=true')).ids('ratings')).toHaveLength(6)
  })

  it('holds a condition for the items that satisfy it', async () => {
    expect(taken(await post({ seat: 1 }))).toEqual(conflict('/rating/seat'))
    expect((await post({ seat: 1, status: 'closed' })).status).toBe(201)
    expect(taken(await patch('r2', { seat: 1 }))).toEqual(conflict('/rating/seat'))
    expect((await patch('r2', { seat: 1, status: 'closed' })).status).toBe(200)
    // What makes the conflict is a field of the condition, which is no field of the set.
    expect(taken(await patch('r2', { status: 'open' }))).toEqual(conflict('/rating'))
  })

  it('holds for relationships, from both sides', async () => {
    const toTalk = await json.patch('/ratings/r2/relationships/talk', {
      data: { type: 'talks', id: 't1' },
    })
    expect(taken(toTalk)).toEqual(conflict('/data'))
    const inverse = await json.post('/talks/t1/relationships/ratings', {
      data: [
        { type: 'ratings', id: 'r1' },
        { type: 'ratings', id: 'r2' },
      ],
    })
    expect(taken(inverse)).toEqual(conflict('/data/1'))
    const created = await json.post('/talks', {
      data: {
        type: 'talks',
        attributes: { title: 'Three' },
        relationships: {
          ratings: {
            data: [
              { type: 'ratings', id: 'r1' },
              { type: 'ratings', id: 'r2' },
            ],
          },
        },
      },
    })
    expect(taken(created)).toEqual(conflict('/data/relationships/ratings/data/1'))
    expect((await api.get('/ratings?filter[talk]=t2')).ids('ratings')).toEqual(['r2'])
  })

  it('holds within a batch, which changes nothing then', async () => {
    const add = (attendee: string) => ({
      op: 'add',
      data: {
        type: 'ratings',
        attributes: { stars: 1, attendee },
        relationships: { talk: { data: { type: 'talks', id: 't1' } } },
      },
    })
    const send = (...operations: object[]) =>
      json.post(
        '/operations',
        { 'atomic:operations': operations },
        { 'content-type': atomicType, accept: atomicType },
      )
    expect(taken(await send(add('bob'), add('bob')))).toEqual(
      conflict('/atomic:operations/1/data/relationships/talk/data'),
    )
    expect((await api.get('/ratings')).ids('ratings')).toEqual(['r1', 'r2'])
    const remove = { op: 'remove', ref: { type: 'ratings', id: 'r1' } }
    expect((await send(remove, add('ada'))).status).toBe(200)
  })

  it('lets one of many requests at once have the values', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await post({ talk: 't1', attendee: 'eve' })).status),
    )
    expect(statuses.toSorted()).toEqual([201, ...Array(7).fill(409)])
  })

  it('refuses to start where stored items have the same values, and names them', async () => {
    const loose = await make()
    const before = service(loose, [Talk, LooseRating])
    const rating = { stars: 1, talk: 't1', attendee: 'ada', status: 'closed' as const }
    await before.router.load(Talk, [{ id: 't1', title: 'One' }])
    await before.router.load(LooseRating, [
      { ...rating, id: 'r1' },
      { ...rating, id: 'r2', attendee: 'bob' },
      { ...rating, id: 'r3' },
    ])
    const start = service(loose, [Talk, Rating]).router.open()
    await expect(start).rejects.toThrow(
      "The fields 'talk' and 'attendee' of the model 'rating' are unique together",
    )
    await expect(start).rejects.toThrow(/r1.*r3/)
    await before.api.delete('/ratings/r3')
    const { api: after, router } = service(loose, [Talk, Rating])
    await router.open()
    expect((await after.post('/ratings', { rating })).status).toBe(409)
  })

  it('is said in the OpenAPI document', () => {
    const document = createRouterOf(store).toOpenApi({ info: { title: 'x', version: '1' } })
    const shared = document.components?.responses as Record<string, object>
    const codes = ({ responses: { 409: response } }: OperationText) =>
      JSON.stringify([response, response?.$ref && shared[response.$ref.split('/').at(-1)!]])
    const { post: create } = document.paths['/ratings'] as { post: OperationText }
    expect(create.description).toContain(
      'No two items have the same `talk` and `attendee` (409). No two items whose `status` is "open" have the same `seat` (409).',
    )
    expect(codes(create)).toContain('value-taken')
    const relationship = document.paths['/talks/{id}/relationships/ratings'] as {
      post: OperationText
      delete: OperationText
    }
    expect(codes(relationship.post)).toContain('value-taken')
    expect(codes(relationship.delete)).not.toContain('value-taken')
  })
})

interface OperationText {
  readonly description: string
  readonly responses: Readonly<Record<string, { readonly $ref?: string } | undefined>>
}

function createRouterOf(store: Store) {
  const router = createRouter({ policy: jsonApi(), store })
  for (const entry of [Talk, Rating]) router.prepare(entry)
  return router
}

describe('Unique sets that are refused at registration', () => {
  const register = (unique: unknown) => {
    const entry = model('rating', fields, { unique } as never)
    return () =>
      service({ open: async () => {} } as never, [Talk, entry]).router.toOpenApi({
        info: { title: 'x', version: '1' },
      })
  }

  it.each([
    ['talk', "The option 'unique' of the model 'rating' must be an array of sets"],
    [[['talk', 1]], "The option 'unique' of the model 'rating' must be an array of sets"],
    [[['seat']], "The unique set 'seat' of the model 'rating' has one field and no condition"],
    [[[]], "The unique set no fields of the model 'rating' must name a field."],
    [[['seat', 'seat']], "names 'seat' twice"],
    [[['seat', 'id']], "names 'id', which is unique by itself"],
    [[['seat', 'attende']], "names the unknown field 'attende'. Did you mean 'attendee'?"],
    [
      [
        ['talk', 'seat'],
        ['seat', 'talk'],
      ],
      'is declared twice',
    ],
    [[{ fields: ['seat'], where: { status: 'shut' } }], 'expected "open", "closed" or null'],
    [
      [{ fields: ['seat'], where: { stars: '1' } }],
      'expected a value of the type integer, or null',
    ],
    [[{ fields: ['seat'], where: { talk: null } }], "names the relation 'talk'"],
  ])('%j', (unique, sentence) => {
    expect(register(unique)).toThrow(sentence)
  })
})

it('are named without what their caller does not see, also at a relationship', async () => {
  const Room = model('room', { name: z.string() })
  const Seat = model(
    'seat',
    { label: z.string(), secret: z.string().default('s'), room: toOne('room') },
    { unique: [['label', 'secret', 'room']] },
  )
  const router = createRouter({
    policy: jsonApi(),
    store: memory(),
    security: { authentication: [token], callerSchema: Caller },
  })
  router.prepare(Room)
  router.prepare(Seat).access(({ caller, anyone }) => ({
    read: anyone,
    update: anyone,
    fields: { secret: { read: caller.roles.contains('admin') } },
  }))
  await router.load(
    Room,
    ['r1', 'r2'].map((id) => ({ id, name: id })),
  )
  await router.load(
    Seat,
    ['r1', 'r2'].map((room) => ({ id: `seat-${room}`, label: '1', room })),
  )
  const anonymous = client(router, 'http://localhost', 'application/vnd.api+json')
  const data = { type: 'rooms', id: 'r2' }
  const taken = await anonymous.patch('/seats/seat-r1/relationships/room', { data })
  expect(taken.status).toBe(409)
  expect(taken.errors[0]).toMatchObject({ meta: { fields: ['label', 'room'] } })
  expect(taken.text).not.toContain('secret')
})
