import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiRequest } from '../http/api-request.ts'
import { respond } from '../http/api-response.ts'
import { type Server, type Service, serve } from './node.ts'
import { rawClient, rawExchange } from './raw-client.testing.ts'

let server: Server
let seen: ApiRequest | undefined

beforeAll(async () => {
  const service: Service = {
    basePath: '',
    async respond(request) {
      seen = request
      return respond(
        200,
        { 'content-type': 'text/plain' },
        `${request.method} ${request.path} ${request.headers.host}`,
      )
    },
  }
  server = await serve(service, { hosts: 'any' })
})
afterAll(() => server.close())

const ask = (bytes: string) => rawExchange(server.port, bytes)

async function refused(bytes: string): Promise<number> {
  const response = await ask(bytes)
  expect(response.headers).toMatchObject({ 'content-type': 'application/problem+json' })
  expect(JSON.parse(response.body)).toMatchObject({
    status: response.status,
    errors: [{ status: response.status }],
  })
  return response.status
}

test('framing that can be read in two ways is 400 (N9)', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
  expect(
    await refused(`${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  ).toBe(400)
  expect(await refused(`${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`)).toBe(400)
  expect(await refused(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)).toBe(400)
  expect(
    await refused(
      'GET / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n'.replace('A: b', 'A : b'),
    ),
  ).toBe(400)
  expect(await refused('GET / HTTP/1.1\nHost: h\n\n')).toBe(400)
  expect(await refused('GET /\r\n\r\n')).toBe(400)
})

test('a missing Host is 400, except in HTTP/1.0 (N9)', async () => {
  expect(await refused('GET / HTTP/1.1\r\n\r\n')).toBe(400)
  expect((await ask('GET / HTTP/1.0\r\n\r\n')).status).toBe(200)
})

test('two Host lines are 400, alike or not, and so is a Host that is none (N10)', async () => {
  for (const [one, other] of [
    ['a', 'b'],
    ['a', 'a'],
    ['', ''],
  ]) {
    expect(await refused(`GET / HTTP/1.1\r\nHost: ${one}\r\nHost: ${other}\r\n\r\n`)).toBe(400)
  }
  for (const host of ['a b', 'a/b', 'a@b', 'a?b']) {
    expect(await refused(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(400)
  }
  for (const host of ['a', '[::1]:80', 'xn--e1afmkfd.example:8080', '']) {
    expect((await ask(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status).toBe(200)
  }
})

test('an absolute target is routed by its path, and its authority replaces the Host (N11)', async () => {
  expect((await ask('GET http://evil/a?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n')).body).toBe(
    'GET /a evil',
  )
  expect(seen?.query).toBe('x=1')
  expect(
    (await ask('GET HTTPS://user:pass@evil:8/a HTTP/1.1\r\nHost: localhost\r\n\r\n')).body,
  ).toBe('GET /a evil:8')
  expect((await ask('GET http://evil HTTP/1.1\r\nHost: localhost\r\n\r\n')).body).toBe('GET / evil')
  expect((await ask('GET http://evil?x HTTP/1.1\r\nHost: localhost\r\n\r\n')).body).toBe(
    'GET / evil',
  )
  expect(seen?.query).toBe('x')
})

test('targets of other forms are 400', async () => {
  expect(await refused('GET ftp://evil/a HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(400)
  expect(await refused('GET * HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(400)
  expect(await refused('GET /a#b HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(400)
  expect(await refused('GET a HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(400)
})

test('OPTIONS of the whole server is 204 with Allow (M2)', async () => {
  const response = await ask('OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(response).toMatchObject({
    status: 204,
    headers: { allow: expect.stringContaining('GET') },
  })
})

test('unknown methods are 501, noise is 400 (M3)', async () => {
  for (const method of ['FOO', 'get', 'GETX', 'F!O~']) {
    const response = await ask(`${method} / HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(response).toMatchObject({ status: 501, headers: { connection: 'close' } })
  }
  expect(await refused('FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(501)
  expect(await refused('\x16\x03\x01\x02')).toBe(400)
  expect(await refused('\0\0\0\0')).toBe(400)
})

test('TRACE is for the service to refuse, CONNECT is 501 and ends the connection (M4)', async () => {
  expect((await ask('TRACE /a HTTP/1.1\r\nHost: localhost\r\n\r\n')).body).toBe(
    'TRACE /a localhost',
  )
  const client = await rawClient(server.port)
  client.send('CONNECT evil:443 HTTP/1.1\r\nHost: evil\r\n\r\n')
  expect(await client.readResponse()).toMatchObject({
    status: 501,
    headers: { connection: 'close' },
  })
  await client.closed
})

test('method overrides are only headers (M15)', async () => {
  const response = await ask(
    'POST /a HTTP/1.1\r\nHost: localhost\r\nX-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n\r\n',
  )
  expect(response.body).toBe('POST /a localhost')
})

test('an expectation that is unknown is 417 (N8)', async () => {
  expect(await refused('GET / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n')).toBe(417)
  expect(
    await refused('GET / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue, tea\r\n\r\n'),
  ).toBe(417)
})

test('a head that is too large is 431 and ends the connection (N12)', async () => {
  for (const bytes of [
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\n${'a:\r\n'.repeat(20_000)}\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'a'.repeat(2_000_000)}\r\n\r\n`,
  ]) {
    expect(await refused(bytes)).toBe(431)
  }
})

test('many small headers are all seen', async () => {
  await ask(`GET / HTTP/1.1\r\nHost: localhost\r\n${'a:\r\n'.repeat(3_000)}Last: 1\r\n\r\n`)
  expect(seen?.headers.last).toBe('1')
})

test('headers named like members of every object change nothing (N13)', async () => {
  const response = await ask(
    'GET / HTTP/1.1\r\nHost: localhost\r\n__proto__: x\r\nconstructor: y\r\ntoString: z\r\nhasOwnProperty: w\r\n\r\n',
  )
  expect(response.status).toBe(200)
  expect(({} as Record<string, unknown>).x).toBeUndefined()
})

test('what cannot be read does not cut the responses before it', async () => {
  const client = await rawClient(server.port)
  client.send(
    'GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /2 HTTP/1.1\r\nHost: localhost\r\n\r\nFOO / HTTP/1.1\r\n\r\n',
  )
  expect((await client.readResponse()).body).toBe('GET /1 localhost')
  expect((await client.readResponse()).body).toBe('GET /2 localhost')
  expect(await client.readResponse()).toMatchObject({
    status: 501,
    headers: { connection: 'close' },
  })
  await client.closed
  expect(client.unread()).toBe('')
})

test('after a refusal that left the framing intact, the connection goes on', async () => {
  const client = await rawClient(server.port)
  client.send('GET / HTTP/1.1\r\n\r\nGET /a HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect((await client.readResponse()).status).toBe(400)
  expect((await client.readResponse()).body).toBe('GET /a localhost')
  client.socket.destroy()
})
