import {
  action,
  createRouter,
  type Middleware,
  model,
  type RequestHook,
  refuse,
  stateKey,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const caller = stateKey<string>('caller')

const signIn: RequestHook = ({ request, state }) => {
  const id = request.headers['x-user']
  if (id) state.set(caller, id)
}

const adminsOnly: Middleware = {
  request: {
    any: ({ state, action: name }) => {
      if (state.get(caller) !== 'admin') refuse('forbidden', `Only admins may ${name} a talk.`)
    },
  },
  declares: { errors: ['forbidden'] },
}

class Talk extends model('talk', {
  title: z.string(),
  speaker: z.string(),
  status: z.string().default('draft'),
}) {
  accept() {
    this.status = 'accepted'
  }
  submit() {
    this.status = 'submitted'
  }
  static {
    action(this, 'accept', { use: adminsOnly })
    action(this, 'submit', {
      use: [
        ({ state }) => {
          if (!state.has(caller)) refuse('unauthorized', 'Sign in to submit a talk.')
        },
        {
          query: {
            any: (query, { state }) => query.where('speaker').equal(state.get(caller) ?? null),
          },
          declares: { errors: ['unauthorized'] },
        },
      ],
    })
  }
}

describe.each(stores)('Hooks of one action, on $name', ({ make }) => {
  const serve = async (policy = rest()) => {
    const ran: (string | undefined)[] = []
    const router = createRouter({ policy, store: await make() })
    router
      .prepare(Talk)
      .use({ request: { any: signIn, read: ({ action: name }) => void ran.push(name) } })
      .itemOperation(
        'reject',
        ({ item }) => {
          item.status = 'rejected'
        },
        { use: adminsOnly },
      )
    await router.load(Talk, [{ id: 't', title: 'Loops', speaker: 'ada' }])
    return { router, ran }
  }
  const admin = { 'x-user': 'admin' }
  const ada = { 'x-user': 'ada' }

  it('guard this action, and no other', async () => {
    const api = client((await serve()).router)
    for (const name of ['accept', 'reject']) {
      const refused = await api.post(`/talks/t/${name}`, undefined, ada)
      expect([refused.status, refused.errors[0]!.detail]).toEqual([
        403,
        `Only admins may ${name} a talk.`,
      ])
      expect((await api.post(`/talks/t/${name}`, undefined, admin)).status).toBe(200)
    }
    expect((await api.post('/talks/t/submit')).status).toBe(401)
    expect((await api.post('/talks/t/submit', undefined, ada)).at('/talk/status')).toBe('submitted')
    expect((await api.patch('/talks/t', { talk: { title: 'x' } })).status).toBe(200)
  })

  it('narrow the items on which it can be called', async () => {
    const api = client((await serve()).router)
    const refused = await api.post('/talks/t/submit', undefined, { 'x-user': 'bob' })
    expect([refused.status, refused.errors[0]!.detail]).toEqual([
      403,
      "You may see this talk, but not call 'submit' on it.",
    ])
  })

  it('hold under JSON:API, and for code that acts as the caller, not for the service', async () => {
    const json = client((await serve(jsonApi())).router, undefined, 'application/vnd.api+json')
    expect((await json.post('/talks/t/accept', undefined, ada)).status).toBe(403)
    expect((await json.post('/talks/t/accept', undefined, admin)).status).toBe(200)
    const { router } = await serve()
    expect(await router.items(Talk).call('t', 'accept')).toMatchObject({ status: 'accepted' })
  })

  it('learn the name of the action, as all its hooks do', async () => {
    const { router, ran } = await serve()
    const api = client(router)
    await api.post('/talks/t/accept', undefined, admin)
    await api.get('/talks/t')
    expect(ran).toEqual(['accept', undefined])
  })
})

describe('The middleware of an action', () => {
  const registering = (use: unknown) => () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(Talk).itemOperation('reject', () => undefined, { use: use as never })
    return router.rules
  }

  it('is checked at registration', () => {
    expect(registering('admins')).toThrow("The option 'use' of the action 'reject' of the model")
    expect(registering({ request: { getList: () => undefined } })).toThrow(
      "The hook 'getList' never runs for the action 'reject'",
    )
    expect(registering({ request: { anny: () => undefined } })).toThrow("Did you mean 'any'?")
    expect(registering({ write: { before: () => undefined } })).toThrow(
      "The middleware of the action 'reject' has hooks around writes, which belong to the model.",
    )
  })

  it('has its errors and its security in the document of the action alone', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(Talk).itemOperation('reject', () => undefined, {
      use: {
        request: { any: () => undefined },
        declares: { security: { token: { type: 'http', scheme: 'bearer' } } },
      },
    })
    const { paths } = router.toOpenApi({ info: { title: 'Talks', version: '1' } })
    expect(paths['/talks/{id}/reject']!.post!.security).toEqual([{ token: [] }])
    expect(paths['/talks/{id}/submit']!.post!.security).toEqual([])
    expect(paths['/talks/{id}/submit']!.post!.responses).toHaveProperty('401')
    expect(paths['/talks/{id}/accept']!.post!.responses).not.toHaveProperty('401')
  })
})
