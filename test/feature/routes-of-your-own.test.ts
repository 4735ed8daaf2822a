import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import {
  AuthenticationUnavailable,
  type Authenticator,
  createRouter,
  model,
  type RouteHandler,
  refuse,
  respond,
} from 'resourcery'
import { fetchHandler } from 'resourcery/fetch'
import { limit } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { nodeHandler, type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const token: Authenticator<{ id: string }> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: async ({ headers: { authorization } }) => {
    if (authorization === 'Bearer away') throw new AuthenticationUnavailable('Away.')
    if (authorization === 'Bearer ada') return { caller: { id: 'ada' } }
    return authorization === undefined ? undefined : { refused: 'Unknown token.' }
  },
}
const origin = 'https://shop.example'

function open(points = 100) {
  const errors: unknown[] = []
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    security: {
      authentication: [token],
      callerSchema: z.object({ id: z.string() }),
      cors: { origins: [origin], headers: ['X-Tenant'] },
    },
    onError: (error) => errors.push(error),
  })
  router.use(limit({ points, seconds: 60, concurrent: 5 }))
  router.prepare(model('book', { title: z.string() }))
  const reports = router.service('/reports', ({ request, caller }) => {
    if (request.path === '/reports/broken') throw new TypeError('broken')
    if (!caller) refuse('unauthorized', 'Sign in to read reports.')
    return respond(200, { 'content-type': 'text/plain' }, `report for ${caller.id}`)
  })
  return { router, reports, errors }
}

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Send = (path: string, init?: RequestInit) => Promise<Response>
type Opened = ReturnType<typeof open>

const hosts: [string, (opened: Opened) => Promise<Send>][] = [
  [
    'serve',
    async ({ router, reports }) => {
      const server = await serve([router, reports], { port: 0 })
      onTestFinished(() => server.close())
      return (path, init) => fetch(new URL(path, server.address), init)
    },
  ],
  [
    'fallback of serve',
    async ({ router, reports }) => {
      const server = await serve(router, { port: 0, fallback: reports.respond })
      onTestFinished(() => server.close())
      return (path, init) => fetch(new URL(path, server.address), init)
    },
  ],
  [
    'Express',
    async ({ router, reports }) => {
      const address = await listening(express().use(nodeHandler([router, reports])))
      return (path, init) => fetch(address + path, init)
    },
  ],
  [
    'Fastify',
    async ({ router, reports }) => {
      const app = fastify()
      app.all('/reports/*', nodeHandler([router, reports]))
      app.all('/reports', nodeHandler([router, reports]))
      const address = await app.listen({ port: 0, host: '127.0.0.1' })
      onTestFinished(() => app.close())
      return (path, init) => fetch(address + path, init)
    },
  ],
  [
    'Hono',
    async ({ reports }) => {
      const app = new Hono()
      app.all('/reports/*', fetchHandler(reports))
      return async (path, init) => app.request(path, init)
    },
  ],
]

describe.each(hosts)('A service beside the router, in %s', (_, host) => {
  it('knows its callers, and refuses as the router does', async () => {
    const opened = open()
    const send = await host(opened)
    const get = (path: string, credential?: string, init: RequestInit = {}) =>
      send(path, {
        ...init,
        headers: { origin, ...(credential && { authorization: credential }), ...init.headers },
      })
    const own = await get('/reports/day', 'Bearer ada')
    expect([own.status, await own.text()]).toEqual([200, 'report for ada'])
    expect(own.headers.get('access-control-allow-origin')).toBe(origin)
    expect(own.headers.get('access-control-expose-headers')).toContain('Ratelimit')
    expect(own.headers.get('ratelimit')).toMatch(/^"default";r=99;t=\d+$/)
    for (const [credential, status, code] of [
      [undefined, 401, 'unauthorized'],
      ['Bearer wrong', 401, 'invalid-credentials'],
      ['Bearer away', 503, 'authentication-unavailable'],
    ] as const) {
      const refused = await get('/reports/day', credential)
      expect(refused.status).toBe(status)
      expect(await refused.json()).toMatchObject({ errors: [{ code }] })
      expect(refused.headers.get('access-control-allow-origin')).toBe(origin)
      expect(refused.headers.get(status === 401 ? 'www-authenticate' : 'retry-after')).toBeTruthy()
    }
    const broken = await get('/reports/broken', 'Bearer ada')
    expect([broken.status, await broken.text()]).toEqual([500, expect.not.stringContaining('bro')])
    expect(opened.errors).toMatchObject([{ message: 'Away.' }, { message: 'broken' }])
    const evil = { origin: 'https://evil.example' }
    const crossSite = await get('/reports/day', 'Bearer ada', { method: 'POST', headers: evil })
    expect(crossSite.status).toBe(403)
    expect(crossSite.headers.get('access-control-allow-origin')).toBe(null)
  })

  it('limits its clients, but no preflight', async () => {
    const send = await host(open(2))
    const preflight = () =>
      send('/reports/day', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PUT' },
      })
    const get = async () =>
      (await send('/reports/day', { headers: { authorization: 'Bearer ada' } })).status
    const statuses = [await get(), (await preflight()).status, await get(), await get()]
    expect(statuses).toEqual([200, 204, 200, 429])
    const { status, headers } = await preflight()
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-methods')).toContain('PUT')
    expect(headers.get('access-control-allow-headers')).toMatch(/Authorization.*X-Tenant/)
  })
})

describe('router.service()', () => {
  const get = (service: Service, path: string, init: RequestInit = {}) =>
    fetchHandler(service)(new Request(`http://localhost${path}`, init))
  const ada = { headers: { authorization: 'Bearer ada' } }

  it('marks reads as personal, as the router does', async () => {
    const { router, reports } = open()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await get(reports, '/reports/day', { ...ada, method })
      expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
      expect(headers.get('vary')).toBe('Origin, Accept, Authorization')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    const written = await get(reports, '/reports/day', { ...ada, method: 'POST' })
    expect(written.headers.get('cache-control')).toBe(null)
    expect(written.headers.get('x-content-type-options')).toBe('nosniff')
    const missing = router.service('/missing', () => refuse('not-found', 'Not for you.'))
    const error = await get(missing, '/missing', ada)
    expect([error.status, error.headers.get('cache-control')]).toEqual([404, 'no-store'])
  })

  it('lets the handler decide how its response is kept', async () => {
    const { router } = open()
    const feed = router.service('/feed', () =>
      respond(200, { 'Cache-Control': 'public, max-age=60', Vary: 'Accept-Language' }, 'news'),
    )
    const { headers } = await get(feed, '/feed')
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('vary')).toMatch(/\bAccept, Authorization, Accept-Language$/)
  })

  it('has no permission of the handler for origins that are not listed', async () => {
    const { router } = open()
    const feed = router.service('/feed', () =>
      respond(200, { 'Access-Control-Allow-Origin': '*', 'X-Total': '1' }, 'news'),
    )
    const permission = async (from: string) => {
      const { headers } = await get(feed, '/feed', { headers: { origin: from } })
      expect(headers.get('x-total')).toBe('1')
      return headers.get('access-control-allow-origin')
    }
    expect(await permission(origin)).toBe(origin)
    expect(await permission('https://evil.example')).toBe(null)
  })

  it.each([
    [{ headers: { vary: 5 } }, "The header 'vary' must be a string; got 5."],
    [
      { headers: { 'x total': '1' } },
      'Invalid header name "x total"; expected a name such as \'x-total\'.',
    ],
    [
      { headers: { 'set-cookie': ['a=1', null] } },
      "The header 'set-cookie' must be a string; got null.",
    ],
    [
      { headers: 'text/plain' },
      "The headers of a response must be an object such as { 'content-type': 'text/plain' }, or Headers; got \"text/plain\".",
    ],
    [{ status: 99 }, 'The status of a response must be 200 to 599; got 99.'],
    [
      { body: { kind: 'text', text: {} } },
      'The text of a response must be a string; got [object Object].',
    ],
    [
      { status: 600, headers: { 'x-a': 5, 'x-b': 'fine', 'x-c': 'a\nb' }, body: { kind: 'web' } },
      "The status of a response must be 200 to 599; got 600. Unknown kind 'web' of a response body. The header 'x-a' must be a string; got 5. The header 'x-c' must not have control characters or characters beyond Latin-1; got \"a\\nb\".",
    ],
  ])('names the service of a response with %j, which cannot be sent', async (part, faults) => {
    const { router, errors } = open()
    const broken = router.service(
      '/broken',
      () => ({ status: 200, headers: {}, body: { kind: 'text', text: '' }, ...part }) as never,
    )
    expect((await get(broken, '/broken')).status).toBe(500)
    const message = `The handler of service('/broken') returned a response that cannot be sent. ${faults}`
    expect(errors).toMatchObject([{ message }])
  })

  it('closes the stream of a response that cannot be sent', async () => {
    const { router } = open()
    let isClosed = false
    const chunks = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false as const, value: 'x' }),
        return: async () => {
          isClosed = true
          return { done: true as const, value: undefined }
        },
      }),
    }
    const broken = router.service('/broken', () => ({
      status: 99,
      headers: {},
      body: { kind: 'stream', chunks },
    }))
    expect((await get(broken, '/broken')).status).toBe(500)
    expect(isClosed).toBe(true)
  })

  it('sends bytes, with the headers of another response', async () => {
    const { router } = open()
    const given = new Headers({ 'content-type': 'image/gif', 'x-total': '1' })
    given.append('set-cookie', 'a=1')
    given.append('set-cookie', 'b=2')
    const images = router.service('/images', () =>
      respond(200, given, new Uint8Array([71, 73, 70])),
    )
    const response = await get(images, '/images')
    expect(response.headers.get('content-type')).toBe('image/gif')
    expect(response.headers.get('x-total')).toBe('1')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([71, 73, 70])
  })

  it('is refused without a handler', () => {
    const { router } = open()
    expect(() => router.service('/reports', undefined as never)).toThrow(
      "service('/reports') needs a handler",
    )
    expect(() => router.service((() => respond(200)) as never, undefined as never)).toThrow(
      "service() expects a path such as '/reports'",
    )
  })

  it.each(['/reports/:id', '/reports/{id}/days', '/reports/*'])(
    'is refused at %s, because it has no parameters',
    (path) => {
      const { router } = open()
      expect(() => router.service(path, () => respond(200))).toThrow(
        `service('${path}') has a parameter. A service gets all paths below its own: use '/reports', and read the rest of request.path.`,
      )
    },
  )

  it('refuses other methods than its own, before the handler runs', async () => {
    const { router } = open(2)
    const handled: string[] = []
    const handler: RouteHandler = ({ request }) => {
      handled.push(request.method)
      return respond(204)
    }
    const reports = router.service('/reports', handler, { methods: ['GET'] })
    expect((await get(reports, '/reports', { method: 'HEAD' })).status).toBe(204)
    const options = await get(reports, '/reports', { method: 'OPTIONS' })
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    for (const [method, status] of [
      ['POST', 405],
      ['DELETE', 405],
      // As unknown methods of the router, they take points of their address.
      ['PUT', 429],
    ] as const) {
      const response = await get(reports, '/reports', { method })
      expect(response.status).toBe(status)
      if (status === 405) expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    }
    expect(handled).toEqual(['HEAD'])
    const any = router.service('/any', handler)
    expect((await get(any, '/any', { method: 'DELETE' })).status).toBe(204)
  })

  it.each([{ count: 1 }, undefined, 'text', Response.json({})])(
    'says what a handler must return instead of %s',
    async (returned) => {
      const { router, errors } = open()
      const wrong = router.service('/wrong', () => returned as never)
      expect((await get(wrong, '/wrong')).status).toBe(500)
      expect(String(errors)).toMatch(
        /^TypeError: The handler of service\('\/wrong'\) returned .*; expected a response, such as respond\(200/,
      )
    },
  )

  it.each(['/api/books', '/api/books/', '/api/docs', '/api/openapi.json'])(
    'is refused at %s, which the router serves',
    async (path) => {
      const router = createRouter({
        policy: rest(),
        basePath: '/api',
        store: memory(),
        docsPage: true,
      })
      const handler = () => respond(200)
      router.service(path, handler)
      router.prepare(model('book', { title: z.string() }))
      await expect(router.open()).rejects.toThrow(
        new RegExp(`service\\('${path}'\\) clashes with GET ${path.replace(/\/$/, '')}`),
      )
    },
  )

  it('is refused there after the router has opened, too', async () => {
    const { router } = open()
    await router.open()
    expect(() => router.service('/api/books', () => respond(200))).toThrow('clashes with GET')
    for (const path of ['/api/bookshelves', '/api/books-of-ada', '/other/books', ''])
      router.service(path, () => respond(200))
  })
})

describe('router.authenticate()', () => {
  const wrong = { headers: { authorization: 'Bearer wrong' } }
  const ada = { headers: { authorization: 'Bearer ada' } }

  it('finds the caller of a web request', async () => {
    const { router, errors } = open()
    const of = (init?: RequestInit) =>
      router.authenticate(new Request('http://localhost/reports', init))
    expect(await of()).toBe(undefined)
    const caller: { id: string } | undefined = await of(ada)
    expect(caller).toEqual({ id: 'ada' })
    await expect(of(wrong)).rejects.toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
    await expect(of({ headers: { authorization: 'Bearer away' } })).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    })
    expect(errors).toMatchObject([{ message: 'Away.' }])
    const headers = { ...ada.headers, origin: 'https://evil.example' }
    await expect(of({ method: 'POST', headers })).rejects.toMatchObject({ status: 403 })
  })

  it.each<[string, (opened: Opened) => Promise<string>]>([
    [
      'Express',
      async ({ router }) => {
        const app = express().set('env', 'test')
        const routes = express.Router()
        routes.get('/day', async (req, res) => res.json(await router.authenticate(req)))
        return listening(app.use('/reports', routes))
      },
    ],
    [
      'Fastify',
      async ({ router }) => {
        const app = fastify()
        app.get('/reports/day', async (request) => (await router.authenticate(request)) ?? {})
        onTestFinished(() => app.close())
        return app.listen({ port: 0, host: '127.0.0.1' })
      },
    ],
  ])('finds the caller of a request of %s, which sends its errors', async (_, start) => {
    const address = await start(open(3))
    const get = (init: RequestInit) => fetch(`${address}/reports/day`, init)
    expect(await (await get(ada)).json()).toEqual({ id: 'ada' })
    const statuses: number[] = []
    for (let index = 0; index < 5; index++) {
      const response = await get(wrong)
      statuses.push(response.status)
      if (index === 0) expect(response.headers.get('www-authenticate')).toContain('Bearer')
      if (index === 4) expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })
})

it.each([[['get']], ['GET']])('are refused with the methods %j', (methods) => {
  const router = createRouter({ policy: rest(), store: memory() })
  const handle = () => respond(204)
  expect(() => router.service('/reports', handle, { methods: methods as never })).toThrow(
    "The option 'methods' of service() must be an array of methods in upper case",
  )
})
