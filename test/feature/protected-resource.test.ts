import { type Authenticator, createRouter, model, type RouterOptions, refuse } from 'resourcery'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })
const token: Authenticator<{ id: string }> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: () => undefined,
}
const protectedResource = {
  authorizationServers: ['https://id.example'],
  scopes: ['books:read'],
  name: 'Books',
}

function routerWith(options: Partial<RouterOptions> = {}) {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    basePath: '/api',
    baseUrl: 'https://books.example',
    ...options,
    security: {
      protectedResource,
      authentication: [token],
      callerSchema: z.object({ id: z.string() }),
      ...options.security,
    },
  })
  router.prepare(Book).use({
    request: { write: ({ caller }) => void (caller ?? refuse('unauthorized', 'Sign in.')) },
    declares: { errors: ['unauthorized'] },
  })
  return router
}

describe('The metadata of a protected resource', () => {
  const path = '/.well-known/oauth-protected-resource'

  it('stands at the root of the host, before the base path', async () => {
    const response = await client(routerWith()).get(`${path}/api`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.body).toEqual({
      resource: 'https://books.example/api',
      authorization_servers: ['https://id.example'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['books:read'],
      resource_name: 'Books',
    })
    const atRoot = await client(routerWith({ basePath: '' })).get(path)
    expect(atRoot.at('/resource')).toBe('https://books.example')
  })

  it('is part of the OpenAPI document', () => {
    const { paths } = routerWith().toOpenApi() as { paths: Record<string, object> }
    expect(paths[`${path}/api`]).toMatchObject({
      get: { operationId: 'getProtectedResource', security: [] },
      servers: [{ url: '/' }],
    })
  })

  it('is served by serve() beside the router, and by no other path', async () => {
    const server = await serve(routerWith(), { port: 0 })
    try {
      const statusOf = async (target: string, method = 'GET') =>
        (await fetch(server.address + target, { method })).status
      expect(await statusOf(`${path}/api`)).toBe(200)
      expect(await statusOf(`${path}/api`, 'HEAD')).toBe(200)
      expect(await statusOf(`${path}/api`, 'POST')).toBe(405)
      expect(await statusOf(path)).toBe(404)
      expect(await statusOf(`/api${path}`)).toBe(404)
    } finally {
      await server.close()
    }
  })

  it('is named in the challenge of each 401', async () => {
    const api = client(routerWith())
    const metadata =
      'resource_metadata="https://books.example/.well-known/oauth-protected-resource/api"'
    const anonymous = await api.post('/api/books', { book: { title: 'x' } })
    expect(anonymous.headers.get('www-authenticate')).toBe(`Bearer ${metadata}`)
    const wrong = await api.get('/api/books', { authorization: 'Bearer x' })
    expect(wrong.headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", ${metadata}`)
  })

  it.each<[string, Partial<RouterOptions>, string]>([
    [
      'without an address',
      { baseUrl: undefined as never },
      "needs the options 'security.authentication'",
    ],
    [
      'without an issuer',
      { security: { protectedResource: { authorizationServers: [] } } },
      "The option 'authorizationServers'",
    ],
  ])('is refused at registration %s', (_, options, message) => {
    expect(() => routerWith(options)).toThrow(message)
  })
})
