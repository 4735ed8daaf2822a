import { afterEach, expect, test } from 'vitest'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import { type ServeOptions, type Server, serve } from './node.ts'
import { eventually, type RawClient, rawClient, wait } from './raw-client.testing.ts'

let server: Server
let closedServices: string[] = []

async function serving(
  respond: (request: ApiRequest) => Promise<ApiResponse>,
  options: ServeOptions = {},
) {
  closedServices = []
  server = await serve(
    [
      { basePath: '/a', respond, close: async () => void closedServices.push('a') },
      { basePath: '/b', respond },
    ],
    options,
  )
  return server.port
}

afterEach(() => server.node.closeAllConnections())

const get = (path = '/a') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

test('idle connections end, new ones are refused, and the services are closed last', async () => {
  const port = await serving(async () => respond(200, {}, 'x'))
  const [used, fresh] = [await rawClient(port), await rawClient(port)]
  used.send(get())
  await used.readResponse()
  const closing = server.close()
  expect(server.close()).toBe(closing)
  await Promise.all([closing, used.closed, fresh.closed])
  expect(closedServices).toEqual(['a'])
  await expect(rawClient(port)).rejects.toThrow('ECONNREFUSED')
})

test('requests in flight finish, and are told that the connection ends', async () => {
  const port = await serving(async ({ path }) => {
    await wait(200)
    if (path === '/a') return respond(200, {}, 'late')
    const chunks = (async function* () {
      for (let index = 0; index < 5; index += 1) {
        yield `${index}`
        await wait(50)
      }
    })()
    return { status: 200, headers: {}, body: { kind: 'stream', chunks } }
  })
  const clients = [await rawClient(port), await rawClient(port)] as const
  clients[0].send(get('/a'))
  clients[1].send(get('/b'))
  await wait(50)
  const closing = server.close()
  expect(await clients[0].readResponse()).toMatchObject({
    body: 'late',
    headers: { connection: 'close' },
  })
  expect(await clients[1].readResponse()).toMatchObject({
    body: '01234',
    isComplete: true,
    headers: { connection: 'close' },
  })
  await closing
})

test('a response that is written but not yet sent is not cut', async () => {
  const text = 'x'.repeat(20_000_000)
  const client = await rawClient(await serving(async () => respond(200, {}, text)))
  client.socket.pause()
  client.send(get())
  await wait(100)
  const closing = server.close()
  await wait(200)
  client.socket.resume()
  expect((await client.readResponse()).body).toHaveLength(text.length)
  await closing
})

test('under load, no request is cut', async () => {
  const port = await serving(async () => {
    await wait(Math.random() * 5)
    return respond(200, {}, 'x')
  })
  let answered = 0
  let cut = 0
  async function load(client: RawClient): Promise<void> {
    for (;;) {
      client.send(get())
      const response = await client.readResponse().catch(() => undefined)
      if (response === undefined) cut += 1
      else answered += 1
      if (response?.headers.connection !== 'keep-alive') return
    }
  }
  const loads = Promise.all(Array.from({ length: 50 }, async () => load(await rawClient(port))))
  await eventually(() => answered > 500)
  await server.close()
  await loads
  expect({ cut, some: answered > 500 }).toEqual({ cut: 0, some: true })
})

test('the deadline is hard', async () => {
  const port = await serving(() => new Promise(() => {}), { shutdownTimeoutMs: 150 })
  const client = await rawClient(port)
  client.send(get())
  await wait(20)
  await server.close()
  await client.closed
  expect(closedServices).toEqual(['a'])
})

test('a service that cannot close is heard of', async () => {
  server = await serve({
    basePath: '/a',
    respond: async () => respond(204),
    close: () => Promise.reject(new Error('stuck')),
  })
  await expect(server.close()).rejects.toThrow('stuck')
})
