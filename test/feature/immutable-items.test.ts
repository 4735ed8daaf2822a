import {
  Action,
  ApiError,
  createRouter,
  field,
  file,
  model,
  type Router,
  timestamps,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Customer extends model('customer', {
  name: z.string(),
  invoices: toMany<Invoice>('invoice', { inverse: 'customer' }),
}) {}

class Tag extends model('tag', {}) {}

class Folder extends model('folder', {}) {}

class Invoice extends model(
  'invoice',
  {
    total: z.int(),
    status: z.enum(['draft', 'issued', 'cancelled']).default('draft'),
    paidOn: z.string().nullable().default(null),
    lock: field(z.string().optional(), { hidden: true }),
    customer: toOne<Customer>('customer', { onDelete: 'cascade' }),
    folder: toOne<Folder>('folder', { optional: true }),
    tags: toMany<Tag>('tag'),
    scan: file({ maxBytes: 100 }),
    ...timestamps(),
  },
  { immutable: { where: { status: ['issued', 'cancelled'] }, except: ['paidOn', 'folder'] } },
) {
  @Action
  issue(): void {
    this.status = 'issued'
  }

  @Action
  double(): void {
    this.total *= 2
  }

  @Action({ output: z.object({ total: z.int() }) })
  read(): { total: number } {
    return { total: this.total }
  }
}

const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
const reason = ": 'status' has its final value."
const changed = `The invoice can no longer be changed${reason} Only 'paidOn' and 'folder' can change.`
const deleted = `The invoice can no longer be deleted${reason}`

describe.each(stores)('An immutable item, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let jsonApiClient: Client

  beforeEach(async () => {
    const store = await make()
    const blobs = memoryBlobs()
    router = createRouter({ policy: rest(), store, blobs, capabilities: 'items' })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store, blobs })
    for (const each of [router, other])
      for (const prepared of [Customer, Invoice, Tag, Folder]) each.prepare(prepared)
    api = client(router)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    for (const id of ['c-1', 'c-2']) await router.items(Customer).create({ id, name: id })
    for (const id of ['t-1', 't-2']) await router.items(Tag).create({ id })
    await router.items(Folder).create({ id: 'f-1' })
    await router.items(Invoice).create({
      id: 'i-1',
      total: 5,
      customer: 'c-1',
      folder: 'f-1',
      tags: ['t-1'],
    })
    await router.items(Invoice).create({ id: 'i-2', total: 7, customer: 'c-2' })
  })

  const issue = () => api.post('/invoices/i-1/issue')
  const send = async (response: ReturnType<Client['get']>) => {
    const { status, errors } = await response
    return [status, errors[0]?.code, errors[0]?.detail]
  }
  const expectUnchanged = async (text: string) =>
    expect((await api.get('/invoices/i-1')).text).toBe(text)

  it('changes and is deleted before', async () => {
    expect((await api.patch('/invoices/i-1', { invoice: { total: 6 } })).status).toBe(200)
    expect((await api.post('/invoices/i-1/double')).at('/invoice/total')).toBe(12)
    expect((await issue()).at('/invoice/status')).toBe('issued')
    expect((await api.delete('/invoices/i-2')).status).toBe(204)
  })

  it('is changed and deleted by no request', async () => {
    await issue()
    const { text } = await api.get('/invoices/i-1')
    const whole = (await api.get('/invoices/i-1')).at('/invoice') as Record<string, unknown>
    const conflict = [409, 'conflict', changed]
    const identifier = { type: 'invoices', id: 'i-1' }
    const to = (id: string) => ({ data: { type: 'customers', id } })
    const relationship = (name: string) => `/json-api/invoices/i-1/relationships/${name}`
    expect(await send(api.patch('/invoices/i-1', { invoice: { total: 6 } }))).toEqual(conflict)
    expect(await send(api.patch('/invoices/i-1', { invoice: { status: 'draft' } }))).toEqual(
      conflict,
    )
    expect(await send(api.put('/invoices/i-1', { invoice: { ...whole, total: 6 } }))).toEqual(
      conflict,
    )
    expect(await send(api.delete('/invoices/i-1'))).toEqual([409, 'conflict', deleted])
    expect(await send(api.post('/invoices/i-1/double'))).toEqual(conflict)
    expect(
      await send(api.post('/invoices/i-1/scan', 'x', { 'content-type': 'text/plain' })),
    ).toEqual(conflict)
    expect(await send(jsonApiClient.patch(relationship('customer'), to('c-2')))).toEqual(conflict)
    expect(
      await send(jsonApiClient.post(relationship('tags'), { data: [{ type: 'tags', id: 't-2' }] })),
    ).toEqual(conflict)
    expect(
      await send(
        jsonApiClient.post('/json-api/customers/c-2/relationships/invoices', {
          data: [identifier],
        }),
      ),
    ).toEqual(conflict)
    expect(
      await send(
        jsonApiClient.post('/json-api/customers', {
          data: {
            type: 'customers',
            attributes: { name: 'x' },
            relationships: { invoices: { data: [identifier] } },
          },
        }),
      ),
    ).toEqual(conflict)
    const operations = [{ op: 'update', data: { ...identifier, attributes: { total: 6 } } }]
    const batch = jsonApiClient.post(
      '/json-api/operations',
      JSON.stringify({ 'atomic:operations': operations }),
      { 'content-type': atomic, accept: atomic },
    )
    expect(await send(batch)).toEqual(conflict)
    await expectUnchanged(text)
  })

  it('restricts the deletion of items, whatever onDelete says', async () => {
    await issue()
    const { text } = await api.get('/invoices/i-1')
    expect(await send(api.delete('/customers/c-1'))).toEqual([
      409,
      'still-referenced',
      "The customer is still referenced by 'customer' of invoices. Change or delete these first.",
    ])
    expect((await api.delete('/tags/t-1')).errors[0]?.code).toBe('still-referenced')
    await expectUnchanged(text)
    expect((await api.delete('/customers/c-2')).status).toBe(204)
    // Its relation is excepted.
    expect((await api.delete('/folders/f-1')).status).toBe(204)
    expect((await api.get('/invoices/i-1')).at('/invoice/folder')).toBeNull()
  })

  it('may be sent back, read by actions, and changed where it is excepted', async () => {
    await issue()
    const whole = (await api.get('/invoices/i-1')).at('/invoice') as object
    expect((await api.put('/invoices/i-1', { invoice: whole })).status).toBe(200)
    expect((await api.post('/invoices/i-1/read')).at('/total')).toBe(5)
    expect((await api.patch('/invoices/i-1', { invoice: { paidOn: 'today' } })).status).toBe(200)
    const both = { paidOn: 'tomorrow', total: 1 }
    expect(await send(api.patch('/invoices/i-1', { invoice: both }))).toEqual([
      409,
      'conflict',
      changed,
    ])
    expect((await api.get('/invoices/i-1')).at('/invoice/paidOn')).toBe('today')
  })

  it('is immutable for code too', async () => {
    await issue()
    const invoices = router.items(Invoice)
    const twoInvoices: object = { invoices: ['i-1', 'i-2'] }
    for (const write of [
      () => invoices.update('i-1', { total: 1 }),
      () => invoices.delete('i-1'),
      () => router.items(Customer).update('c-2', twoInvoices),
      () => invoices.updateWhere((query) => query, { total: 1 }),
    ]) {
      const error: unknown = await write().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ApiError)
      expect((error as ApiError).problems.map(({ code }) => code)).toEqual(['conflict'])
    }
    expect((await invoices.get('i-2'))?.total).toBe(7)
    await invoices.update('i-1', { paidOn: 'today' })
  })

  it('is one in capabilities', async () => {
    const can = async () => (await api.get('/invoices/i-1')).at('/meta/can')
    expect(await can()).toMatchObject({ update: true, delete: true })
    await issue()
    // `paidOn` and `folder` can still change, by actions too.
    expect(await can()).toEqual({
      update: true,
      delete: false,
      actions: { issue: true, double: true, read: true },
    })
    expect((await api.patch('/invoices/i-1', { invoice: { paidOn: 'today' } })).status).toBe(200)
    const capabilities = await api.get('/invoices/capabilities')
    expect(capabilities.at('/operations')).toEqual({
      read: 'always',
      create: 'always',
      update: 'sometimes',
      delete: 'sometimes',
    })
    expect(capabilities.at('/fields/paidOn/write')).toBe('always')
    expect(capabilities.at('/fields/folder/write')).toBe('always')
    expect(capabilities.at('/fields/total/write')).toBe('sometimes')
    expect(capabilities.at('/fields/scan/write')).toBe('sometimes')
  })
})

describe('Immutable items', () => {
  const Note = model(
    'note',
    { text: z.string(), sealedAt: field(z.string().optional(), { hidden: true }) },
    { immutable: { where: { sealedAt: { not: null } } } },
  )
  const Entry = model('entry', { text: z.string() }, { immutable: { where: {} } })

  it('do not name hidden fields, and may be all items', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    for (const prepared of [Note, Entry]) router.prepare(prepared)
    const api = client(router)
    await api.post('/notes', { note: { id: 'n', text: 'a' } })
    expect((await api.patch('/notes/n', { note: { text: 'b' } })).status).toBe(200)
    await router.items(Note).update('n', { sealedAt: 'now' })
    const refused = await api.patch('/notes/n', { note: { text: 'c' } })
    expect([refused.status, refused.errors[0]?.detail]).toEqual([
      409,
      'The note can no longer be changed.',
    ])
    await api.post('/entries', { entry: { id: 'e', text: 'a' } })
    expect((await api.patch('/entries/e', { entry: { text: 'b' } })).status).toBe(409)
    expect((await api.delete('/entries/e')).status).toBe(409)
  })

  it('are in the document, with the errors', () => {
    const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    for (const prepared of [Customer, Invoice, Tag, Folder, Note, Entry]) router.prepare(prepared)
    const { paths, components } = JSON.parse(JSON.stringify(router.toOpenApi()))
    const statuses = (path: string, method: string) => Object.keys(paths[path][method].responses)
    const { Invoice: invoice, Note: note, Entry: entry } = components.schemas
    expect(invoice?.description).toBe(
      'An item whose `status` is "issued" or "cancelled" can no longer be changed or deleted, except for `paidOn` and `folder`.',
    )
    expect(note?.description).toBe('Some items can no longer be changed or deleted.')
    expect(entry?.description).toBe('Items cannot be changed or deleted.')
    const final = 'An item whose `status` is "issued" or "cancelled" can no longer be'
    const changed = `${final} changed, except for \`paidOn\` and \`folder\` (409).`
    expect(paths['/invoices/{id}'].patch.description).toContain(changed)
    expect(paths['/invoices/{id}'].put.description).toContain(changed)
    expect(paths['/invoices/{id}'].delete.description).toContain(`${final} deleted (409).`)
    expect(paths['/invoices/{id}/scan'].post.description).toContain(changed)
    expect(paths['/invoices/{id}/scan'].delete.description).toContain(changed)
    expect(paths['/notes/{id}'].patch.description).toContain(
      'Some items can no longer be changed (409).',
    )
    expect(paths['/customers/{id}'].patch.description).not.toContain('can no longer be')
    for (const method of ['patch', 'put', 'delete'])
      expect(statuses('/entries/{id}', method)).toContain('409')
    expect(statuses('/tags/{id}', 'delete')).toContain('409')
  })

  it('are described where a relationship changes them, unless the relation is excepted', () => {
    const router = createRouter({ policy: jsonApi(), store: memory(), blobs: memoryBlobs() })
    for (const prepared of [Customer, Invoice, Tag, Folder]) router.prepare(prepared)
    const { paths } = JSON.parse(JSON.stringify(router.toOpenApi()))
    const descriptionOf = (name: string) =>
      paths[`/invoices/{id}/relationships/${name}`].patch.description
    expect(descriptionOf('tags')).toContain('can no longer be changed')
    expect(descriptionOf('customer')).toContain('can no longer be changed')
    expect(descriptionOf('folder')).not.toContain('can no longer be changed')
  })

  it('can be all items of a model, which nobody ever changes', async () => {
    const Entry = model('entry', { text: z.string() }, { immutable: { where: {} } })
    const router = createRouter({ policy: rest(), store: memory(), capabilities: 'models' })
    router.prepare(Entry)
    const operations = (await client(router).get('/entries/capabilities')).at('/operations')
    expect(operations).toMatchObject({ create: 'always', update: 'never', delete: 'never' })
  })

  it('have no action that changes them in capabilities, unless fields are excepted', async () => {
    class Contract extends model(
      'contract',
      { signedBy: z.string().nullable().default(null) },
      { immutable: { where: { signedBy: { not: null } } } },
    ) {
      @Action
      sign(): void {
        this.signedBy = 'x'
      }

      @Action({ output: z.object({ isSigned: z.boolean() }) })
      verify(): { isSigned: boolean } {
        return { isSigned: this.signedBy !== null }
      }
    }
    const router = createRouter({ policy: rest(), store: memory(), capabilities: 'items' })
    router.prepare(Contract)
    const api = client(router)
    await router.load(Contract, [{ id: 'open' }, { id: 'signed', signedBy: 'y' }])
    const actions = async (id: string) =>
      (await api.get(`/contracts/${id}`)).at('/meta/can/actions')
    expect(await actions('open')).toEqual({ sign: true, verify: true })
    expect(await actions('signed')).toEqual({ sign: false, verify: true })
    expect((await api.post('/contracts/signed/sign')).status).toBe(409)
    expect((await api.post('/contracts/signed/verify')).status).toBe(200)
    const capabilities = await api.get('/contracts/capabilities')
    expect(capabilities.at('/actions')).toEqual({ sign: 'sometimes', verify: 'always' })
  })

  it('can be changed where rules let the caller set an excepted field', async () => {
    const Entry = model(
      'entry',
      { text: z.string(), note: z.string().optional(), isOpen: z.boolean() },
      { immutable: { where: {}, except: ['note'] } },
    )
    const router = createRouter({ policy: rest(), store: memory(), capabilities: 'items' })
    router
      .prepare(Entry)
      .access(({ item }) => ({ fields: { note: { write: item.isOpen.equal(true) } } }))
    const api = client(router)
    await router.load(Entry, [
      { id: 'open', text: 'a', isOpen: true },
      { id: 'closed', text: 'a', isOpen: false },
    ])
    const canUpdate = async (id: string) => (await api.get(`/entries/${id}`)).at('/meta/can/update')
    expect([await canUpdate('open'), await canUpdate('closed')]).toEqual([true, false])
    expect((await api.get('/entries/capabilities')).at('/operations/update')).toBe('sometimes')
  })

  it.each([
    [{ where: { stat: 'x' } }, "names the unknown field 'stat'. Did you mean 'state'?"],
    [{ where: { state: 'c' } }, 'compares \'state\' with "c"; expected "a", "b" or null, an array'],
    [{ where: { state: [] } }, "compares 'state' with []"],
    [{ where: { state: ['a', undefined] } }, "compares 'state' with"],
    [{ where: { other: 'x' } }, "names 'other'; expected a field with a value."],
    [{ where: { state: 'a' }, except: ['stat'] }, "'except' in"],
    [{ when: {} }, "Unknown option 'when'"],
    [{}, "must have the values of immutable items, such as { where: { status: 'issued' } }."],
  ])('are refused at registration: %j', (immutable, message) => {
    const Thing = model(
      'thing',
      { state: z.enum(['a', 'b']), other: toOne('thing', { optional: true }) },
      { immutable: immutable as never },
    )
    const router = createRouter({ policy: rest(), store: memory() })
    expect(() => {
      router.prepare(Thing)
      return router.rules
    }).toThrow(message)
  })
})
