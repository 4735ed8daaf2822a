import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRouter, model, type RouterOptions, type SecurityOptions } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Store } from 'resourcery/store'
import { newSecret, type WebhookOptions, webhooks } from 'resourcery/webhooks'
import { Webhook as Receiver } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

const Book = model('book', {
  title: z.string(),
  isPublic: z.boolean().default(true),
  cost: z.number().default(1),
})

const Author = model('author', { name: z.string() })

const callerSchema = z.object({ id: z.string() })
const cursorSecret = 'a secret for the tests of webhooks'
const security: SecurityOptions<typeof callerSchema> = {
  authentication: [
    {
      name: 'names',
      scheme: { type: 'http', scheme: 'bearer' },
      authenticate: ({ headers: { authorization } }) =>
        authorization ? { caller: { id: authorization.slice(7) } } : undefined,
    },
  ],
  callerSchema,
  cursorSecret,
}
const emil = { authorization: 'Bearer emil' }
const anna = { authorization: 'Bearer anna' }

interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A receiver on this machine, which responds as the function says. */
async function receiver(respond: (response: ServerResponse, count: number) => void) {
  const received: Received[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = request.headers as Record<string, string>
    received.push({ headers, body: Buffer.concat(chunks).toString() })
    respond(response, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, url: `http://localhost:${(server.address() as AddressInfo).port}/hook` }
}

const accepting = () => receiver((response) => response.writeHead(204).end())

const untilEqual = async <T>(read: () => T | Promise<T>, expected: T): Promise<void> => {
  for (let tries = 0; tries < 750; tries++) {
    if (JSON.stringify(await read()) === JSON.stringify(expected)) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(await read()).toEqual(expected)
}

const open = async (
  store: Store,
  options: Partial<WebhookOptions<{ readonly id: string }>> = {},
  routerOptions: Partial<RouterOptions<typeof callerSchema>> = {},
  others: readonly (typeof Author)[] = [],
) => {
  const router = createRouter({
    policy: rest(),
    store,
    changes: true,
    security,
    ...routerOptions,
  })
  router.prepare(Book).access(({ item, caller, signedIn, anyone }) => ({
    read: item.isPublic.equal(true),
    create: anyone,
    update: anyone,
    delete: anyone,
    fields: { cost: { read: caller.id.equal('anna').and(signedIn) } },
  }))
  for (const other of others) router.prepare(other).access(({ anyone }) => ({ read: anyone }))
  const models = webhooks(router, {
    models: [Book],
    callerOf: (id) => ({ id }),
    allowedHosts: ['localhost'],
    ...options,
  })
  await router.open()
  onTestFinished(() => router.close())
  const api = client(router)
  const subscribe = async (webhook: object, headers = emil) => {
    const response = await api.post('/webhooks', { webhook }, headers)
    expect(response.errors ?? []).toEqual([])
    expect(response.status).toBe(201)
    return response.at('/webhook/id') as string
  }
  const deliveries = async (headers = emil) =>
    (await api.get('/webhookDeliveries?sort=createdAt', headers)).at(
      '/webhookDeliveries',
    ) as Record<string, unknown>[]
  return { router, api, models, subscribe, deliveries }
}

describe.each(stores)('Webhooks, on $name', ({ make, makeData }) => {
  it('are told what their owner may read, signed as the standard says', async () => {
    const { router, api, subscribe, deliveries } = await open(await make())
    const { received, url } = await accepting()
    const secret = newSecret()
    await subscribe({ url, secret })
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    await api.post('/books', { book: { id: 'b', title: 'B', isPublic: false } })
    await router.items(Book).update('b', { title: 'BB' })
    await router.items(Book).update('b', { isPublic: true })
    await api.patch('/books/a', { book: { title: 'AA' } })
    await api.delete('/books/a')
    const told = () =>
      received
        .map(({ body }) => JSON.parse(body))
        .map(({ type, data }) => `${type} ${data.id}`)
        .toSorted()
    await untilEqual(told, ['book.created a', 'book.created b', 'book.deleted a', 'book.updated a'])
    for (const { body, headers } of received)
      expect(new Receiver(secret).verify(body, headers)).toEqual(JSON.parse(body))
    await untilEqual(
      async () => (await deliveries()).map(({ status, attempts }) => `${status} ${attempts}`),
      Array<string>(4).fill('delivered 1'),
    )
  })

  it('belong to their owner, and show no secret', async () => {
    const { api, subscribe } = await open(await make())
    const { url } = await accepting()
    const secret = newSecret()
    const id = await subscribe({ url, secret })
    const own = await api.get(`/webhooks/${id}`, emil)
    expect(own.at('/webhook/owner')).toBe('emil')
    expect(own.text).not.toContain(secret)
    expect(own.text).not.toContain('ositions')
    expect((await api.get(`/webhooks/${id}`, anna)).status).toBe(404)
    expect((await api.get('/webhooks', anna)).at('/webhooks')).toEqual([])
    expect((await api.post('/webhooks', { webhook: { url, secret } })).status).toBe(401)
  })

  it('are at most so many for one caller', async () => {
    const { api, subscribe } = await open(await make(), { maxPerOwner: 1 })
    const webhook = { url: (await accepting()).url, secret: newSecret() }
    await subscribe(webhook)
    await subscribe(webhook, anna)
    const { status, errors } = await api.post('/webhooks', { webhook }, emil)
    expect([status, errors[0]?.detail]).toEqual([
      409,
      'A caller has at most 1 webhook. Delete one that is not needed.',
    ])
  })

  it('are at most so many for one caller whose requests come at the same time', async () => {
    const { api } = await open(await make(), { maxPerOwner: 3 })
    const webhook = { url: (await accepting()).url, secret: newSecret() }
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => api.post('/webhooks', { webhook }, emil)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([
      ...Array<number>(3).fill(201),
      ...Array<number>(9).fill(409),
    ])
    expect((await api.get('/webhooks', emil)).ids('webhooks')).toHaveLength(3)
  })

  it.each([
    'http://hooks.example/',
    'https://127.0.0.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest',
    'https://me:secret@hooks.example/',
    'not a url',
  ])('are refused for the URL %s', async (url) => {
    const { api } = await open(await make())
    const webhook = { url, secret: 'short' }
    const { status, errors } = await api.post('/webhooks', { webhook }, emil)
    expect(status).toBe(422)
    expect(errors.map(({ source }) => source?.pointer)).toEqual(['/webhook/url', '/webhook/secret'])
  })

  it('say of a URL that fits the document, and leads nowhere, that no schema says so', async () => {
    const { api } = await open(await make())
    const webhook = { url: 'https://127.0.0.1/', secret: 'short' }
    const response = await api.post('/webhooks', { webhook }, emil)
    expect(response.errors).toHaveLength(2)
    expect(response.at('/errors/0/meta')).toEqual({ violates: 'itemRule' })
  })

  it('send the whole item by option, as the owner reads it', async () => {
    const { router, subscribe } = await open(await make(), { payload: 'full' })
    const [forEmil, forAnna] = [await accepting(), await accepting()]
    await subscribe({ url: forEmil.url, secret: newSecret() })
    await subscribe({ url: forAnna.url, secret: newSecret() }, anna)
    await router.items(Book).create({ id: 'a', title: 'A', cost: 3 })
    const items = ({ received }: typeof forEmil) =>
      received.map(({ body }) => JSON.parse(body).data.item)
    await untilEqual(() => items(forEmil), [{ id: 'a', title: 'A', isPublic: true }])
    await untilEqual(() => items(forAnna), [{ id: 'a', title: 'A', isPublic: true, cost: 3 }])
  })

  it('are tried again after a failure, and switched off by 410', async () => {
    const { api, subscribe, deliveries } = await open(await make())
    const failing = await receiver((response) => response.writeHead(500).end())
    await subscribe({ url: failing.url, secret: newSecret(), events: ['created'] })
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    const states = async () =>
      (await deliveries()).map(
        ({ status, attempts, lastStatus, lastError }) =>
          `${status} ${attempts} ${lastStatus} ${lastError}`,
      )
    await untilEqual(states, ['pending 1 500 The receiver responded with 500.'])
    const [{ nextAttemptAt, createdAt }] = (await deliveries()) as [Record<string, string>]
    expect(Date.parse(nextAttemptAt!)).toBeGreaterThan(Date.now())
    const waiting = (await api.get('/webhooks', emil)).at('/webhooks/0/id')
    await api.post(`/webhooks/${waiting}/redeliver`, { since: createdAt }, emil)
    await untilEqual(() => failing.received.length, 2)
    const gone = await receiver((response) => response.writeHead(410).end())
    const id = await subscribe({ url: gone.url, secret: newSecret() }, anna)
    await api.patch('/books/a', { book: { title: 'AA' } })
    await untilEqual(
      async () => (await api.get(`/webhooks/${id}`, anna)).at('/webhook/inactiveReason'),
      'The receiver responded with 410 (Gone).',
    )
    expect((await api.get(`/webhooks/${id}`, anna)).at('/webhook/active')).toBe(false)
    const on = await api.patch(`/webhooks/${id}`, { webhook: { active: true } }, anna)
    expect(on.at('/webhook/inactiveReason')).toBe(null)
  })

  it('sign with both secrets while one is replaced', async () => {
    const { api, subscribe } = await open(await make())
    const { received, url } = await accepting()
    const [first, second] = [newSecret(), newSecret()]
    const id = await subscribe({ url, secret: first })
    expect((await api.patch(`/webhooks/${id}`, { webhook: { secret: second } }, emil)).status).toBe(
      200,
    )
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    await untilEqual(() => received.length, 1)
    const { body, headers } = received[0]!
    for (const secret of [first, second]) new Receiver(secret).verify(body, headers)
  })

  it('go on where they were once they are switched on again', async () => {
    const { api, subscribe, router, models } = await open(await make())
    const { received, url } = await accepting()
    const id = await subscribe({ url, secret: newSecret() })
    await api.patch(`/webhooks/${id}`, { webhook: { active: false } }, emil)
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    await api.patch(`/webhooks/${id}`, { webhook: { active: true } }, emil)
    await api.post('/books', { book: { id: 'b', title: 'B' } })
    const told = () => received.map(({ body }) => JSON.parse(body).data.id).toSorted()
    await untilEqual(told, ['a', 'b'])
    const other = await accepting()
    await router
      .items(models.Webhook)
      .create({ url: other.url, secret: newSecret(), owner: 'anna' })
    await api.post('/books', { book: { id: 'c', title: 'C' } })
    await untilEqual(() => other.received.map(({ body }) => JSON.parse(body).data.id), ['c'])
  })

  it('are told although the owner of another one cannot be found', async () => {
    const errors: unknown[] = []
    const { api, subscribe } = await open(
      await make(),
      {
        callerOf: (id) => {
          if (id === 'anna') throw new Error('The directory is away.')
          return { id }
        },
      },
      { onError: (error) => errors.push(error) },
    )
    const [forAnna, forEmil] = [await accepting(), await accepting()]
    await subscribe({ url: forAnna.url, secret: newSecret() }, anna)
    await subscribe({ url: forEmil.url, secret: newSecret() })
    for (const id of ['a', 'b']) await api.post('/books', { book: { id, title: id } })
    await untilEqual(() => forEmil.received.length, 2)
    expect(String((errors[0] as Error).cause)).toBe('Error: The directory is away.')
  })

  it('send once more what was told since a time', async () => {
    const { api, subscribe, deliveries } = await open(await make())
    const { received, url } = await accepting()
    const id = await subscribe({ url, secret: newSecret() })
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    await untilEqual(async () => (await deliveries()).map(({ status }) => status), ['delivered'])
    const body = { since: '2020-01-01T00:00:00Z' }
    const again = await api.post(`/webhooks/${id}/redeliver`, body, emil)
    expect([again.status, again.at('/count')]).toEqual([200, 1])
    await untilEqual(() => received.length, 2)
    expect(received[0]!.headers['webhook-id']).toBe(received[1]!.headers['webhook-id'])
    expect((await api.post(`/webhooks/${id}/redeliver`, body, anna)).status).toBe(404)
  })

  it('are not sent twice at once where an attempt is under way', async () => {
    const { api, subscribe, deliveries } = await open(await make())
    const waiting: ServerResponse[] = []
    const bodies = (all: readonly Received[]) => all.map(({ body }) => JSON.parse(body).data.id)
    const { received, url } = await receiver((response) => {
      if (bodies(received).at(-1) === 'a' && bodies(received).length === 1) waiting.push(response)
      else response.writeHead(204).end()
    })
    const id = await subscribe({ url, secret: newSecret() })
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    await untilEqual(() => waiting.length, 1)
    const body = { since: '2020-01-01T00:00:00Z' }
    expect((await api.post(`/webhooks/${id}/redeliver`, body, emil)).at('/count')).toBe(1)
    // What is sent later arrives, so the deliveries that are due were looked at since.
    await api.post('/books', { book: { id: 'b', title: 'B' } })
    await untilEqual(() => bodies(received), ['a', 'b'])
    waiting[0]!.writeHead(500).end()
    await untilEqual(() => bodies(received), ['a', 'b', 'a'])
    const states = async () =>
      (await deliveries()).map(({ item, status, attempts }) => `${item} ${status} ${attempts}`)
    await untilEqual(states, ['a delivered 1', 'b delivered 1'])
  })

  it('are switched off by an event that is sent once more and never arrives', async () => {
    const { router, api, models, subscribe, deliveries } = await open(await make())
    let status = 204
    const { received, url } = await receiver((response) => response.writeHead(status).end())
    const id = await subscribe({ url, secret: newSecret() })
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    await untilEqual(
      async () => (await deliveries()).map((delivery) => delivery['status']),
      ['delivered'],
    )
    status = 500
    await api.post(`/webhooks/${id}/redeliver`, { since: '2020-01-01T00:00:00Z' }, emil)
    const states = async () =>
      (await deliveries()).map(
        ({ status, lastStatus, deliveredAt }) => `${status} ${lastStatus} ${deliveredAt}`,
      )
    await untilEqual(states, ['pending 500 null'])
    const [delivery] = await deliveries()
    const lastAttempt = { attempts: 9, nextAttemptAt: new Date().toISOString() }
    await router.items(models.WebhookDelivery).update(String(delivery!['id']), lastAttempt)
    await untilEqual(states, ['failed 500 null'])
    const webhook = (await api.get(`/webhooks/${id}`, emil)).at('/webhook')
    expect(webhook).toMatchObject({
      active: false,
      inactiveReason: 'Nothing has arrived for three days: The receiver responded with 500.',
    })
    expect(received).toHaveLength(3)
  })

  it('stay on where others have arrived since the first attempt, and not only before it', async () => {
    const { router, api, models, subscribe, deliveries } = await open(await make())
    const failing = new Set<string>()
    const respond = (body: string) => (failing.has(JSON.parse(body).data.id) ? 500 : 204)
    const { received, url } = await receiver((response, count) =>
      response.writeHead(respond(received[count - 1]!.body)).end(),
    )
    const id = await subscribe({ url, secret: newSecret() })
    const states = async () =>
      (await deliveries()).map(({ item, status }) => `${item} ${status}`).toSorted()
    const failForGood = async (item: string) => {
      const all = await deliveries()
      const delivery = all.find((candidate) => candidate['item'] === item)!
      const lastAttempt = { attempts: 9, nextAttemptAt: new Date().toISOString() }
      await router.items(models.WebhookDelivery).update(String(delivery['id']), lastAttempt)
    }
    const isActive = async () => (await api.get(`/webhooks/${id}`, emil)).at('/webhook/active')
    failing.add('a')
    await api.post('/books', { book: { id: 'a', title: 'A' } })
    await untilEqual(states, ['a pending'])
    await api.post('/books', { book: { id: 'b', title: 'B' } })
    await untilEqual(states, ['a pending', 'b delivered'])
    await failForGood('a')
    await untilEqual(states, ['a failed', 'b delivered'])
    expect(await isActive()).toBe(true)
    const [since] = (await deliveries()).map(({ createdAt }) => createdAt)
    failing.add('b')
    await api.post(`/webhooks/${id}/redeliver`, { since }, emil)
    await untilEqual(states, ['a pending', 'b pending'])
    await failForGood('a')
    await untilEqual(isActive, false)
  })

  it('keep their ETag while nothing happens that their owner sees', async () => {
    let looks = 0
    const callerOf = (id: string) => {
      looks++
      return { id }
    }
    const { router, api, subscribe } = await open(await make(), { callerOf })
    const id = await subscribe({ url: (await accepting()).url, secret: newSecret() })
    const tag = async () => (await api.get(`/webhooks/${id}`, emil)).headers.get('etag')
    const before = await tag()
    expect(before).not.toBeNull()
    // The look at the second change begins when the look at the first has ended.
    for (const count of [1, 2]) {
      await router.items(Book).create({ title: 'Hidden', isPublic: false })
      await untilEqual(() => looks >= count, true)
    }
    expect(await tag()).toBe(before)
  })

  it('name only models that their owner may read: others are as unknown as those that there are not', async () => {
    const router = createRouter({
      policy: rest(),
      store: await make(),
      changes: true,
      docsPage: true,
      security: { authentication: [token], callerSchema: Caller, cursorSecret },
    })
    router.prepare(Book).access(({ anyone }) => ({ read: anyone }))
    router.prepare(Author).access(({ caller }) => {
      const admin = caller.roles.contains('admin')
      return { read: admin, create: admin, update: admin, delete: admin }
    })
    webhooks(router, { models: [Book, Author], callerOf: () => undefined })
    onTestFinished(() => router.close())
    const api = client(router)
    const url = 'https://receiver.example/'
    const post = (models: readonly string[], caller = 'emil') =>
      api.post('/webhooks', { webhook: { url, secret: newSecret(), models } }, as(caller))
    const details: string[] = []
    for (const name of ['author', 'wombat']) {
      const { status, errors } = await post(['book', name])
      expect([status, errors]).toMatchObject([
        422,
        [{ code: 'invalid-member', source: { pointer: '/webhook/models' } }],
      ])
      details.push(errors[0]!.detail!.replace(name, '…'))
    }
    expect(details).toEqual(
      Array(2).fill("'models' must be names of models that you may read (book); got '…'."),
    )
    expect((await api.get('/openapi.json', as('emil'))).text).not.toMatch(/"authors?\b/i)
    expect((await post(['book', 'author'], 'anna:admin')).status).toBe(201)
    const created = await post(['book'])
    const path = `/webhooks/${created.at('/webhook/id')}`
    const patched = await api.patch(path, { webhook: { models: ['book', 'author'] } }, as('emil'))
    expect(patched.errors).toMatchObject([{ detail: details[0]!.replace('…', 'author') }])
    expect((await api.patch(path, { webhook: { active: false } }, as('emil'))).status).toBe(200)
  })

  it('get changes of a model that is added later from then on', async () => {
    const { router, api, models, subscribe } = await open(
      await make(),
      { models: [Book, Author] },
      {},
      [Author],
    )
    const { received, url } = await accepting()
    const id = await subscribe({ url, secret: newSecret(), models: ['book'] })
    await router.items(Author).create({ id: 'before', name: 'Before' })
    await transactionsEnded()
    const added = await api.patch(`/webhooks/${id}`, { webhook: { models: [] } }, emil)
    expect(added.status).toBe(200)
    await router.items(Author).create({ id: 'after', name: 'After' })
    await router.items(Book).create({ id: 'a', title: 'A' })
    const events = () => received.map(({ body }) => JSON.parse(body).data.id).toSorted()
    await untilEqual(events, ['a', 'after'])
    expect(await router.items(models.WebhookDelivery).count((all) => all)).toBe(2)
  })

  it('go on after a restart, and tell each event once where two processes serve', async () => {
    const newStore = await makeData()
    const { received, url } = await accepting()
    const first = await open(newStore())
    await first.subscribe({ url, secret: newSecret() })
    await first.api.post('/books', { book: { id: 'a', title: 'A' } })
    await first.router.close()
    const [one, other] = [await open(newStore()), await open(newStore())]
    await one.api.post('/books', { book: { id: 'b', title: 'B' } })
    await other.api.post('/books', { book: { id: 'c', title: 'C' } })
    const told = () => received.map(({ body }) => JSON.parse(body).data.id).toSorted()
    await untilEqual(told, ['a', 'b', 'c'])
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(told()).toEqual(['a', 'b', 'c'])
  })
})

describe('Webhooks under JSON:API', () => {
  it('are told of changes', async () => {
    const { router, models } = await open(memory(), {}, { policy: jsonApi() })
    const { received, url } = await accepting()
    await router.items(models.Webhook).create({ url, secret: newSecret(), owner: 'emil' })
    await router.items(Book).create({ id: 'a', title: 'A' })
    await untilEqual(() => received.map(({ body }) => JSON.parse(body).type), ['book.created'])
  })
})

describe('The document of a router with webhooks', () => {
  it('says what is sent to receivers, but in OpenAPI 3.0', async () => {
    const { router } = await open(memory())
    const { webhooks: described } = router.toOpenApi()
    expect(Object.keys(described ?? {})).toEqual([
      'book.created',
      'book.updated',
      'book.deleted',
      'book.reset',
    ])
    expect(router.toOpenApi({ version: '3.0.4' }).webhooks).toBeUndefined()
  })
})

describe('webhooks()', () => {
  const refused = (options: object) => () =>
    webhooks(createRouter({ policy: rest(), store: memory() }), options as never)

  it('is refused with all that is wrong', () => {
    expect(refused({ models: [], allowedHosts: 'localhost', keepDays: 0 })).toThrow("'keepDays'")
    expect(refused({ models: [], allowedHosts: 'localhost' })).toThrow(
      /'models'.*\n.*'callerOf'.*\n.*'allowedHosts'/,
    )
  })

  it('lets a router close that could not open', async () => {
    const router = createRouter({ policy: rest(), store: memory(), security })
    router.prepare(Book)
    webhooks(router, { models: [Book], callerOf: () => undefined })
    await expect(router.open()).rejects.toThrow(
      "webhooks() gets changes of the model 'book', which are not logged. Set the option 'changes' of the router or the model.",
    )
    await router.close()
  })

  it('is refused without a secret that outlives the process', () => {
    expect(refused({ models: [Book], callerOf: () => undefined })).toThrow(
      "'security.cursorSecret'",
    )
  })
})
