import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.ts'
import { type SendingOptions, sendWebhook } from './send-webhook.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A receiver on this machine, which only tests may call. */
async function receiver(respond: RequestListener): Promise<number> {
  const server = createServer(respond)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const send = (url: string, options: Partial<SendingOptions> = {}) =>
  sendWebhook(
    { url: new URL(url), headers: { 'webhook-id': 'msg-1' }, body: '{"a":"é"}' },
    { allowedHosts: new Set(), timeoutMs: 2_000, ...options },
  )
const toLocalhost = (port: number, options: Partial<SendingOptions> = {}) =>
  send(`http://localhost:${port}/hook?a=1`, { allowedHosts: new Set(['localhost']), ...options })

const refusedAddress = 'The host has an address that is not public.'

describe('sendWebhook', () => {
  it('posts JSON with the headers, to the path and query of the URL', async () => {
    const received: unknown[] = []
    const port = await receiver(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { host, 'webhook-id': id, 'content-type': type } = request.headers
      received.push([request.method, request.url, host, id, type, Buffer.concat(chunks).toString()])
      response.writeHead(204).end()
    })
    expect(await toLocalhost(port)).toEqual({ kind: 'delivered', status: 204 })
    expect(received).toEqual([
      ['POST', '/hook?a=1', `localhost:${port}`, 'msg-1', 'application/json', '{"a":"é"}'],
    ])
  })

  it('reports 410, and when a receiver that fails wants the next attempt', async () => {
    const port = await receiver((_, response) => response.writeHead(410).end())
    expect(await toLocalhost(port)).toEqual({ kind: 'gone', status: 410 })
    const busy = await receiver((_, response) =>
      response.writeHead(503, { 'retry-after': '120' }).end(),
    )
    expect(await toLocalhost(busy)).toEqual({
      kind: 'failed',
      reason: 'The receiver responded with 503.',
      status: 503,
      retryAfterMs: 120_000,
    })
  })

  it('follows no redirect', async () => {
    let called = false
    const inner = await receiver((_, response) => {
      called = true
      response.end()
    })
    const port = await receiver((_, response) =>
      response.writeHead(307, { location: `http://localhost:${inner}/` }).end(),
    )
    expect(await toLocalhost(port)).toMatchObject({
      kind: 'failed',
      reason: 'The receiver redirects (307), and redirects are not followed.',
    })
    expect(called).toBe(false)
  })

  it('ends where a receiver sends without end, or nothing', async () => {
    const endless = await receiver((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
      response.on('close', () => clearInterval(timer))
    })
    expect(await toLocalhost(endless)).toEqual({ kind: 'delivered', status: 200 })
    const silent = await receiver(() => undefined)
    expect(await toLocalhost(silent, { timeoutMs: 50 })).toMatchObject({
      kind: 'failed',
      reason: 'The receiver did not respond in time.',
    })
  })

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00:ec2::254'])(
    'connects to no host that resolves to %s, also among public addresses',
    async (address) => {
      const resolve = async () => ['93.184.216.34', address]
      expect(await send('https://hooks.example/', { resolve })).toMatchObject({
        kind: 'failed',
        reason: refusedAddress,
      })
    },
  )

  it('resolves once, and connects to the address that was checked', async () => {
    const port = await receiver((_, response) => response.end())
    let calls = 0
    const resolve = async () => (calls++ === 0 ? ['127.0.0.1'] : ['192.0.2.1'])
    const allowedHosts = new Set(['hooks.invalid'])
    const outcome = await send(`http://hooks.invalid:${port}/`, { resolve, allowedHosts })
    expect(outcome).toEqual({ kind: 'delivered', status: 200 })
    expect(calls).toBe(1)
  })

  it.each([
    ['http://hooks.example/', 'The URL must begin with https://.'],
    ['ftp://hooks.example/', 'The URL must begin with https://.'],
    ['https://me:secret@hooks.example/', 'The URL must have no user or password.'],
    ['https://127.0.0.1/', 'The URL must lead to a public address.'],
    ['https://0x7f000001/', 'The URL must lead to a public address.'],
    ['https://2130706433/', 'The URL must lead to a public address.'],
    ['https://127.1/', 'The URL must lead to a public address.'],
    ['https://[::1]/', 'The URL must lead to a public address.'],
    ['https://[::ffff:7f00:1]/', 'The URL must lead to a public address.'],
    ['https://169.254.169.254/latest/meta-data', 'The URL must lead to a public address.'],
  ])('sends nothing to %s', async (url, reason) => {
    expect(await send(url)).toMatchObject({ kind: 'failed', reason })
  })

  it('ends where a receiver switches to another protocol, or a name resolves slowly', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await toLocalhost(port)).toMatchObject({
      kind: 'failed',
      reason: 'The receiver closed the connection.',
    })
    server.close()
    const resolve = () => new Promise<string[]>(() => undefined)
    expect(await send('https://hooks.example/', { resolve, timeoutMs: 50 })).toMatchObject({
      reason: 'The receiver did not respond in time.',
    })
  })

  it('reports hosts that do not resolve', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
    }
    expect(await send('https://nobody.example/', { resolve })).toMatchObject({
      reason: 'The receiver could not be reached: ENOTFOUND.',
    })
    expect(await send('https://nobody.example/', { resolve: async () => [] })).toMatchObject({
      reason: 'The host has no address.',
    })
  })
})

describe('retryAfterMs', () => {
  it.each([
    [undefined, undefined],
    ['30', 30_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 7_000],
    ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
  ])('reads %s as %s', (header, expected) => {
    const now = Date.parse('Sun, 06 Nov 1994 08:49:30 GMT')
    expect(retryAfterMs(header, now)).toBe(expected)
  })
})
