import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { type ApiRequest, respond } from 'resourcery'
import { type LogEntry, nodeHandler, type ServeOptions, type Service, serve } from 'resourcery/node'
import { afterEach, expect, test } from 'vitest'
import { eventually, rawClient, rawExchange } from '../../src/adapter/raw-client.testing.ts'

const closings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

const requests: ApiRequest[] = []
const service: Service = {
  basePath: '/api',
  respond: async (request) => {
    requests.push(request)
    if (request.path === '/api/slow') await new Promise((resolve) => setTimeout(resolve, 200))
    if (request.path === '/api/address') return respond(200, {}, request.address ?? 'none')
    return respond(201, { 'content-type': 'text/plain' }, 'größe')
  },
}

const hosts: Readonly<Record<string, (options: ServeOptions) => Promise<number>>> = {
  async serve(options) {
    const server = await serve(service, options)
    closings.push(() => server.close())
    return server.port
  },
  async nodeHandler({ log, trustProxy, onError }) {
    const handler = nodeHandler(service, {
      ...(log && { log }),
      ...(trustProxy && { trustProxy }),
      ...(onError && { onError }),
    })
    const server = createServer(handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closings.push(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    })
    return (server.address() as AddressInfo).port
  },
}

test.each(Object.entries(hosts))(
  '%s logs each request once, without its query',
  async (_, open) => {
    const entries: LogEntry[] = []
    const port = await open({ log: { to: (entry) => entries.push(entry), withPath: true } })
    const client = await rawClient(port)
    for (const path of ['/api/a?token=secret', '/api/b%1b', '/other']) {
      client.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await client.readResponse()
    }
    const before = client.unread()
    expect(before).toBe('')
    client.socket.destroy()
    expect(entries.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', '/api/a', 201],
      ['GET', '/api/b%1b', 201],
      ['GET', '/other', 404],
    ])
    expect(entries[0]).toMatchObject({ address: '127.0.0.1', isAborted: false })
    expect(Math.abs(Date.parse(entries[0]!.time) - Date.now())).toBeLessThan(10_000)
    expect(JSON.stringify(entries)).not.toContain('secret')
  },
)

test.each(Object.entries(hosts))('%s logs no header and no body', async (_, open) => {
  const entries: LogEntry[] = []
  const port = await open({
    log: { to: (entry) => entries.push(entry), withPath: true },
    trustProxy: 1,
  })
  await rawExchange(
    port,
    'POST /api/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\nCookie: id=secret\r\nX-Forwarded-For: secret\r\nContent-Length: 6\r\n\r\nsecret',
  )
  expect(await eventually(() => entries.length > 0)).toBe(true)
  expect(entries[0]).toMatchObject({ method: 'POST', path: '/api/a', status: 201 })
  expect(entries[0]?.address).toBeUndefined()
  expect(JSON.stringify(entries)).not.toContain('secret')
})

test.each(Object.entries(hosts))('%s logs the bytes of each response', async (_, open) => {
  const entries: LogEntry[] = []
  const port = await open({ log: { to: (entry) => entries.push(entry), withPath: true } })
  const client = await rawClient(port)
  let received = 0
  client.socket.on('data', (chunk) => {
    received += chunk.length
  })
  for (let turn = 0; turn < 3; turn++) {
    const start = received
    client.send('GET /api/a HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await client.readResponse()
    await eventually(() => entries.length > turn)
    expect(entries[turn]!.bytes).toBe(received - start)
  }
  client.socket.destroy()
})

test.each(Object.entries(hosts))('%s logs clients that leave early', async (_, open) => {
  const entries: LogEntry[] = []
  const client = await rawClient(
    await open({ log: { to: (entry) => entries.push(entry), withPath: true } }),
  )
  client.send('GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 50))
  client.socket.destroy()
  expect(await eventually(() => entries.length > 0)).toBe(true)
  expect(entries[0]).toMatchObject({ path: '/api/slow', status: undefined, isAborted: true })
  expect(entries[0]?.address).toBe('127.0.0.1')
})

test.each(Object.entries(hosts))('a log of %s that fails is reported', async (_, open) => {
  const errors: unknown[] = []
  const port = await open({
    log: () => {
      throw new Error('disk full')
    },
    onError: (error) => errors.push(error),
  })
  expect((await rawExchange(port, 'GET /api/a HTTP/1.1\r\nHost: localhost\r\n\r\n')).status).toBe(
    201,
  )
  expect(await eventually(() => errors.length > 0)).toBe(true)
})

test.each(Object.entries(hosts))('a log of %s that rejects is reported', async (_, open) => {
  const errors: unknown[] = []
  const port = await open({
    log: () => Promise.reject(new Error('disk full')),
    onError: (error) => errors.push(error),
  })
  await rawExchange(port, 'GET /api/a HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await eventually(() => errors.length > 0)).toBe(true)
})

test.each(Object.entries(hosts))('%s tells the address of the client', async (_, open) => {
  const ask = async (port: number) =>
    (
      await rawExchange(
        port,
        'GET /api/address HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n',
      )
    ).body
  expect(await ask(await open({}))).toBe('127.0.0.1')
  expect(await ask(await open({ trustProxy: 1 }))).toBe('203.0.113.7')
  expect(await ask(await open({ trustProxy: ['loopback'] }))).toBe('203.0.113.7')
  expect(await ask(await open({ trustProxy: ['10.0.0.0/8'] }))).toBe('127.0.0.1')
})

test.each(Object.entries(hosts))('%s takes no address from other headers', async (_, open) => {
  const ask = async (options: ServeOptions) =>
    (
      await rawExchange(
        await open(options),
        'GET /api/address HTTP/1.1\r\nHost: localhost\r\nForwarded: for=1.1.1.1\r\nForwarded: for=203.0.113.7\r\nX-Forwarded-For: 8.8.8.8\r\nX-Real-IP: 9.9.9.9\r\n\r\n',
      )
    ).body
  expect(await ask({})).toBe('127.0.0.1')
  expect(await ask({ trustProxy: { proxies: 1, header: 'forwarded' } })).toBe('203.0.113.7')
  expect(await ask({ trustProxy: { proxies: ['10.0.0.0/8'], header: 'forwarded' } })).toBe(
    '127.0.0.1',
  )
})

test('log: true prints a line of JSON for each request', async () => {
  const code = `
    import { respond } from 'resourcery'
    import { serve } from 'resourcery/node'
    const service = { basePath: '', respond: async () => respond(204) }
    const server = await serve(service, { log: true })
    await fetch(server.address + '/a?b=c', { headers: { connection: 'close' } })
    await server.close()`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    code,
  ])
  const [start, ...lines] = stdout.trim().split('\n')
  expect(JSON.parse(start!).message).toMatch(/^Listens at http/)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    method: 'GET',
    route: '/*',
    status: 204,
    address: '127.0.0.1',
    isAborted: false,
  })
  expect(lines[0]).not.toContain('/a')
})
