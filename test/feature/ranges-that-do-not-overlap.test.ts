import { createRouter, field, model, type Store, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Unit = model('unit', { name: z.string() })
const Booking = model(
  'booking',
  {
    unit: toOne('unit', { optional: true, onDelete: 'set-null' }),
    from: z.iso.datetime({ offset: true }).nullish(),
    to: field(z.iso.datetime({ offset: true }).nullish(), { wire: 'until' }),
    status: z.enum(['held', 'cancelled']).default('held'),
    note: z.string().optional(),
  },
  {
    unique: [{ fields: ['unit'], range: ['from', 'to'], where: { status: 'held' } }],
    upsert: true,
  },
)
const hour = (time: number) => `2026-05-01T${String(time).padStart(2, '0')}:00:00Z`

describe.each(stores)('Ranges that do not overlap, on $name', ({ make }) => {
  let store: Store
  let api: Client
  let router: ReturnType<typeof service>['router']
  beforeEach(async () => {
    store = await make()
    const rest = service(store, [Unit, Booking])
    ;({ api, router } = rest)
    await router.load(Unit, [
      { id: 'drill', name: 'Drill' },
      { id: 'saw', name: 'Saw' },
    ])
    await router.load(Booking, [
      { id: 'b1', unit: 'drill', from: hour(10), to: hour(12) },
      { id: 'b2', unit: 'saw', from: hour(10), to: hour(12) },
    ])
  })
  const book = (unit: string | null, from: number | null, until: number | null, more = {}) =>
    api.post('/bookings', {
      booking: {
        unit,
        from: from === null ? null : hour(from),
        until: until === null ? null : hour(until),
        ...more,
      },
    })
  const problems = ({ status, errors }: ClientResponse) => ({
    status,
    errors: errors.map(({ code, source }) => [code, source?.pointer]),
  })
  const overlaps = (pointer: string) => ({ status: 409, errors: [['value-taken', pointer]] })
  const all = overlaps('/booking/unit')

  it('refuses an item that overlaps another one, with one problem that names all fields', async () => {
    for (const [from, until] of [
      [11, 13],
      [9, 11],
      [10, 12],
      [9, 13],
      [10, 11],
    ] as const)
      expect(problems(await book('drill', from, until))).toEqual(all)
    const { errors } = await book('drill', 11, 13)
    expect(errors[0]!.detail).toBe(
      "'unit', 'from' and 'until' must not overlap those of another booking.",
    )
    expect(errors[0]).toMatchObject({ meta: { fields: ['unit', 'from', 'until'] } })
    const later = await api.patch('/bookings/b2', { booking: { unit: 'drill', until: hour(11) } })
    expect(problems(later)).toEqual(all)
    await api.patch('/bookings/b2', { booking: { unit: 'drill', from: hour(12), until: hour(13) } })
    expect(problems(await api.patch('/bookings/b2', { booking: { from: hour(11) } }))).toEqual(
      overlaps('/booking/from'),
    )
    expect(problems(await book('drill', 11, 13, { id: 'b1' })).errors[0]![0]).toBe('already-exists')
  })

  it('lets items be that only touch, or have another value', async () => {
    expect((await book('drill', 12, 14)).status).toBe(201)
    expect((await book('drill', 8, 10)).status).toBe(201)
    expect((await book(null, 10, 12)).status).toBe(201)
    expect((await book(null, 10, 12)).status).toBe(201)
    expect(problems(await book('drill', 9, 11)).status).toBe(409)
  })

  it('compares instants, whatever their zone', async () => {
    const at = (from: string, until: string) =>
      api.post('/bookings', { booking: { unit: 'drill', from, until } })
    expect(problems(await at('2026-05-01T13:30:00+02:00', '2026-05-01T15:00:00+02:00'))).toEqual(
      all,
    )
    expect((await at('2026-05-01T14:00:00+02:00', '2026-05-01T15:00:00+02:00')).status).toBe(201)
  })

  it('takes null for no bound, and no bounds for no range', async () => {
    expect((await book('drill', null, null)).status).toBe(201)
    expect((await book('drill', null, null)).status).toBe(201)
    expect(problems(await book('drill', 11, null))).toEqual(all)
    expect((await book('drill', 14, null)).status).toBe(201)
    expect(problems(await book('drill', 20, 21))).toEqual(all)
    expect(problems(await book('drill', null, 11))).toEqual(all)
    expect((await book('drill', null, 9)).status).toBe(201)
    expect(problems(await book('drill', 1, 2))).toEqual(all)
  })

  it('holds its condition', async () => {
    const cancelled = await book('drill', 10, 12, { status: 'cancelled' })
    expect(cancelled.status).toBe(201)
    const { id } = (cancelled.body as { booking: { id: string } }).booking
    expect(problems(await api.patch(`/bookings/${id}`, { booking: { status: 'held' } }))).toEqual(
      overlaps('/booking'),
    )
    const freed = await api.patch('/bookings/b1', { booking: { status: 'cancelled' } })
    expect(freed.status).toBe(200)
    expect((await api.patch(`/bookings/${id}`, { booking: { status: 'held' } })).status).toBe(200)
  })

  it('refuses an end that is not after the beginning', async () => {
    for (const [from, until] of [
      [12, 11],
      [15, 15],
    ] as const) {
      const response = await book('drill', from, until)
      expect(problems(response)).toEqual({
        status: 422,
        errors: [['invalid-member', '/booking/until']],
      })
      expect(response.errors[0]!.detail).toBe("'until' must be after 'from'.")
    }
  })

  it('holds for changes, replacements, relationships, batches and code', async () => {
    const change = await api.patch('/bookings/b2', { booking: { unit: 'drill' } })
    expect(problems(change)).toEqual(overlaps('/booking/unit'))
    const booking = { unit: 'drill', from: hour(11), until: hour(14) }
    expect(problems(await api.put('/bookings/b2', { booking }))).toEqual(all)
    expect(problems(await api.put('/bookings/b9', { booking: { id: 'b9', ...booking } }))).toEqual(
      all,
    )
    expect(
      (await api.patch('/bookings/b1', { booking: { until: hour(13), note: 'x' } })).status,
    ).toBe(200)
    await expect(
      router.items(Booking).create({ unit: 'drill', from: hour(12), to: hour(14) }),
    ).rejects.toThrow('must not overlap')
    const document = createRouter({ policy: jsonApi(), store })
    for (const prepared of [Unit, Booking]) document.prepare(prepared)
    const json = client(document, 'http://localhost', 'application/vnd.api+json')
    const moved = await json.patch('/bookings/b2/relationships/unit', {
      data: { type: 'units', id: 'drill' },
    })
    expect(problems(moved)).toEqual(overlaps('/data'))
    const add = (from: number, until: number) => ({
      op: 'add',
      data: {
        type: 'bookings',
        attributes: { from: hour(from), until: hour(until) },
        relationships: { unit: { data: { type: 'units', id: 'saw' } } },
      },
    })
    const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const batch = await json.post(
      '/operations',
      { 'atomic:operations': [add(14, 16), add(15, 17)] },
      { 'content-type': type, accept: type },
    )
    expect(problems(batch)).toEqual(overlaps('/atomic:operations/1/data/relationships/unit/data'))
    expect((await api.get('/bookings')).ids('bookings')).toHaveLength(2)
  })

  it('lets one of several bookings at once win', async () => {
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => book('saw', 14 + (index % 2), 17)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)])
  })

  it('is told in the document, with its responses', async () => {
    const document = router.toOpenApi({ info: { title: 'Test', version: '1' } })
    const { post } = (
      document.paths as Record<string, Record<string, { description: string; responses: object }>>
    )['/bookings']!
    expect(post!.description).toContain(
      'No two items whose `status` is "held" with the same `unit` overlap from `from` to `until`, which is not part of the range (409).',
    )
    expect(Object.keys(post!.responses)).toContain('409')
  })
})

describe.each(stores)('Ranges of other types, on $name', ({ make }) => {
  it.each([
    ['dates', z.iso.date(), ['2026-05-01', '2026-05-04', '2026-05-03', '2026-05-06']],
    ['integers', z.int(), [1, 4, 3, 6]],
    ['numbers', z.number(), [1.5, 4.25, 4.2, 6]],
  ] as const)('of %s', async (_, schema, [first, second, third, fourth]) => {
    const Lease = model(
      'lease',
      { flat: z.int(), isOpen: z.boolean(), from: schema, to: schema },
      { unique: [{ fields: ['flat', 'isOpen'], range: ['from', 'to'] }] },
    )
    const { api } = service(await make(), [Lease])
    const post = async (from: unknown, to: unknown, isOpen = true) =>
      (await api.post('/leases', { lease: { flat: 1, isOpen, from, to } })).status
    expect(await post(first, second)).toBe(201)
    expect(await post(third, fourth)).toBe(409)
    expect(await post(third, fourth, false)).toBe(201)
    expect(await post(second, fourth)).toBe(201)
  })
})

describe('A range that is declared wrongly', () => {
  const refusal = (unique: unknown) => {
    const fields = {
      room: z.string(),
      day: z.iso.date(),
      until: z.iso.datetime(),
      end: z.iso.date(),
      tags: z.array(z.string()),
    }
    const router = createRouter({ policy: jsonApi(), store: {} as Store })
    try {
      router.prepare(model('stay', fields, { unique } as never))
      void router.rules
    } catch (error) {
      return (error as Error).message
    }
    return 'taken'
  }
  it.each([
    [[{ fields: ['room'], range: ['day', 'end'] }], 'taken'],
    [[{ fields: ['room'], range: ['day'] }], "The option 'unique' of the model 'stay' must be"],
    [
      [{ fields: ['room'], range: ['day', 'until'] }],
      'has bounds of two types, date and date-time',
    ],
    [[{ fields: ['room'], range: ['day', 'day'] }], 'names a field twice'],
    [[{ fields: ['day'], range: ['day', 'end'] }], 'names a field twice'],
    [[{ fields: ['room'], range: ['room', 'end'] }], "names 'room'; expected two fields"],
    [[{ fields: ['room'], range: ['tags', 'end'] }], "names 'tags', which cannot be indexed"],
    [[{ fields: ['until'], range: ['day', 'end'] }], "'until' must be a relation"],
    [[{ fields: [], range: ['day', 'end'] }], 'must name a field'],
  ])('%j', (unique, text) => {
    expect(refusal(unique)).toContain(text)
  })
})
