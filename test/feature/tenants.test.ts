import { createRouter, field, hash, model, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Customer = model('customer', {
  name: z.string(),
  email: field(z.string(), { unique: true }),
  organization: z.string(),
  invoices: toMany('invoice', { inverse: 'customer' }),
  hash: hash(),
})
const Invoice = model(
  'invoice',
  {
    number: z.int(),
    year: z.int(),
    organization: z.string(),
    customer: toOne('customer', { onDelete: 'cascade' }),
  },
  { unique: [['number', 'year']] },
)
const Country = model('country', { name: z.string() })
const Caller = z.object({ id: z.string(), organization: z.string().optional() })

const Club = model('club', { name: z.string() })
const Member = model('member', {
  name: field(z.string(), { unique: true }),
  club: toOne('club'),
})

it.each(stores)('The field of the option tenant may be a relation ($name)', async ({ make }) => {
  const router = createRouter({
    policy: rest(),
    store: await make(),
    security: {
      authentication: [
        {
          name: 'token',
          scheme: { type: 'http', scheme: 'bearer' },
          authenticate: ({ headers: { authorization } }) =>
            authorization ? { caller: { club: authorization.slice(7) } } : undefined,
        },
      ],
      callerSchema: z.object({ club: z.string() }),
      tenant: { field: 'club', equal: (caller) => caller.club },
    },
  })
  router.prepare(Club)
  router.prepare(Member)
  await router.load(Club, [
    { id: 'chess', name: 'Chess' },
    { id: 'go', name: 'Go' },
  ])
  await router.load(Member, [{ id: 'm1', name: 'Ada', club: 'go' }])
  const api = client(router)
  const chess = { authorization: 'Bearer chess' }
  const go = { authorization: 'Bearer go' }
  // The name is unique within the club.
  const created = await api.post('/members', { member: { name: 'Ada' } }, chess)
  expect(created.status).toBe(201)
  const idsOf = async (caller: Record<string, string>) => {
    const { body } = await api.get('/members', caller)
    return (body as { members: { id: string }[] }).members.map(({ id }) => id)
  }
  expect((await idsOf(chess)).length).toBe(1)
  expect(await idsOf(go)).toEqual(['m1'])
  expect((await api.get('/members/m1', chess)).status).toBe(404)
  expect((await api.get('/members/m1', go)).text).not.toContain('club')
  const moved = { member: { name: 'Bea', club: 'go' } }
  expect((await api.post('/members', moved, chess)).status).toBe(422)
  expect((await api.get('/members')).status).toBe(401)
})

describe.each(stores)('The option tenant ($name)', ({ make }) => {
  async function world() {
    const router = createRouter({
      policy: rest(),
      store: await make(),
      docsPage: true,
      security: {
        authentication: [
          {
            name: 'token',
            scheme: { type: 'http', scheme: 'bearer' },
            authenticate: ({ headers }) => {
              const [id, organization] = headers.authorization?.slice(7).split('@') ?? []
              if (id === undefined) return undefined
              return { caller: { id, ...(organization && { organization }) } }
            },
          },
        ],
        callerSchema: Caller,
        tenant: { field: 'organization', equal: (caller) => caller.organization },
      },
      idempotency: { scope: ({ caller }) => caller?.id ?? '' },
    })
    router.prepare(Customer)
    router.prepare(Invoice)
    router.prepare(Country)
    await router.load(Country, [{ id: 'nl', name: 'Netherlands' }])
    await router.load(Customer, [
      { id: 'c1', name: 'One', email: 'x@y.z', organization: 'acme' },
      { id: 'c2', name: 'Two', email: 'x@y.z', organization: 'other' },
    ])
    return { router, api: client(router) }
  }
  const acme = { authorization: 'Bearer ann@acme' }
  const other = { authorization: 'Bearer bob@other' }

  it('keeps the items of tenants apart, and hides the field', async () => {
    const { api } = await world()
    const list = await api.get('/customers', acme)
    expect(list.ids('customers')).toEqual(['c1'])
    expect(list.text).not.toContain('organization')
    expect((await api.get('/customers/c2', acme)).status).toBe(404)
    expect((await api.get('/customers?filter[organization]=other', acme)).status).toBe(400)
    expect((await api.patch('/customers/c2', { customer: { name: 'X' } }, acme)).status).toBe(404)
    expect((await api.delete('/customers/c2', acme)).status).toBe(404)
    expect((await api.get('/openapi.json', acme)).text).not.toContain('organization')
    expect((await api.get('/countries')).ids('countries')).toEqual(['nl'])
  })

  it('gives nothing to callers without a tenant', async () => {
    const { api } = await world()
    expect((await api.get('/customers')).status).toBe(401)
    const none = { authorization: 'Bearer eve' }
    expect((await api.get('/customers', none)).ids('customers')).toEqual([])
    const item = { customer: { name: 'X', email: 'e' } }
    expect((await api.post('/customers', item, none)).status).toBe(403)
  })

  it('sets the field at creation, and lets no client send it', async () => {
    const { api } = await world()
    const created = await api.post(
      '/customers',
      { customer: { id: 'c3', name: 'X', email: 'e' } },
      acme,
    )
    expect(created.status).toBe(201)
    expect((await api.get('/customers/c3', acme)).status).toBe(200)
    expect((await api.get('/customers/c3', other)).status).toBe(404)
    const sent = { customer: { name: 'X', email: 'f', organization: 'other' } }
    expect((await api.post('/customers', sent, acme)).status).toBe(422)
  })

  it('keeps repetitions apart, also for a user of several tenants', async () => {
    const { router, api } = await world()
    const create = (user: string) =>
      api.post(
        '/customers',
        { customer: { id: 'c3', name: 'New', email: 'n@y.z' } },
        { authorization: `Bearer ${user}`, 'idempotency-key': '"k"' },
      )
    expect((await create('ann@acme')).status).toBe(201)
    const again = await create('ann@acme')
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    const elsewhere = await create('ann@other')
    expect(elsewhere.status).toBe(403)
    expect(elsewhere.text).not.toContain('n@y.z')
    await router.items(Customer).delete('c3')
    expect((await create('ann@acme')).status).toBe(201)
    expect((await create('ann@other')).status).toBe(403)
  })

  it('makes values unique within a tenant', async () => {
    const { api } = await world()
    const taken = await api.post('/customers', { customer: { name: 'X', email: 'x@y.z' } }, acme)
    expect(taken.status).toBe(409)
    expect(taken.errors.map(({ source }) => source?.pointer)).toEqual(['/customer/email'])
    const numbered = (customer: string) => ({ invoice: { number: 1, year: 2026, customer } })
    expect((await api.post('/invoices', numbered('c1'), acme)).status).toBe(201)
    expect((await api.post('/invoices', numbered('c2'), other)).status).toBe(201)
    expect((await api.post('/invoices', numbered('c1'), acme)).status).toBe(409)
  })

  it('treats items of other tenants as missing in relations', async () => {
    const { api } = await world()
    const refused = await api.post(
      '/invoices',
      { invoice: { number: 2, year: 1, customer: 'c2' } },
      acme,
    )
    const missing = await api.post(
      '/invoices',
      { invoice: { number: 2, year: 1, customer: 'cX' } },
      acme,
    )
    expect(refused.status).toBe(422)
    expect(refused.text.replaceAll('c2', 'cX')).toBe(missing.text)
  })

  it('refuses a field that no model has, also where no model has rules', async () => {
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: {
        authentication: [
          {
            name: 'token',
            scheme: { type: 'http', scheme: 'bearer' },
            authenticate: () => undefined,
          },
        ],
        callerSchema: Caller,
        tenant: { field: 'organisation', equal: (caller) => caller.organization },
      },
    })
    router.prepare(Customer)
    router.prepare(Invoice)
    await expect(router.open()).rejects.toThrow(
      /'organisation', which no model.* Did you mean 'organization'/,
    )
  })

  it('does not bind code of the service', async () => {
    const { router } = await world()
    expect(await router.items(Customer).count()).toBe(2)
    const made = await router
      .items(Customer)
      .create({ name: 'S', email: 's', organization: 'third' })
    expect(made.organization).toBe('third')
  })
})
