import {
  date,
  dateTime,
  decimal,
  field,
  model,
  RegistrationError,
  type Router,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Customer = model('customer', {
  credit: decimal(30, 4, { nullable: true, default: '0' }),
  orders: toMany('order', { inverse: 'customer' }),
})
const Order = model(
  'order',
  {
    total: decimal(10, 2),
    indexed: field(decimal(10, 2, { optional: true }), { index: true }),
    code: field(decimal(4, 0, { optional: true }), { unique: true }),
    secret: field(decimal(10, 2, { optional: true }), { hidden: true }),
    shipping: struct({ cost: decimal(6, 3, { optional: true }) }, { optional: true }),
    parts: z.array(z.string().meta({ format: 'decimal' })).optional(),
    placedAt: dateTime({ default: () => '2024-05-01T00:00:00Z' }),
    due: date({ optional: true }),
    customer: toOne('customer', { optional: true }),
  },
  { unique: [['customer', 'total']] },
)

/** In the order of the numbers; the texts of one group are equal. */
const numbers = [
  ['-99999999.99'],
  ['-10', '-10.00'],
  ['-9.5', '-9.50'],
  ['-9.49'],
  ['-0', '0', '0.00'],
  ['0.05'],
  ['0.5', '0.50'],
  ['2'],
  ['9.99'],
  ['10', '10.0'],
  ['10.01'],
  ['12345678.90'],
  ['99999999.99'],
] as const
const orders = numbers.flatMap((same, group) =>
  same.map((total, nth) => ({
    id: `${String.fromCharCode(97 + group)}${nth}`,
    total,
    indexed: total,
    shipping: { cost: total.length < 6 ? total : undefined },
    parts: [total],
  })),
)
const ids = orders.map(({ id }) => id)

describe.each(stores)('Decimal numbers and dates, on $name', ({ make }) => {
  let api: Client
  let router: Router
  beforeEach(async () => {
    const fixture = service(await make(), [Customer, Order])
    router = fixture.router
    api = fixture.api
    await router.load(Customer, [
      { id: 'c1', credit: '1234567890123456789012345.6789' },
      { id: 'c2', credit: '1234567890123456789012345.6788' },
    ])
    await router.load(Order, orders.toReversed())
  })
  const list = async (query: string) => {
    const response = await api.get(`/orders?${query}`)
    expect(response.status, response.text).toBe(200)
    return response.ids('orders')
  }
  const post = (order: object) => api.post('/orders', { order: { total: '1', ...order } })

  it.each(['total', 'indexed'])('sort by number, by %s', async (name) => {
    expect(await list(`sort=${name}`)).toEqual(ids)
    expect(await list(`sort=-${name}`)).toEqual(ids.toReversed())
    const pages: string[] = []
    let query: string | undefined = `sort=${name}&page[size]=3`
    while (query !== undefined) {
      const response = await api.get(`/orders?${query}`)
      pages.push(...response.ids('orders'))
      query = response.link('next')?.split('?')[1]
    }
    expect(pages).toEqual(ids)
  })

  it.each(['total', 'indexed'])('compare as numbers, by %s', async (name) => {
    for (const same of numbers) {
      const group = ids.filter((_, index) =>
        (same as readonly string[]).includes(orders[index]!.total),
      )
      for (const total of same) {
        expect(await list(`filter[${name}]=${total}`)).toEqual(group)
        expect(await list(`filter[${name}][in]=${total},5.55`)).toEqual(group)
        expect(await list(`filter[${name}][lt]=${total}`)).toEqual(
          ids.slice(0, ids.indexOf(group[0]!)),
        )
        expect(await list(`filter=gte(${name},'${total}')`)).toEqual(
          ids.slice(ids.indexOf(group[0]!)),
        )
      }
    }
    expect(await list(`filter[${name}][gt]=9.999`)).toEqual(ids.slice(ids.indexOf('j0')))
    expect(await list(`filter[${name}][lt]=1000000000000000000000000000000`)).toEqual(ids)
  })

  it('may be null by default', async () => {
    const Note = model('note', { due: date({ nullable: true, default: null }) })
    const notes = service(await make(), [Note]).api
    const response = await notes.post('/notes', { note: { id: 'n' } })
    expect(response.body).toEqual({ note: { id: 'n', due: null } })
    expect(() => date({ default: null })).toThrow('The default of date() is null')
  })

  it('compare in structs, arrays and related items, with all of their digits', async () => {
    expect(await list("filter=and(lt(shipping.cost,'-9.4'),not(isNull(shipping.cost)))")).toEqual([
      'b0',
      'c0',
      'c1',
      'd0',
    ])
    expect(await list('filter[shipping.cost][gte]=2&sort=-shipping.cost')).toEqual([
      'k0',
      'j1',
      'j0',
      'i0',
      'h0',
    ])
    expect(await list('filter[parts][any]=10.000')).toEqual(['j0', 'j1'])
    expect(await list('filter[parts][all]=10,10.0')).toEqual(['j0', 'j1'])
    await post({ id: 'x1', customer: 'c1' })
    await post({ id: 'x2', customer: 'c2' })
    expect(await list('filter[customer.credit][gt]=1234567890123456789012345.6788')).toEqual(['x1'])
    expect(await list('filter[customer.credit][isNull]=false&sort=customer.credit')).toEqual([
      'x2',
      'x1',
    ])
  })

  it('are kept in one form', async () => {
    const created = await post({ total: '9.5', shipping: { cost: '-0' } })
    expect(created.status).toBe(201)
    expect(created.at('/order')).toMatchObject({ total: '9.50', placedAt: '2024-05-01T00:00:00Z' })
    expect(created.at('/order/shipping')).toEqual({ cost: '0.000' })
    const path = `/orders/${created.at('/order/id')}`
    expect((await api.get(path)).body).toEqual(created.body)
    const placed = await api.patch(path, { order: { placedAt: '2024-05-01T10:00:00.500+02:00' } })
    expect(placed.at('/order/placedAt')).toBe('2024-05-01T08:00:00.5Z')
    for (const [sent, kept] of [
      ['2024-05-01T08:00:00.790Z', '2024-05-01T08:00:00.79Z'],
      ['2024-05-01T08:00:00.000Z', '2024-05-01T08:00:00Z'],
      ['2024-05-01T10:00:00.500+02:00', '2024-05-01T08:00:00.5Z'],
    ])
      expect((await api.patch(path, { order: { placedAt: sent } })).at('/order/placedAt')).toBe(
        kept,
      )
    const unchanged = await api.patch(path, { order: { total: '9.5' } })
    expect(unchanged.etag).toBe(placed.etag)
    expect((await api.get('/customers/c1')).at('/customer/credit')).toBe(
      '1234567890123456789012345.6789',
    )
  })

  it('are unique as numbers and instants', async () => {
    expect((await post({ code: '42' })).status).toBe(201)
    expect((await post({ code: '42' })).status).toBe(409)
    expect((await post({ customer: 'c1', total: '1.5' })).status).toBe(201)
    expect((await post({ customer: 'c1', total: '1.50' })).status).toBe(409)
  })

  it.each([
    ['total', '9.999'],
    ['total', '123456789'],
    ['total', '1e3'],
    ['total', '01'],
    ['total', '+1'],
    ['total', '.5'],
    ['total', ' 1'],
    ['total', 'NaN'],
    ['total', 1.5],
    ['total', null],
    ['placedAt', '2024-05-01T10:00:00'],
    ['placedAt', '2024-02-30T10:00:00Z'],
    ['placedAt', '2024-05-01T10:00:60Z'],
    ['placedAt', '0001-01-01T00:00:00+01:00'],
    ['placedAt', '2024-05-01T10:00:00.1234567Z'],
    ['placedAt', '2024-05-01'],
    ['due', '2024-02-30'],
    ['due', '2024-5-1'],
  ])('refuse %s %j', async (name, value) => {
    const response = await post({ [name]: value })
    expect(response.errors.map(({ code, source }) => [code, source?.pointer])).toEqual([
      ['invalid-member', `/order/${name}`],
    ])
  })

  it('compare with the year 0, which no item has', async () => {
    const all = await list('')
    const count = all.length
    await api.patch(`/orders/${all[0]}`, { order: { due: '0001-01-01' } })
    for (const before of ['0000-01-01', '0000-12-31']) {
      expect(await list(`filter[due][gt]=${before}`)).toEqual([all[0]])
      expect(await list(`filter[due][lte]=${before}&filter[due][isNull]=false`)).toEqual([])
    }
    for (const before of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00%2B14:00']) {
      expect(await list(`filter[placedAt][gte]=${before}`)).toHaveLength(count)
      expect(await list(`filter[placedAt][lt]=${before}`)).toEqual([])
    }
  })

  it.each(['9999-12-31T23:30:00-01:00', '0000-01-01T00:30:00%2B01:00'])(
    'refuse filters by %s, whose year in UTC has no four digits',
    async (instant) => {
      for (const operator of ['eq', 'lt', 'gte']) {
        const { errors } = await api.get(`/orders?filter[placedAt][${operator}]=${instant}`)
        expect(errors).toMatchObject([
          {
            status: 400,
            code: 'invalid-value',
            source: { parameter: expect.stringContaining('placedAt') },
          },
        ])
        expect(errors[0]?.detail).toContain('a date-time in the years 0 to 9999 in UTC')
      }
      expect((await api.get('/orders?filter[placedAt][lt]=9999-12-31T23:30:00Z')).status).toBe(200)
    },
  )

  it('refuse filters by other texts, and cannot be searched as text', async () => {
    expect((await api.get('/orders?filter[total]=abc')).errors[0]?.code).toBe('invalid-value')
    expect((await api.get('/orders?filter[total][contains]=1')).errors[0]?.code).toBe(
      'unknown-operator',
    )
    const read = async () => {
      for await (const _ of router.query(Order).where('total').contains('1').exec()) return
    }
    await expect(read()).rejects.toThrow(
      "'total' is a decimal number, which cannot be searched as text.",
    )
  })

  it('are described in the OpenAPI document', () => {
    const text = JSON.stringify(router.toOpenApi({ info: { title: 'x', version: '1' } }))
    expect(text).toContain('"format":"decimal"')
    expect(text).toContain(String.raw`"pattern":"^-?(?:0|[1-9]\\d{0,7})(?:\\.\\d{1,2})?$"`)
  })
})

it('Digits and defaults that are impossible are refused', () => {
  const decimalOf = decimal as (precision: number, scale: number, options?: object) => unknown
  expect(() => decimalOf(0, 0)).toThrow('The precision of decimal() must be an integer from 1')
  expect(() => decimalOf(2, 3)).toThrow('The scale of decimal() must be an integer from 0 to')
  expect(() => decimalOf(4, 2, { default: '1.234' })).toThrow(RegistrationError)
  expect(() => decimalOf(4, 2, { default: 0 })).toThrow(
    'The default of decimal() must be a text, as in JSON; got the number 0.',
  )
  expect(() => decimalOf(4, 2, { optionel: true })).toThrow("Unknown option 'optionel'")
  expect(() => date({ default: 'today' })).toThrow("The default 'today' of date() is invalid")
})

it.each([
  ['an array', z.array(decimal(5, 2) as never)],
  ['an object', z.object({ price: decimal(5, 2) as never })],
])('%s of zod with a schema of resourcery inside is refused, with what to use', (_, schema) => {
  expect(() => service(memory(), [model('order', { prices: schema })]).router.rules).toThrow(
    /'prices'.* has a schema of resourcery.*Use list\(\) instead of z\.array\(\)/,
  )
})
