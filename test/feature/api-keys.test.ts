import { generateKeyPairSync } from 'node:crypto'
import { action, createRouter, model, type RouterOptions, toOne } from 'resourcery'
import {
  apiKeyFields,
  apiKeys,
  bearerJwt,
  issueApiKey,
  issuedKey,
  requireScopes,
} from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class User extends model('user', { name: z.string(), isActive: z.boolean().default(true) }) {}

class ApiKey extends model('apiKey', { ...apiKeyFields(), owner: toOne<User>('user') }) {
  issue() {
    return issueApiKey(this, 'shop')
  }

  static {
    action(this, 'issue', { output: issuedKey })
  }
}

const Caller = z.object({ id: z.string(), scopes: z.array(z.string()) })

const keys = apiKeys({
  model: ApiKey,
  caller: async ({ owner, scopes }, { items }) => {
    const user = await items(User).get(owner)
    return user?.isActive ? { id: user.id, scopes } : undefined
  },
})
const tokens = bearerJwt({
  issuer: 'i',
  audience: 'a',
  algorithms: ['ES256'],
  key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
  caller: ({ sub = '' }) => ({ id: sub, scopes: [] }),
})

describe.each(stores)('API keys, on $name', ({ make }) => {
  let api: Client
  let seen: unknown[]
  const routerOf = async (options: Partial<RouterOptions> = {}) => {
    const router = createRouter({
      policy: rest(),
      store: await make(),
      ...options,
      security: { ...options.security, authentication: [tokens, keys], callerSchema: Caller },
    })
    router.use({
      request: {
        any: ({ caller }) => {
          seen.push(caller)
        },
      },
    })
    router.prepare(User).use({
      request: { delete_: ({ caller }) => requireScopes(caller?.scopes ?? [], ['users:write']) },
    })
    router.prepare(ApiKey)
    await router.load(User, [{ id: 'jane', name: 'Jane' }])
    return router
  }
  let router: Awaited<ReturnType<typeof routerOf>>
  beforeEach(async () => {
    seen = []
    router = await routerOf()
    api = client(router)
  })

  const create = (members: object = {}) =>
    api.post('/apiKeys', {
      apiKey: { id: 'k1', name: 'Import', scopes: ['users:read'], owner: 'jane', ...members },
    })
  const issue = async () => {
    const response = await api.post('/apiKeys/k1/issue')
    expect(response.status).toBe(200)
    return response.at('/key') as string
  }
  const use = (key: string) => api.get('/users', { authorization: `Bearer ${key}` })

  it('are shown once, and stored as their digest, which no client sees', async () => {
    expect((await create()).status).toBe(201)
    const key = await issue()
    expect(key).toMatch(/^shop_[0-9a-f]{12}_[\w-]{43}$/)
    const shown = await api.get('/apiKeys/k1')
    expect(shown.at('/apiKey/start')).toBe(key.slice(0, 17))
    expect(shown.text).not.toContain('digest')
    expect(shown.text).not.toContain(key)
    const stored = await router.items(ApiKey).get('k1')
    expect(stored?.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(stored)).not.toContain(key.slice(18))
    for (const query of ['filter[digest]=x', 'sort=digest', 'fields[apiKeys]=digest'])
      expect((await api.get(`/apiKeys?${query}`)).status, query).toBe(400)
  })

  it('give the caller of their item', async () => {
    await create()
    const key = await issue()
    seen.length = 0
    expect((await use(key)).status).toBe(200)
    expect(seen).toEqual([{ id: 'jane', scopes: ['users:read'] }])
    const refused = await api.delete('/users/jane', { authorization: `Bearer ${key}` })
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="users:write"',
    )
  })

  it('are refused where they are wrong, replaced, deleted, expired, or of nobody', async () => {
    await create()
    const first = await issue()
    const wrong = `${first.slice(0, -1)}${first.endsWith('A') ? 'B' : 'A'}`
    const statusOf = async (key: string) => {
      const { status, headers } = await use(key)
      return [status, headers.get('www-authenticate')]
    }
    const refused = [401, 'Bearer error="invalid_token"']
    expect(await statusOf(wrong)).toEqual(refused)
    expect(await statusOf(first.slice(0, 17))).toEqual(refused)
    expect(await statusOf(first.toUpperCase())).toEqual(refused)
    const second = await issue()
    expect(await statusOf(first)).toEqual(refused)
    expect(await statusOf(second)).toEqual([200, null])
    await router.items(ApiKey).update('k1', { expiresAt: '2020-01-01T00:00:00Z' })
    expect((await use(second)).errors[0]?.detail).toBe('The API key has expired.')
    await router.items(ApiKey).update('k1', { expiresAt: '2120-01-01T00:00:00Z' })
    expect(await statusOf(second)).toEqual([200, null])
    await router.items(User).update('jane', { isActive: false })
    expect(await statusOf(second)).toEqual(refused)
    await router.items(User).update('jane', { isActive: true })
    await api.delete('/apiKeys/k1')
    expect(await statusOf(second)).toEqual(refused)
  })

  it('are not kept for repetitions of the request that issues them', async () => {
    const repeatable = await routerOf({ idempotency: true })
    const headers = { 'idempotency-key': 'c4a760a8-dbcf-5254-a0d9-6a4474bd1b62' }
    await repeatable.items(ApiKey).create({ id: 'k1', name: 'Import', owner: 'jane' })
    const issueOnce = () => client(repeatable).post('/apiKeys/k1/issue', undefined, headers)
    const [first, second] = [await issueOnce(), await issueOnce()]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers.get('idempotency-replayed')).toBeNull()
    expect(second.at('/key')).not.toBe(first.at('/key'))
  })

  it('cannot be set by clients, and have scopes that tokens can have', async () => {
    const start = 'shop_000000000000'
    const created = await create({ start, digest: undefined })
    expect(created.at('/apiKey/start')).not.toBe(start)
    expect((await create({ id: 'k2', digest: 'a'.repeat(64) })).status).toBe(422)
    expect((await create({ id: 'k3', scopes: ['a b'] })).status).toBe(422)
    expect((await create({ id: 'k4', name: '' })).status).toBe(422)
    const withoutScopes = await create({ id: 'k5', scopes: undefined })
    expect(withoutScopes.at('/apiKey/scopes')).toEqual([])
  })

  it('that were never issued accept no key', async () => {
    await create()
    expect((await use(`shop_000000000000_${'A'.repeat(43)}`)).status).toBe(401)
  })
})

describe('A model of API keys', () => {
  it('must have the fields', () => {
    const Other = model('other', { name: z.string() })
    expect(() => apiKeys({ model: Other as never, caller: () => ({}) })).toThrow(
      "The model of apiKeys() lacks the field 'scopes'.",
    )
  })

  it('must be prepared on the router', async () => {
    const [memory] = stores
    const errors: unknown[] = []
    const router = createRouter({
      policy: jsonApi(),
      store: await memory!.make(),
      security: { authentication: [keys], callerSchema: Caller },
      onError: (error) => errors.push(error),
    })
    router.prepare(User)
    const { status } = await client(router).get('/users', {
      authorization: `Bearer shop_000000000000_${'A'.repeat(43)}`,
    })
    expect(status).toBe(500)
    expect(errors).toMatchObject([{ message: expect.stringContaining("'apiKey' is not prepared") }])
  })

  it('takes prefixes of letters and digits', () => {
    expect(() => issueApiKey({ id: '1', name: 'x', scopes: [] }, 'Shop-')).toThrow(TypeError)
  })
})
