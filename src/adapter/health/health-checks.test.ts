import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { respond } from '../../http/api-response.ts'
import { StoreOverloaded, StoreUnavailable } from '../../store/store-failures.ts'
import { type ServeOptions, type Server, type Service, serve } from '../node.ts'
import { rawClient, rawExchange, wait } from '../raw-client.testing.ts'

let server: Server
let checkCount = 0
let errors: unknown[] = []

/** A server with one service at `/api`, whose store does what the function does. */
async function serving(
  check: (signal: AbortSignal) => Promise<void> = async () => {},
  options: ServeOptions = {},
  service: Partial<Service> = {},
): Promise<number> {
  checkCount = 0
  errors = []
  server = await serve(
    {
      basePath: '/api',
      respond: async ({ path }) => respond(200, {}, path),
      dependencies: [
        {
          name: 'store',
          check: (signal) => {
            checkCount++
            return check(signal)
          },
        },
      ],
      ...service,
    },
    { onError: (error) => errors.push(error), ...options },
  )
  return server.port
}

afterEach(() => {
  server.node.closeAllConnections()
  return server.close()
})

const head = (path: string, method = 'GET', host = 'localhost') =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`

async function ask(port: number, path: string) {
  const { status, headers, body } = await rawExchange(port, head(path))
  return { status, headers, body: JSON.parse(body) }
}

test('a server says that it lives, and that its services are ready', async () => {
  const port = await serving()
  expect(await ask(port, '/livez')).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: { status: 'live' },
  })
  expect(await ask(port, '/readyz?verbose')).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { status: 'ready', checks: [{ service: '/api', name: 'store', state: 'ready' }] },
  })
})

test('HEAD has no body, and other methods are refused', async () => {
  const port = await serving()
  expect(await rawExchange(port, head('/readyz', 'HEAD'))).toMatchObject({ status: 200, body: '' })
  expect(await rawExchange(port, head('/livez', 'POST'))).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD' },
  })
})

test('a store that cannot be used is 503, without what its error says', async () => {
  let isDown = true
  const port = await serving(async () => {
    if (isDown) throw new StoreUnavailable('connect ECONNREFUSED 10.0.0.7:5432 as user admin')
  })
  const { status, body } = await ask(port, '/readyz')
  expect(status).toBe(503)
  expect(body).toEqual({
    status: 'unavailable',
    checks: [
      { service: '/api', name: 'store', state: 'unavailable', reason: 'It cannot be used now.' },
    ],
  })
  expect((await ask(port, '/livez')).status).toBe(200)
  isDown = false
  await wait(1_050)
  expect((await ask(port, '/readyz')).status).toBe(200)
  isDown = true
  await wait(1_050)
  expect((await ask(port, '/readyz')).status).toBe(503)
  expect(errors.map((error) => (error as Error).name)).toEqual([
    'StoreUnavailable',
    'StoreUnavailable',
  ])
})

test('of dependencies of a group one is enough, and the others are named', async () => {
  const states = new Map([
    ['north', true],
    ['south', true],
    ['mail', true],
  ])
  const dependency = (name: string, group?: string) => ({
    name,
    ...(group !== undefined && { group }),
    check: async () => {
      if (!states.get(name)) throw new StoreUnavailable('away')
    },
  })
  const port = await serving(
    undefined,
    { health: { timeoutMs: 500 } },
    {
      dependencies: [
        dependency('north', 'stores'),
        dependency('south', 'stores'),
        dependency('mail'),
      ],
    },
  )
  const statusWithout = async (...away: string[]) => {
    for (const name of states.keys()) states.set(name, !away.includes(name))
    await wait(1_050)
    const { status, body } = await ask(port, '/readyz')
    const checks = body.checks as { name: string; state: string }[]
    return [status, ...checks.flatMap(({ name, state }) => (state === 'ready' ? [] : name))]
  }
  expect(await statusWithout()).toEqual([200])
  expect(await statusWithout('south')).toEqual([200, 'south'])
  expect(await statusWithout('north', 'south')).toEqual([503, 'north', 'south'])
  expect(await statusWithout('mail')).toEqual([503, 'mail'])
  await expect(
    serve({
      basePath: '',
      respond: async () => respond(200),
      dependencies: [{ name: 'a', group: 1 }] as never,
    }),
  ).rejects.toThrow("The 'dependencies' of the service")
})

test('an unexpected error is 503 too, and reported once', async () => {
  const port = await serving(() => Promise.reject(new TypeError('secret')))
  expect((await ask(port, '/readyz')).body.checks[0].reason).toBe('It failed unexpectedly.')
  await wait(1_050)
  expect((await ask(port, '/readyz')).status).toBe(503)
  expect(errors).toEqual([new TypeError('secret')])
})

test('a service whose own onError throws has its check and its failures all the same', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const port = await serving(
    async () => {
      throw new StoreUnavailable('away')
    },
    {},
    {
      respond: async () => {
        throw new Error('no response')
      },
      onError: () => {
        throw new Error('the reporter fails, too')
      },
    },
  )
  expect((await ask(port, '/readyz')).status).toBe(503)
  expect((await ask(port, '/readyz')).body.checks).toMatchObject([{ state: 'unavailable' }])
  expect((await ask(port, '/api/x')).status).toBe(500)
  expect((await ask(port, '/livez')).status).toBe(200)
  expect(print).toHaveBeenCalledTimes(2)
  print.mockRestore()
})

test('a busy store is ready', async () => {
  const port = await serving(() => Promise.reject(new StoreOverloaded()))
  expect((await ask(port, '/readyz')).status).toBe(200)
})

test('a store that does not respond in time is unavailable, and its check is aborted', async () => {
  let isAborted = false
  const hang = (signal: AbortSignal) =>
    new Promise<void>(() =>
      signal.addEventListener('abort', () => {
        isAborted = true
      }),
    )
  const port = await serving(hang, { health: { timeoutMs: 100 } })
  const { status, body } = await ask(port, '/readyz')
  expect([status, body.checks[0].reason, isAborted]).toEqual([
    503,
    "'store' did not respond within 100 ms.",
    true,
  ])
})

test('probes at the same time, and in the next second, check the store once', async () => {
  const port = await serving(() => wait(50))
  await Promise.all(Array.from({ length: 10 }, () => ask(port, '/readyz')))
  await ask(port, '/readyz')
  expect(checkCount).toBe(1)
  await wait(1_050)
  await ask(port, '/readyz')
  expect(checkCount).toBe(2)
})

test('a service at the root does not hide the checks, and probes may name any host', async () => {
  const logged: (string | undefined)[] = []
  const port = await serving(
    undefined,
    { log: { to: ({ path }) => logged.push(path), withPath: true } },
    { basePath: '' },
  )
  const { body } = await rawExchange(port, head('/livez', 'GET', '10.1.2.3:8080'))
  expect(JSON.parse(body)).toEqual({ status: 'live' })
  expect((await rawExchange(port, head('/books', 'GET', '10.1.2.3:8080'))).status).toBe(421)
  expect((await rawExchange(port, head('/livez/x'))).body).toBe('/livez/x')
  await wait(20)
  expect(logged).toEqual(['/books', '/livez/x'])
})

test('other paths, or none', async () => {
  let port = await serving(undefined, { health: { livePath: '/health/live', readyPath: '/up' } })
  expect((await ask(port, '/health/live')).body).toEqual({ status: 'live' })
  expect((await ask(port, '/up')).status).toBe(200)
  expect((await ask(port, '/readyz')).status).toBe(404)
  await server.close()
  port = await serving(undefined, { health: false })
  expect((await ask(port, '/livez')).status).toBe(404)
})

test('paths that services have, and malformed ones, are refused', async () => {
  await serving()
  const at = (basePath: string, health?: ServeOptions['health'], paths: string[] = []) =>
    serve(
      { basePath, paths, respond: async () => respond(200) },
      health === undefined ? {} : { health },
    )
  await expect(at('/readyz/')).rejects.toThrow(
    "The service at '/readyz' has '/readyz', the path of a health check of serve(). Rename the check",
  )
  await expect(at('/api', undefined, ['/livez'])).rejects.toThrow(
    "The service at '/api' has '/livez'",
  )
  await expect(at('/api', { livePath: 'live' })).rejects.toThrow("got 'live'")
  await expect(at('/api', { readyPath: '/livez' })).rejects.toThrow("both are '/livez'")
  await expect(at('/api', { live: '/up' } as never)).rejects.toThrow("Unknown option 'live'")
})

test('a server that closes is not ready before its port ends, and serves meanwhile', async () => {
  const port = await serving(undefined, { shutdownDelayMs: 300 })
  const client = await rawClient(port)
  const closing = server.close()
  expect(await ask(port, '/readyz')).toMatchObject({ status: 503, body: { status: 'draining' } })
  client.send('GET /api/x HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await client.readResponse()).toMatchObject({
    status: 200,
    body: '/api/x',
    headers: { connection: 'keep-alive' },
  })
  await closing
  await expect(rawClient(port)).rejects.toThrow('ECONNREFUSED')
})

test('a server may listen while its services open', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const port = await freePort()
  const starting = serving(
    undefined,
    { port, health: { duringStart: true } },
    { open: () => opened },
  )
  await expect.poll(() => ask(port, '/livez').catch(() => undefined)).toMatchObject({ status: 200 })
  expect(await ask(port, '/readyz')).toMatchObject({ status: 503, body: { status: 'starting' } })
  expect(await ask(port, '/api/x')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { errors: [{ code: 'starting', title: 'Service starting' }] },
  })
  open()
  await starting
  expect((await ask(port, '/readyz')).status).toBe(200)
  expect((await rawExchange(port, head('/api/x'))).body).toBe('/api/x')
})

test('a server that listens early ends its port where a service does not open', async () => {
  await serving()
  const port = await freePort()
  const service: Service = {
    basePath: '/api',
    respond: async () => respond(200),
    open: () => Promise.reject(new Error('no disk')),
  }
  await expect(serve(service, { port, health: { duringStart: true } })).rejects.toThrow('no disk')
  await expect(rawClient(port)).rejects.toThrow('ECONNREFUSED')
})
