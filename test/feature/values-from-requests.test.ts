import {
  createRouter,
  field,
  type Middleware,
  model,
  RegistrationError,
  type Router,
  stateKey,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const caller = stateKey<{ readonly id: string }>('caller')

class User extends model('user', {
  name: z.string(),
  talks: toMany('talk', { inverse: 'speaker' }),
  reviews: toMany('talk', { inverse: 'reviewer' }),
}) {}

class Talk extends model(
  'talk',
  {
    title: z.string(),
    speaker: toOne<User>('user', { from: ({ state }) => state.get(caller)?.id }),
    reviewer: toOne<User>('user', { readOnly: true, optional: true }),
    origin: field(z.string().max(20).optional(), {
      from: ({ request }) => request.headers['x-origin'],
    }),
    tenant: field(z.string().max(5), {
      hidden: true,
      from: ({ request }) => request.headers['x-tenant'] ?? 'main',
    }),
  },
  { upsert: true },
) {}

const signIn: Middleware = {
  request: {
    any: ({ request, state }) => {
      const id = request.headers['x-user']
      if (id) state.set(caller, { id })
    },
  },
}

/** Nobody sees the users 'ghost' and 'hidden'. */
const noGhosts: Middleware = {
  query: { getItem: (query) => query.where('id').notEqual('ghost') },
}

const jsonApiType = 'application/vnd.api+json'
const atomicType = `${jsonApiType}; ext="https://jsonapi.org/ext/atomic"`
const ada = { 'x-user': 'ada' }
const refusal = "Only the service can set 'speaker'. Send it unchanged, or omit it."

describe.each(stores)('Values that come from the request, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let json: Client
  let atomic: Client

  beforeEach(async () => {
    const store = await make()
    const make_ = (policy: ReturnType<typeof rest>, basePath?: string) => {
      const made = createRouter({ policy, store, ...(basePath && { basePath }) })
      made.use(signIn)
      made.prepare(User).use(noGhosts)
      made.prepare(Talk)
      return made
    }
    router = make_(rest())
    const other = make_(jsonApi(), '/json')
    api = client(router)
    json = client(other, undefined, jsonApiType)
    atomic = client(other, undefined, atomicType)
    await router.load(
      User,
      ['ada', 'bob', 'ghost'].map((id) => ({ id, name: id })),
    )
    await router.load(Talk, [
      { id: 't', title: 'Loops', speaker: 'ada', origin: 'desk', tenant: 'main' },
      { id: 'g', title: 'Boo', speaker: 'ghost', tenant: 'main' },
    ])
  })

  const problemsOf = ({ errors }: ClientResponse) =>
    errors.map(({ status, detail, source }) => [Number(status), detail, source?.pointer])
  const speakerOf = async (id: string) => (await router.items(Talk).get(id))?.speaker
  const resource = (speaker: unknown, more: object = {}) => ({
    data: {
      type: 'talks',
      attributes: { title: 'New' },
      relationships: { speaker: { data: speaker } },
      ...more,
    },
  })
  const user = (id: string) => ({ type: 'users', id })

  it('are set when an item is created', async () => {
    const created = await api.post(
      '/talks',
      { talk: { title: 'New' } },
      { ...ada, 'x-origin': 'x' },
    )
    expect(created.status).toBe(201)
    expect(created.at('/talk')).toMatchObject({ speaker: 'ada', reviewer: null, origin: 'x' })
    const id = String(created.at('/talk/id'))
    expect(await router.items(Talk).get(id)).toMatchObject({ speaker: 'ada', tenant: 'main' })
    const document = { data: { type: 'talks', attributes: { title: 'New' } } }
    const added = await json.post('/json/talks', document, ada)
    expect(added.at('/data/relationships/speaker/data')).toEqual(user('ada'))
    const put = await api.put('/talks/new', { talk: { title: 'New' } }, ada)
    expect([put.status, put.at('/talk/speaker')]).toEqual([201, 'ada'])
  })

  it('may be sent as they are, and nothing else may', async () => {
    const create = (speaker: unknown) =>
      api.post('/talks', { talk: { title: 'New', speaker } }, ada)
    expect((await create('ada')).status).toBe(201)
    expect(problemsOf(await create('bob'))).toEqual([[403, refusal, '/talk/speaker']])
    expect(problemsOf(await create(null))).toEqual([[403, refusal, '/talk/speaker']])
    expect((await json.post('/json/talks', resource(user('ada')), ada)).status).toBe(201)
    expect(problemsOf(await json.post('/json/talks', resource(user('bob')), ada))).toEqual([
      [403, refusal, '/data/relationships/speaker/data'],
    ])
    const values = { title: 'New', origin: 'here' }
    expect(problemsOf(await api.post('/talks', { talk: values }, ada))).toEqual([
      [403, "Only the service can set 'origin'. Send it unchanged, or omit it.", '/talk/origin'],
    ])
    expect(
      (await api.post('/talks', { talk: values }, { ...ada, 'x-origin': 'here' })).status,
    ).toBe(201)
  })

  it('can be sent back, and stay if they are left out', async () => {
    const { talk } = (await api.get('/talks/t')).body as { talk: object }
    const bob = { 'x-user': 'bob', 'x-origin': 'elsewhere' }
    expect((await api.put('/talks/t', { talk }, bob)).status).toBe(200)
    expect((await api.put('/talks/t', { talk: { title: 'Less' } }, bob)).at('/talk')).toEqual({
      ...talk,
      title: 'Less',
    })
    const { data } = (await json.get('/json/talks/t')).body as { data: object }
    expect((await json.patch('/json/talks/t', { data }, bob)).status).toBe(200)
  })

  it('cannot be changed: an item cannot be handed away', async () => {
    for (const [method, path] of [
      ['PATCH', '/talks/t'],
      ['PUT', '/talks/t'],
    ] as const)
      for (const speaker of ['bob', 'nobody', null])
        expect(
          problemsOf(await api.send(method, path, { talk: { title: 'x', speaker } }, ada)),
        ).toEqual([[403, refusal, '/talk/speaker']])
    expect(
      problemsOf(await json.patch('/json/talks/t', resource(user('bob'), { id: 't' }), ada)),
    ).toEqual([[403, refusal, '/data/relationships/speaker/data']])
    expect(problemsOf(await api.patch('/talks/t', { talk: { reviewer: 'bob' } }, ada))).toEqual([
      [
        403,
        "Only the service can set 'reviewer'. Send it unchanged, or omit it.",
        '/talk/reviewer',
      ],
    ])
    expect(await speakerOf('t')).toBe('ada')
  })

  it('cannot be changed at their relationship', async () => {
    const change = (id: string, name: string, data: unknown) =>
      json.patch(`/json/talks/${id}/relationships/${name}`, { data }, ada)
    const others = [
      ['speaker', user('bob')],
      ['speaker', null],
      ['reviewer', user('bob')],
    ] as const
    for (const [name, data] of others)
      expect(problemsOf(await change('t', name, data))).toEqual([
        [403, `Only the service can change '${name}'. Send it unchanged.`, undefined],
      ])
    expect((await change('t', 'speaker', user('ada'))).status).toBe(204)
    expect((await change('t', 'reviewer', null)).status).toBe(204)
    expect((await change('none', 'speaker', null)).status).toBe(404)
  })

  it('cannot be changed in a batch', async () => {
    const run = (operation: object) =>
      atomic.post('/json/operations', { 'atomic:operations': [operation] }, ada)
    const created = await run({ op: 'add', ...resource(user('bob')) })
    expect(problemsOf(created)).toEqual([
      [403, refusal, '/atomic:operations/0/data/relationships/speaker/data'],
    ])
    const updated = await run({ op: 'update', ...resource(user('bob'), { id: 't' }) })
    expect(updated.errors.map(({ status }) => Number(status))).toEqual([403])
    const ref = { type: 'talks', id: 't', relationship: 'speaker' }
    const related = await run({ op: 'update', ref, data: user('bob') })
    expect(related.errors.map(({ status }) => Number(status))).toEqual([403])
    const filled = await run({ op: 'add', data: { type: 'talks', attributes: { title: 'New' } } })
    expect(filled.at('/atomic:results/0/data/relationships/speaker/data')).toEqual(user('ada'))
    expect(await speakerOf('t')).toBe('ada')
  })

  it('cannot be changed from the inverse side', async () => {
    const talks = [{ type: 'talks', id: 't' }]
    for (const name of ['talks', 'reviews'])
      for (const method of ['POST', 'PATCH', 'DELETE'])
        expect(
          problemsOf(
            await json.send(method, `/json/users/bob/relationships/${name}`, { data: talks }, ada),
          ),
        ).toEqual([
          [
            403,
            `Only the service can change '${name}'.${method === 'PATCH' ? ' Send it unchanged.' : ''}`,
            undefined,
          ],
        ])
    const document = {
      data: { type: 'users', id: 'bob', relationships: { talks: { data: talks } } },
    }
    const text = "'talks' is read-only here: send it unchanged or omit it."
    expect(problemsOf(await json.patch('/json/users/bob', document, ada))).toEqual([
      [422, text, '/data/relationships/talks/data'],
    ])
    expect(problemsOf(await api.patch('/users/bob', { user: { talks: ['t'] } }, ada))).toEqual([
      [422, text, '/user/talks'],
    ])
    const ref = { type: 'users', id: 'bob', relationship: 'talks' }
    const related = await atomic.post(
      '/json/operations',
      { 'atomic:operations': [{ op: 'add', ref, data: talks }] },
      ada,
    )
    expect(related.status).toBe(403)
    expect(await speakerOf('t')).toBe('ada')
  })

  it('tell nothing about an item that the client cannot see', async () => {
    expect((await api.get('/talks/g')).at('/talk/speaker')).toBeNull()
    expect((await api.patch('/talks/g', { talk: { speaker: null } }, ada)).status).toBe(200)
    for (const speaker of ['ghost', 'bob'])
      expect(problemsOf(await api.patch('/talks/g', { talk: { speaker } }, ada))).toEqual([
        [403, refusal, '/talk/speaker'],
      ])
    expect(await speakerOf('g')).toBe('ghost')
    const created = await api.post('/talks', { talk: { title: 'New' } }, { 'x-user': 'ghost' })
    expect([created.status, created.at('/talk/speaker')]).toEqual([201, null])
    expect(await speakerOf(String(created.at('/talk/id')))).toBe('ghost')
  })

  it('are validated, and missing ones are refused', async () => {
    const create = (headers: Record<string, string>) =>
      api.post('/talks', { talk: { title: 'New' } }, headers)
    expect(problemsOf(await create({}))).toEqual([
      [
        403,
        "This request cannot create a talk: it gives no value for 'speaker', which only the service can set.",
        undefined,
      ],
    ])
    expect(problemsOf(await create({ 'x-user': 'gone' }))).toEqual([
      [
        403,
        "This request cannot create a talk: the service sets 'speaker' to the user 'gone', which does not exist.",
        undefined,
      ],
    ])
    const long = await create({ ...ada, 'x-origin': 'a very long origin indeed' })
    expect(long.status).toBe(422)
    expect(long.errors[0]!.detail).toMatch(/^'origin' is invalid: /)
    const tenant = await create({ ...ada, 'x-tenant': 'a long one' })
    expect(tenant.status).toBe(422)
    expect(tenant.text).not.toContain('tenant')
  })

  it('are set by code of the service, and filled in for a caller', async () => {
    const items = router.items(Talk)
    const created = await items.create({ title: 'New', speaker: 'bob', tenant: 'other' })
    await items.update(created.id, { speaker: 'ada', reviewer: 'bob' })
    expect(await items.get(created.id)).toMatchObject({ speaker: 'ada', reviewer: 'bob' })
    await expect(items.create({ title: 'New', tenant: 'other' })).rejects.toThrow(
      "'speaker' is required",
    )
  })
})

describe('Values that come from the request, in code of a caller', () => {
  it('are filled in and kept', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.use(signIn)
    const errors: string[] = []
    router.prepare(User).itemOperation('propose', async (context) => {
      const talks = router.items(Talk, { as: context })
      await talks.create({ id: 'mine', title: 'New', tenant: 'main' }).catch(noted)
      await talks.create({ id: 'mine', title: 'New' })
      await talks.update('mine', { speaker: 'ada' })
      await talks.update('mine', { speaker: 'bob' }).catch(noted)
      const users = router.items(User, { as: context })
      await users.update('bob', { talks: ['mine'] } as object).catch(noted)
    })
    const noted = (error: unknown) => void errors.push(String(error))
    router.prepare(Talk)
    await router.load(User, [
      { id: 'ada', name: 'Ada' },
      { id: 'bob', name: 'Bob' },
    ])
    const response = await client(router).post('/users/ada/propose', undefined, ada)
    expect([response.status, errors]).toEqual([
      200,
      [
        expect.stringContaining("'tenant' is not a member of 'talk'"),
        expect.stringContaining(refusal),
        expect.stringContaining("'talks' is read-only here"),
      ],
    ])
    expect(await router.items(Talk).get('mine')).toMatchObject({ speaker: 'ada' })
  })
})

describe('The document of values that come from the request', () => {
  it('marks them as read-only, and requires none', () => {
    for (const policy of [rest(), jsonApi()]) {
      const router = createRouter({ policy, store: memory() })
      router.prepare(User)
      router.prepare(Talk)
      const { components } = router.toOpenApi({ info: { title: 'Talks', version: '1' } }) as {
        components: { schemas: Record<string, unknown> }
      }
      const create = JSON.stringify(components.schemas.TalkCreate)
      expect(create).toMatch(/"speaker":\{[^}]*"readOnly":true/)
      expect(create).not.toMatch(/"required":\[[^\]]*"speaker"/)
      expect(create).not.toContain('tenant')
    }
  })
})

describe('A value from the request', () => {
  const registration = (fields: Parameters<typeof model>[1]) => () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(User)
    router.prepare(model('talk', { title: z.string(), ...fields }))
    return router.rules
  }
  const User = model('user', { name: z.string() })

  it('comes from a function, and can be read by clients or hidden from them', () => {
    expect(registration({ a: field(z.string(), { from: 'ada' as never }) })).toThrow(
      RegistrationError,
    )
    expect(registration({ a: toOne('user', { from: 'ada' as never }) })).toThrow(
      "The option 'from' of the field 'a' of the model 'talk' must be a function of the request",
    )
    expect(registration({ a: field(z.string(), { writeOnly: true, from: () => 'a' }) })).toThrow(
      'is writeOnly, so its value cannot come from the request',
    )
  })

  it('is no promise, and a relation is an id', async () => {
    for (const [from, message] of [
      [async () => 'ada', 'returned a promise'],
      [() => 7, 'must return an id, null or undefined; got a number'],
    ] as const) {
      const errors: unknown[] = []
      const router = createRouter({
        policy: rest(),
        store: memory(),
        onError: (error) => errors.push(error),
      })
      router.prepare(User)
      router.prepare(model('talk', { owner: toOne('user', { from: from as never }) }))
      expect((await client(router).post('/talks', { talk: {} })).status).toBe(500)
      expect(String(errors[0])).toContain(message)
    }
  })
})
