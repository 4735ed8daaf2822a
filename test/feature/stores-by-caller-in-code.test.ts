import { type Context, contentOf, model, planRouters, pruneRouters, respond } from 'resourcery'
import { jobs } from 'resourcery/jobs'
import { rest } from 'resourcery/rest'
import { newSecret, webhooks } from 'resourcery/webhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'
import { asUser, gateway, Note, Person, Shelf, twoStores } from '../support/two-stores.ts'

const ada = asUser('ada@north')
const bob = asUser('bob@south')

describe.each(stores)('Code of a service with a store for each group ($name)', ({ make }) => {
  const service = async (options: Parameters<typeof twoStores>[1] = {}) => {
    const world = twoStores({ north: await make(), south: await make() }, options)
    onTestFinished(() => world.router.close())
    return world
  }
  type World = Awaited<ReturnType<typeof service>>
  const titles = async ({ router }: World, name: 'north' | 'south') =>
    (await router.inStore(name).items(Note).all()).map(({ title }) => title).sort()

  it('reads and writes in one store by its name', async () => {
    const world = await service()
    const { router, api } = world
    const north = router.inStore('north')
    expect(await north.load(Note, [{ id: 'n', title: 'Loaded' }])).toBe(1)
    const bytes = Buffer.from('bytes')
    await north.loadResource(Note, { id: 'n', path: 'scan' }, { bytes, contentType: 'text/plain' })
    await north.transaction(async (items) => {
      await items(Note).create({ title: 'Created' })
    })
    expect(await north.query(Note).size()).toBe(2)
    expect(await titles(world, 'north')).toEqual(['Created', 'Loaded'])
    expect(await titles(world, 'south')).toEqual([])
    expect((await api.get('/notes/n/scan', ada)).text).toBe('bytes')
    expect(() => router.inStore('east' as 'north')).toThrow(
      "The router has no store 'east'. The option 'stores' of createRouter() has 'north' and 'south'.",
    )
  })

  it('reads and writes in the store of a caller', async () => {
    const world = await service()
    const { router } = world
    await router.inStoreOf({ id: 'bob', group: 'south' }).items(Note).create({ title: 'B' })
    expect(await titles(world, 'south')).toEqual(['B'])
    expect(() => router.inStoreOf(undefined)).toThrow('Sign in')
    expect(() => router.inStoreOf({ id: 'eve' })).toThrow('There is no data for you')
  })

  it('is refused without a caller and a store', async () => {
    const { router } = await service()
    const pass = 'Or pass the request in whose name it acts: { as: context }.'
    const names = "of router.inStore('north') or router.inStoreOf(caller)."
    const several = 'of a router with several stores needs to know which one.'
    expect(() => router.items(Note)).toThrow(`items() ${several} Call items() ${names} ${pass}`)
    await expect(router.transaction(async () => {})).rejects.toThrow(
      `transaction() ${several} Call transaction() ${names} ${pass}`,
    )
    expect(() => router.query(Note)).toThrow(`query() ${several} Call query() ${names}`)
    await expect(router.load(Note, [])).rejects.toThrow(`Call load() ${names}`)
    await expect(router.erase(Note, 'n')).rejects.toThrow(`Call erase() ${names}`)
    await expect(
      router.loadResource(
        Note,
        { id: 'n', path: 'scan' },
        { bytes: Buffer.of(), contentType: 'text/plain' },
      ),
    ).rejects.toThrow(`Call loadResource() ${names}`)
  })

  it('acts in the name of a request, in its store', async () => {
    const world = await service()
    const { router, api } = world
    router.use({
      around: async (context, next) => {
        const response = await next()
        if (context.request.method === 'DELETE')
          await router.items(Shelf, { as: context }).create({ name: `of ${context.request.path}` })
        return response
      },
    })
    await router.inStore('south').load(Note, [{ id: 'n', title: 'T' }])
    expect((await api.delete('/notes/n', bob)).status).toBe(204)
    expect(await router.inStore('south').items(Shelf).all()).toMatchObject([
      { name: 'of /notes/n' },
    ])
    expect(await router.inStore('north').query(Shelf).size()).toBe(0)
  })

  it('takes part in the transaction of its hooks, and in no other store', async () => {
    const world = await service()
    const { router, api, errors } = world
    const contexts: Context[] = []
    router.use({ request: { any: async (context) => void contexts.push(context) } })
    router.prepare(model('trace', { title: z.string() })).use({
      write: {
        before: async ({ next }) => {
          const title = String(next?.title)
          if (title === 'joins') await router.items(Note).create({ title })
          if (title === 'by name') await router.inStore('north').items(Note).create({ title })
          if (title === 'others by name')
            await router.inStore('south').items(Note).create({ title })
          if (title === 'others by query') await router.inStore('south').query(Note).size()
          if (title === 'others by caller')
            await router.items(Note, { as: contexts[0]! }).create({ title })
          if (title === 'others by transaction')
            await router.transaction(async () => {}, { as: contexts[0]! })
          if (title === 'another name')
            await router.inStore('north').items(Note, { as: contexts[0]! }).create({ title })
        },
      },
    })
    const trace = (title: string) => api.post('/traces', { trace: { title } }, ada)
    await api.get('/notes', bob)
    for (const title of ['joins', 'by name']) expect((await trace(title)).status).toBe(201)
    expect(await titles(world, 'north')).toEqual(['by name', 'joins'])
    const spans = [
      ['others by name', 'items()'],
      ['others by query', 'query()'],
      ['others by caller', 'items()'],
      ['others by transaction', 'transaction()'],
    ] as const
    for (const [title, call] of spans) {
      errors.length = 0
      expect((await trace(title)).status).toBe(500)
      expect((errors[0] as Error).message, title).toBe(
        `${call} uses the store 'south', but the code that calls it takes part in a transaction of the store 'north'. A transaction has one store: call it once the transaction has ended.`,
      )
    }
    errors.length = 0
    expect((await trace('another name')).status).toBe(500)
    expect((errors[0] as Error).message).toContain(
      "items() of the store 'north' cannot act in the name of a caller of the store 'south'.",
    )
    expect([...(await titles(world, 'north')), ...(await titles(world, 'south'))]).toEqual([
      'by name',
      'joins',
    ])
  })

  it('has one store in a transaction of its own', async () => {
    const { router } = await service()
    const spanning = router.inStore('north').transaction(async (items) => {
      await items(Note).create({ title: 'undone' })
      await router.inStore('south').transaction(async () => {})
    })
    await expect(spanning).rejects.toThrow('A transaction has one store')
    expect(await router.inStore('north').query(Note).size()).toBe(0)
  })

  it('serves routes of its own with the store of their caller', async () => {
    const { router } = await service()
    await router.inStore('north').load(Note, [{ id: 'n', title: 'T' }])
    const counts = router.service('/counts', async ({ caller }) =>
      respond(
        200,
        {},
        String(
          await router
            .inStoreOf(caller as Person)
            .query(Note)
            .size(),
        ),
      ),
    )
    const ask = async (user: string) => {
      const { status, body } = await counts.respond({
        method: 'GET',
        path: '/counts',
        query: '',
        headers: asUser(user),
        body: undefined,
      })
      return [status, body.kind === 'text' ? body.text : '']
    }
    expect(await ask('ada@north')).toEqual([200, '1'])
    expect(await ask('bob@south')).toEqual([200, '0'])
    expect((await ask('eve'))[0]).toBe(403)
  })

  it('consumes the changes of each store, with items of that store', async () => {
    const world = await service({ changes: true })
    const { router } = world
    router.consume(
      'shelver',
      { models: [Note], inTransaction: true },
      async (changes, { items }) => {
        for (const { after } of changes) await items(Shelf).create({ name: String(after?.title) })
      },
    )
    await router.open()
    await router.inStore('north').items(Note).create({ title: 'N' })
    await router.inStore('south').items(Note).create({ title: 'S' })
    for (const [name, expected] of [
      ['north', 'N'],
      ['south', 'S'],
    ] as const)
      await expect
        .poll(async () => (await router.inStore(name).items(Shelf).all()).map((each) => each.name))
        .toEqual([expected])
    expect((await router.consumers()).map(({ name, store }) => [name, store])).toEqual([
      ['shelver', 'north'],
      ['shelver', 'south'],
    ])
  })

  it('runs scheduled jobs in each store', async () => {
    const { router } = await service()
    router.job('tidy', { every: '1 day', at: '03:00', timeZone: 'UTC' }, async ({ items }) => {
      await items(Shelf).create({ name: 'tidy' })
    })
    await router.runJob('tidy')
    for (const name of ['north', 'south'] as const)
      expect(await router.inStore(name).query(Shelf).size()).toBe(1)
    expect((await router.jobs()).map(({ name, store }) => `${name} ${store}`)).toEqual([
      'tidy north',
      'tidy south',
    ])
  })

  it('carries out later what a caller has sent, in the store of the caller', async () => {
    const world = await service({ policy: rest({ csv: true }) })
    const { router, api } = world
    jobs<Person>(router, { callerOf: (id, _, group) => ({ id, ...(group && { group }) }) })
    await router.open()
    const accepted = await api.post('/notes', 'title\nLate\n', {
      ...bob,
      'content-type': 'text/csv',
      prefer: 'respond-async',
    })
    expect(accepted.status, accepted.text).toBe(202)
    await expect.poll(() => titles(world, 'south')).toEqual(['Late'])
    expect(await titles(world, 'north')).toEqual([])
    const location = accepted.headers.get('location')!
    expect((await api.get(location, bob)).status).toBeLessThan(400)
    expect((await api.get(location, ada)).status).toBe(404)
  })

  it.each([
    ['another store', { id: 'eve', group: 'north' }],
    ['no store', { id: 'eve' }],
  ])('carries out nothing for a caller of %s than the work', async (_, caller) => {
    const world = await service({ policy: rest({ csv: true }) })
    const { router, api } = world
    jobs<Person>(router, { callerOf: () => caller })
    await router.open()
    const accepted = await api.post('/notes', 'title\nLate\n', {
      ...bob,
      'content-type': 'text/csv',
      prefer: 'respond-async',
    })
    const location = accepted.headers.get('location')!
    await expect
      .poll(async () => (await api.get(location, bob)).text)
      .toContain('not known any more')
    for (const name of ['north', 'south'] as const) expect(await titles(world, name)).toEqual([])
  })

  it('tells the webhooks of a store of its changes only', async () => {
    const { router, api } = await service({
      changes: true,
      security: {
        authentication: [gateway()],
        callerSchema: Person,
        cursorSecret: 'a secret that has at least 32 bytes',
      },
    })
    const { Webhook, WebhookDelivery } = webhooks<Person>(router, {
      models: [Note],
      callerOf: (id, _, group) => ({ id, ...(group && { group }) }),
      allowedHosts: ['localhost'],
    })
    await router.open()
    // The same id in both stores: only the store tells the owners apart.
    for (const group of ['north', 'south']) {
      const webhook = { url: 'http://localhost:1/', secret: newSecret(), models: ['note'] }
      const made = await api.post('/webhooks', { webhook }, asUser(`eve@${group}`))
      expect(made.status, made.text).toBe(201)
    }
    await router.inStore('south').items(Note).create({ title: 'S' })
    await expect.poll(() => router.inStore('south').query(WebhookDelivery).size()).toBe(1)
    expect(await router.inStore('north').query(WebhookDelivery).size()).toBe(0)
    expect(await router.inStore('north').query(Webhook).size()).toBe(1)
    expect(
      (await api.get('/webhookDeliveries', asUser('eve@north'))).ids('webhookDeliveries'),
    ).toEqual([])
  })

  it('plans, prunes and sweeps all stores, and copies only one', async () => {
    const { router } = await service()
    expect(() => contentOf(router)).toThrow(
      'The router has several stores, of which each has data of its own. Export a router with one of them: createRouter({ store, … }).',
    )
    const own = await router.plan()
    expect(await planRouters([router])).toEqual(own)
    await router.open()
    expect(await router.sweep(0)).toBe(0)
    const pruned = await router.prune({ drops: false }).catch(String)
    expect(await pruneRouters([router], { drops: false }).catch(String)).toEqual(
      pruned ?? expect.anything(),
    )
  })
})

it('A client of a router with several stores needs no other calls', async () => {
  const { router } = twoStores(
    { north: await stores[0]!.make(), south: await stores[0]!.make() },
    {},
  )
  const { status } = await client(router).get('/notes', ada)
  expect([status, router.describeAccess().note?.read]).toEqual([200, { kind: 'anyone' }])
  await router.close()
})
