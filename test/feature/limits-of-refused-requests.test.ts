import { RateLimiterMemory } from 'rate-limiter-flexible'
import { type Authenticator, createRouter, type Middleware, model, type Router } from 'resourcery'
import { basic } from 'resourcery/auth'
import { limit } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

const Book = model('book', { title: z.string(), price: z.number().optional() })
const Caller = z.object({ id: z.string() })
const passwords = basic({ users: { ada: 'right' }, caller: (id) => ({ id }) })

interface Service {
  readonly limits: readonly Middleware[]
  readonly authentication?: readonly Authenticator<z.input<typeof Caller>>[]
  /** Does a field depend on the caller alone? */
  readonly hasVariants?: boolean
}

function open({ limits, authentication = [passwords], hasVariants = false }: Service): Router {
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    security: { authentication, callerSchema: Caller, cors: { origins: ['https://shop.example'] } },
    docsPage: true,
  })
  for (const each of limits) router.use(each)
  const books = router.prepare(Book)
  if (hasVariants)
    books.access(({ anyone, signedIn }) => ({
      read: anyone,
      create: anyone,
      fields: { price: { read: signedIn } },
    }))
  return router
}

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly query?: string
  readonly address?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

function sender(router: Router) {
  return (sent: Sent) =>
    router.respond({
      method: 'GET',
      path: '/api/books/none',
      query: '',
      headers: {},
      address: '203.0.113.7',
      body: undefined,
      ...sent,
    })
}

const password = (text: string) => ({
  authorization: `Basic ${Buffer.from(`ada:${text}`).toString('base64')}`,
})

const guess = async (send: ReturnType<typeof sender>, count: number, sent: Sent = {}) => {
  const statuses: number[] = []
  for (let index = 0; index < count; index++)
    statuses.push((await send({ headers: password(`guess ${index}`), ...sent })).status)
  return statuses
}
const times = (status: number, count: number) => Array<number>(count).fill(status)

it.each([false, true])('guesses of a password take points; variants: %s', async (hasVariants) => {
  const send = sender(open({ limits: [limit({ points: 5, seconds: 60 })], hasVariants }))
  const first = await send({ headers: password('wrong') })
  expect(first.status).toBe(401)
  expect(first.headers).toMatchObject({
    'ratelimit-policy': '"default";q=5;w=60',
    ratelimit: expect.stringMatching(/^"default";r=4;t=\d+$/),
    'www-authenticate': expect.stringMatching(/^Basic /),
  })
  expect(await guess(send, 199)).toEqual([...times(401, 4), ...times(429, 195)])
  const refused = await send({ headers: password('right') })
  expect(refused.status).toBe(429)
  expect(refused.headers).toMatchObject({
    ratelimit: expect.stringMatching(/^"default";r=0;t=\d+$/),
    'retry-after': expect.stringMatching(/^\d+$/),
  })
  expect(refused.body).toMatchObject({
    text: expect.stringContaining(
      'The limit of 5 points in 60 seconds is used up by requests from this address that were refused, such as those with a wrong credential. Try again in',
    ),
  })
  // Other addresses, and requests without a credential, have points of their own.
  expect((await send({ headers: password('right'), address: '203.0.113.8' })).status).toBe(404)
  expect((await send({})).status).toBe(404)
})

it.each([
  ['an unknown path', { path: '/api/boks' }, 404],
  ['a malformed path', { path: '/api/books/%zz' }, 400],
  ['a method that is not allowed', { method: 'DELETE', path: '/api/books' }, 405],
  ['an unknown method', { method: 'BREW' }, 501],
])('%s takes a point', async (_, sent, status) => {
  const send = sender(open({ limits: [limit({ points: 2, seconds: 60 })] }))
  expect(await guess(send, 4, { headers: {}, ...sent })).toEqual([status, status, 429, 429])
  expect((await send({})).status).toBe(404)
})

const tokens: Authenticator<z.input<typeof Caller>> = {
  name: 'token',
  scheme: { type: 'apiKey', in: 'query', name: 'token' },
  authenticate: ({ query }) => {
    const token = new URLSearchParams(query).get('token')
    if (token === null) return undefined
    return token === 'right' ? { caller: { id: 'ada' } } : { refused: 'The token is unknown.' }
  },
}

it.each([false, true])(
  'a page cannot lock its visitor out with unknown paths; variants: %s',
  async (hasVariants) => {
    const limits = [limit({ points: 2, seconds: 60, cost: () => 0 })]
    const send = sender(open({ limits, authentication: [passwords, tokens], hasVariants }))
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
    expect(await guess(send, 4, { path: '/api/x1', headers })).toEqual([404, 404, 429, 429])
    expect((await send({ headers: password('right') })).status).toBe(404)
    expect((await send({ query: 'token=right' })).status).toBe(404)
    expect((await send({})).status).toBe(404)
    // The credentials have points of their own.
    expect(await guess(send, 3)).toEqual([401, 401, 429])
  },
)

it('only requests with the parameter of a scheme are refused for wrong ones in the query', async () => {
  const limits = [limit({ points: 2, seconds: 60, cost: () => 0 })]
  const send = sender(open({ limits, authentication: [tokens] }))
  expect(await guess(send, 4, { query: 'token=x' })).toEqual([401, 401, 429, 429])
  expect((await send({})).status).toBe(404)
  expect((await send({ query: 'fields[books]=title' })).status).toBe(404)
  expect((await send({ query: 't%6fken=right' })).status).toBe(429)
})

it.each(['credential', 'path', 'refused'])(
  'a key that a request chooses is none of refused ones: %s',
  async (part) => {
    const by = limit({ points: 2, seconds: 60, by: ({ request }) => request.headers['x-tenant'] })
    const send = sender(open({ limits: [by] }))
    for (const key of [`${part}:address:203.0.113.7`, '203.0.113.7', 'address:203.0.113.7'])
      await guess(send, 3, {
        headers: { 'x-tenant': key },
        address: '198.51.100.1',
      })
    expect(await guess(send, 1)).toEqual([401])
    expect(await guess(send, 1, { path: '/api/boks' })).toEqual([404])
  },
)

interface Keys {
  readonly keys: Authenticator<z.input<typeof Caller>>
  readonly lookUps: () => number
  /** The most that ran at a time. */
  readonly most: () => number
}

/** Right keys start with `right`, and are ids. */
function slowKeys(): Keys {
  let [lookUps, running, most] = [0, 0, 0]
  return {
    lookUps: () => lookUps,
    most: () => most,
    keys: {
      name: 'key',
      scheme: { type: 'apiKey', in: 'header', name: 'X-Key' },
      authenticate: async ({ headers: { 'x-key': key } }) => {
        if (key === undefined) return undefined
        lookUps++
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running--
        return key.startsWith('right') ? { caller: { id: key } } : { refused: 'Unknown key.' }
      },
    },
  }
}

describe.each([false, true])('with variants: %s,', (hasVariants) => {
  it.each([
    ['an unknown path', { path: '/api/boks' }, [404, 404, 429]],
    ['a method that is not allowed', { path: '/api/books', method: 'DELETE' }, [405, 405, 429]],
    ['OPTIONS', { path: '/api/books', method: 'OPTIONS' }, [204, 204, 204]],
    ['the documentation', { path: '/api/docs' }, [200, 200, 200]],
    [
      'a write from another site',
      { path: '/api/books', method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } },
      [403, 403, 403],
    ],
  ])('no credential is looked up at %s', async (_, sent, statuses) => {
    const { keys, lookUps } = slowKeys()
    const limits = [limit({ points: 2, seconds: 60 })]
    const send = sender(open({ limits, authentication: [keys], hasVariants }))
    const { headers, ...others } = { headers: {}, ...sent }
    const wrong = { ...others, headers: { ...headers, 'x-key': 'wrong' } }
    expect(await guess(send, 3, wrong)).toEqual(statuses)
    expect(lookUps()).toBe(0)
    expect(await guess(send, 1, { headers: { 'x-key': 'right' } })).toEqual([404])
  })

  it('guesses that are sent at once are as many as the points', async () => {
    const { keys, lookUps } = slowKeys()
    const limits = [limit({ points: 5, seconds: 60 })]
    const send = sender(open({ limits, authentication: [keys], hasVariants }))
    const sent = Array.from({ length: 60 }, (_, index) =>
      send({ headers: { 'x-key': index === 40 ? 'right' : 'wrong' } }),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses).toEqual([...times(401, 5), ...times(429, 55)])
    expect(lookUps()).toBe(5)
  })

  it('right credentials of many users behind one address wait for each other', async () => {
    const { keys, lookUps, most } = slowKeys()
    const limits = [limit({ points: 5, seconds: 60 })]
    const send = sender(open({ limits, authentication: [keys], hasVariants }))
    const sent = Array.from({ length: 60 }, (_, index) =>
      send({ headers: { 'x-key': index % 20 === 3 ? 'wrong' : `right ${index}` } }),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(3)
    expect(statuses.filter((status) => status === 404)).toHaveLength(57)
    expect([lookUps(), most()]).toEqual([60, 5])
  })
})

it('a preflight takes no points, and needs no credential', async () => {
  const send = sender(open({ limits: [limit({ points: 1, seconds: 60 })], hasVariants: true }))
  await guess(send, 3)
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
  for (const path of ['/api/books', '/api/books', '/api/boks', '/api/boks', '/api/boks']) {
    const { status } = await send({ method: 'OPTIONS', path, headers })
    expect(status, path).toBe(path === '/api/books' ? 204 : 404)
  }
  expect((await send({ path: '/api/books', method: 'OPTIONS' })).status).toBe(204)
})

it('addresses of one network of IPv6 share their points', async () => {
  const send = sender(open({ limits: [limit({ points: 1, seconds: 60 })] }))
  expect(await guess(send, 1, { address: '2001:db8:1:2::1' })).toEqual([401])
  expect(await guess(send, 1, { address: '2001:db8:1:2:ffff::9' })).toEqual([429])
  expect(await guess(send, 1, { address: '2001:db8:1:3::1' })).toEqual([401])
})

it('clients of an unknown address cannot lock each other out', async () => {
  const send = sender(open({ limits: [limit({ points: 1, seconds: 60 })] }))
  expect(await guess(send, 3, { address: undefined })).toEqual([401, 429, 429])
  expect((await send({ address: undefined, headers: password('right') })).status).toBe(404)
})

it('guesses are not looked up while no points are left', async () => {
  let lookUps = 0
  const keys: Authenticator<z.input<typeof Caller>> = {
    name: 'key',
    scheme: { type: 'apiKey', in: 'header', name: 'X-Key' },
    authenticate: async ({ headers }) => {
      if (headers['x-key'] === undefined) return undefined
      lookUps++
      return { refused: 'The key is unknown.' }
    },
  }
  const send = sender(open({ limits: [limit({ points: 2, seconds: 1 })], authentication: [keys] }))
  const headers = { 'x-key': 'guess' }
  expect(await guess(send, 20, { headers })).toEqual([401, 401, ...times(429, 18)])
  expect(lookUps).toBe(2)
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect(await guess(send, 1, { headers })).toEqual([401])
})

it('several limits each take a point, and the one that has none refuses', async () => {
  const limits = [
    limit({ points: 9, seconds: 60, name: 'minute' }),
    limit({ points: 2, seconds: 3_600, name: 'hour' }),
  ]
  const send = sender(open({ limits }))
  const { headers } = await send({ headers: password('wrong') })
  expect(headers.ratelimit).toMatch(/^"minute";r=8;t=\d+, "hour";r=1;t=\d+$/)
  expect(await guess(send, 3)).toEqual([401, 429, 429])
})

it('processes that share a limiter share the points', async () => {
  const limiter = new RateLimiterMemory({ points: 2, duration: 30 })
  const [one, other] = [1, 2].map(() => sender(open({ limits: [limit({ limiter })] })))
  expect(await guess(one!, 2)).toEqual([401, 401])
  expect(await guess(other!, 2)).toEqual([429, 429])
})

it('an option leaves them uncounted, and a limiter that fails lets them pass', async () => {
  const ignoring = sender(open({ limits: [limit({ points: 1, seconds: 60, refused: 'ignore' })] }))
  expect(await guess(ignoring, 3)).toEqual(times(401, 3))
  const limiter = { points: 1, duration: 1, consume: () => Promise.reject(new Error('down')) }
  const onError = vi.fn()
  expect(await guess(sender(open({ limits: [limit({ limiter, onError })] })), 3)).toEqual(
    times(401, 3),
  )
  expect(onError).toHaveBeenCalledTimes(3)
  const refusing = open({ limits: [limit({ limiter, onError, onFailure: 'refuse' })] })
  expect(await guess(sender(refusing), 2)).toEqual([503, 503])
})
