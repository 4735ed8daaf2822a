import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  type Authenticator,
  createRouter,
  image,
  model,
  type RouterOptions,
  refuse,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const shop = 'https://shop.example'
const evil = 'https://evil.example'

const Book = model('book', { title: z.string(), cover: image() })
const User = z.object({ id: z.string() })

const session: Authenticator<z.input<typeof User>> = {
  name: 'session',
  scheme: { type: 'apiKey', in: 'cookie', name: 'sid' },
  authenticate: ({ headers }) => {
    const id = /\bsid=(\w+)/.exec(headers.cookie ?? '')?.[1]
    if (id === undefined) return undefined
    return id === 'wrong' ? { refused: 'Unknown session.' } : { caller: { id } }
  },
}
const token: Authenticator<z.input<typeof User>> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: ({ headers }) =>
    headers.authorization === 'Bearer jane' ? { caller: { id: 'jane' } } : undefined,
}

function routerWith(options: Partial<RouterOptions>) {
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    blobs: memoryBlobs(),
    ...options,
    security: { ...options.security, authentication: [session, token], callerSchema: User },
  })
  router.use({
    request: {
      any: ({ request }) => {
        if (request.query.includes('broken')) throw new Error('Broken.')
        if (request.query.includes('closed')) refuse('forbidden', 'Closed.')
      },
    },
    declares: { errors: ['forbidden'], headers: { 'X-Total': 'The number of books' } },
  })
  router.prepare(Book)
  return router
}

const headersOf = ({ headers }: { readonly headers: Headers }, prefix = 'access-control') =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith(prefix)))

const preflight = (origin: string, method: string, headers?: string) => ({
  origin,
  'access-control-request-method': method,
  ...(headers && { 'access-control-request-headers': headers }),
})

describe('Without the option cors', () => {
  it('no response has headers of CORS', async () => {
    const api = client(routerWith({}))
    for (const response of [
      await api.get('/api/books', { origin: shop }),
      await api.send('OPTIONS', '/api/books', undefined, preflight(shop, 'POST')),
    ]) {
      expect(headersOf(response)).toEqual({})
      expect(response.headers.get('vary')).toMatch(/^Accept\b/)
    }
  })
})

describe('Pages of a listed origin', () => {
  const cors = { origins: [shop], credentials: true, headers: ['X-Tenant'] }
  const api = client(routerWith({ security: { cors }, onError: () => undefined }))
  const allowed = {
    'access-control-allow-origin': shop,
    'access-control-allow-credentials': 'true',
  }

  it('may read the document and the documentation page with their credentials', async () => {
    const documented = client(routerWith({ security: { cors }, docsPage: true }))
    for (const path of ['/api/openapi.json', '/api/docs']) {
      const headers = preflight(shop, 'GET', 'authorization')
      const response = await documented.send('OPTIONS', path, undefined, headers)
      expect([response.status, headersOf(response)]).toEqual([
        204,
        {
          ...allowed,
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': 'Accept, Authorization, If-None-Match, X-Tenant',
          'access-control-max-age': '600',
        },
      ])
      expect((await documented.get(path, { origin: shop })).status).toBe(200)
    }
  })

  it('get what rules and authenticators need in the answer to a preflight', async () => {
    const options = (path: string) =>
      api.send('OPTIONS', path, undefined, preflight(shop, 'PATCH', 'content-type,if-match'))
    const list = await options('/api/books')
    expect(list.status).toBe(204)
    expect(headersOf(list)).toEqual({
      ...allowed,
      'access-control-allow-methods': 'GET, HEAD, QUERY, POST',
      'access-control-allow-headers': 'Accept, Authorization, Content-Type, X-Tenant',
      'access-control-max-age': '600',
    })
    expect(list.headers.get('vary')).toBe('Origin, Accept')
    expect(list.headers.get('allow')).toBe('GET, HEAD, OPTIONS, QUERY, POST')
    expect(headersOf(await options('/api/books/emma'))).toMatchObject({
      'access-control-allow-methods': 'GET, HEAD, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Accept, Authorization, Content-Type, If-Match, If-None-Match, X-Tenant',
    })
    expect(headersOf(await options('/api/books/emma/cover'))).toMatchObject({
      'access-control-allow-headers': expect.stringContaining('Range'),
    })
  })

  it('get the answer to a preflight before authentication, which sends no credentials', async () => {
    const headers = { ...preflight(shop, 'GET'), cookie: 'sid=wrong' }
    expect((await api.send('OPTIONS', '/api/books', undefined, headers)).status).toBe(204)
  })

  it('can read responses, and the headers that rules and middleware name', async () => {
    const response = await api.get('/api/books', { origin: shop })
    expect(headersOf(response)).toEqual({
      ...allowed,
      'access-control-expose-headers': expect.any(String),
    })
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ')
    for (const name of ['Etag', 'Location', 'Link', 'Retry-After', 'Www-Authenticate', 'X-Total'])
      expect(exposed).toContain(name)
    expect(exposed).toContain('Content-Range')
    expect(exposed).not.toContain('Content-Type')
    expect(response.headers.get('vary')).toMatch(/^Origin, Accept\b/)
  })

  it.each([
    ['400', '/api/books?wrong=1', {}],
    ['401', '/api/books', { cookie: 'sid=wrong' }],
    ['403', '/api/books?closed', {}],
    ['404', '/api/books/none', {}],
    ['404', '/api/unknown', {}],
    ['406', '/api/books', { accept: 'text/html' }],
    ['500', '/api/books?broken', {}],
  ])('can read an error: %s of %s', async (status, path, headers) => {
    const response = await api.get(path, { origin: shop, ...headers })
    expect(response.status).toBe(Number(status))
    expect(headersOf(response)).toMatchObject(allowed)
    expect(response.headers.get('vary')).toMatch(/\bOrigin\b/)
  })

  it('may write with the cookies of their users', async () => {
    const write = (origin: string) =>
      api.post(
        '/api/books',
        { book: { title: 'Emma' } },
        { origin, 'sec-fetch-site': 'cross-site', cookie: 'sid=jane' },
      )
    expect((await write(shop)).status).toBe(201)
    const refused = await write(evil)
    expect([refused.status, refused.errors[0]?.code]).toEqual([403, 'cross-site-request'])
  })

  it.each([
    evil,
    'null',
    'https://shop.example.evil.example',
    'http://shop.example',
    `${shop}:8443`,
  ])('are not those of %s', async (origin) => {
    const response = await api.get('/api/books', { origin })
    expect(headersOf(response)).toEqual({})
    expect(response.headers.get('vary')).toMatch(/^Origin\b/)
    const options = await api.send('OPTIONS', '/api/books', undefined, preflight(origin, 'GET'))
    expect(headersOf(options)).toEqual({})
  })

  it('share no response with requests that name no origin', async () => {
    expect((await api.get('/api/books')).headers.get('vary')).toMatch(/^Origin\b/)
  })

  it('may not use methods that a path does not have', async () => {
    const response = await api.send('OPTIONS', '/api/unknown', undefined, preflight(shop, 'GET'))
    expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([
      404,
      null,
    ])
  })
})

describe('Pages of any origin', () => {
  const api = client(routerWith({ security: { cors: { origins: '*' } } }))

  it('can read, without credentials of the browser', async () => {
    const response = await api.get('/api/books', { origin: evil })
    expect(headersOf(response)).toMatchObject({ 'access-control-allow-origin': '*' })
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('vary')).not.toContain('Origin')
  })

  it('are not trusted to write', async () => {
    const response = await api.post(
      '/api/books',
      { book: { title: 'x' } },
      { origin: evil, 'sec-fetch-site': 'cross-site' },
    )
    expect(response.status).toBe(403)
    expect(headersOf(response)).toMatchObject({ 'access-control-allow-origin': '*' })
  })
})

describe('Registration of cors', () => {
  it.each<[object, string]>([
    [{ origins: '*', credentials: true }, 'must not allow credentials to every origin'],
    [{ origins: [] }, "The option 'origins' of 'security.cors'"],
    [
      { origins: ['https://shop.example/'] },
      "got 'https://shop.example/'. Did you mean 'https://shop.example'?",
    ],
    [{ origins: ['https://Shop.example:443'] }, "Did you mean 'https://shop.example'?"],
    [{ origins: ['*'] }, "The option 'origins' of 'security.cors'"],
    [{ origins: 'https://shop.example' }, "The option 'origins' of 'security.cors'"],
    [{ origins: [shop], maxAgeSeconds: -1 }, "The option 'maxAgeSeconds'"],
    [{ origins: [shop], headers: ['X Y'] }, "The option 'headers' of 'security.cors'"],
    [{ origin: shop }, "Did you mean 'origins'?"],
  ])('refuses %j', (cors, message) => {
    expect(() => routerWith({ security: { cors: cors as never } })).toThrow(message)
  })
})

describe('Bodies that a form of another site can send', () => {
  it.each([
    ['REST', rest(), { book: { title: 'x' } }],
    ['JSON:API', jsonApi(), { data: { type: 'books', attributes: { title: 'x' } } }],
  ])('are never read as JSON under %s', async (_, policy, body) => {
    const router = routerWith({ policy })
    const types = [
      'text/plain',
      'text/plain; charset=utf-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain;application/json',
      '',
    ]
    for (const type of types)
      for (const [method, path] of [
        ['POST', '/api/books'],
        ['PATCH', '/api/books/emma'],
      ] as const) {
        const request = new Request(`http://localhost${path}`, {
          method,
          body: new TextEncoder().encode(JSON.stringify(body)),
          headers: type === '' ? {} : { 'content-type': type },
        })
        expect((await router.handle(request)).status, `${method} ${type}`).toBe(415)
      }
    expect(await router.query(Book).size()).toBe(0)
  })
})

describe('Over a socket, with curl', () => {
  const run = promisify(execFile)
  let address: string
  let close: () => Promise<void>
  beforeAll(async () => {
    const router = routerWith({
      security: { cors: { origins: [shop], credentials: true } },
      compression: true,
    })
    const server = await serve(router, { port: 0 })
    address = server.address
    close = () => server.close()
  })
  afterAll(() => close())

  /** The status line and the headers. */
  const head = async (...args: string[]) => {
    const { stdout } = await run('curl', ['-s', '-o', '/dev/null', '-D', '-', ...args])
    return stdout.toLowerCase().split('\r\n')
  }

  it('a preflight and the request after it work', async () => {
    const lines = await head(
      ...['-X', 'OPTIONS', `${address}/api/books`, '-H', `Origin: ${shop}`],
      ...['-H', 'Access-Control-Request-Method: POST'],
      ...['-H', 'Access-Control-Request-Headers: authorization,content-type'],
    )
    expect(lines[0]).toBe('http/1.1 204 no content')
    expect(lines).toContain(`access-control-allow-origin: ${shop}`)
    expect(lines).toContain('access-control-allow-methods: get, head, query, post')
    const created = await head(
      ...[`${address}/api/books`, '-H', `Origin: ${shop}`, '-H', 'Sec-Fetch-Site: cross-site'],
      ...['-H', 'Authorization: Bearer jane', '-H', 'Content-Type: application/json'],
      ...['-d', '{"book":{"title":"Emma"}}'],
    )
    expect(created[0]).toBe('http/1.1 201 created')
    expect(created).toContain(`access-control-allow-origin: ${shop}`)
    expect(created.some((line) => /^vary: .*\borigin\b/.test(line))).toBe(true)
  })

  it('a wrong credential is 401 with a challenge, which a page can read', async () => {
    for (const credential of ['Authorization: Bearer wrong', 'Authorization: Basic eDp5']) {
      const lines = await head(`${address}/api/books`, '-H', `Origin: ${shop}`, '-H', credential)
      expect(lines[0]).toBe('http/1.1 401 unauthorized')
      expect(lines).toContain('www-authenticate: bearer error="invalid_token"')
      expect(lines).toContain(`access-control-allow-origin: ${shop}`)
    }
  })

  it('form bodies are refused', async () => {
    const lines = await head(`${address}/api/books`, '-d', '{"book":{"title":"Emma"}}')
    expect(lines[0]).toBe('http/1.1 415 unsupported media type')
  })
})
