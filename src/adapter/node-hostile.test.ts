import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiError } from '../error/api-error.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import { type Server, serve } from './node.ts'
import { problemResponse } from './problem-response.ts'
import { rawClient, rawExchange, wait } from './raw-client.testing.ts'

let server: Server
const faults: unknown[] = []

beforeAll(async () => {
  server = await serve(
    {
      basePath: '',
      async respond({ body }): Promise<ApiResponse> {
        try {
          return respond(200, {}, `good ${(await body?.bytes(100))?.byteLength}`)
        } catch (error) {
          if (error instanceof ApiError) return problemResponse([error.problems[0]!])
          throw error
        }
      },
    },
    { onError: (error) => faults.push(error), limits: { requestTimeoutMs: 500 } },
  )
})
afterAll(async () => {
  server.node.closeAllConnections()
  await server.close()
})

const valid = fc.constantFrom(
  'GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n',
  'POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello',
  'POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'PUT http://x/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello',
  'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
)

const snippet = fc.constantFrom(
  ...[
    '\r\n',
    '\n',
    '\0',
    ' ',
    ':',
    '\r\n\r\n',
    'HTTP/1.1',
    'Host: localhost\r\n',
    'Content-Length: 9\r\n',
    '%00',
    '\x80\xff',
  ],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Connection: close\r\n',
    'Upgrade: h2c\r\nConnection: Upgrade\r\n',
    'CONNECT x:1',
  ],
)

/** Well-formed requests with pieces cut out, put in, or turned into other bytes. */
const mutated = fc
  .tuple(
    fc.array(valid, { minLength: 1, maxLength: 4 }),
    fc.array(
      fc.tuple(
        fc.nat(400),
        fc.nat(12),
        fc.oneof(snippet, fc.string({ unit: 'binary-ascii', maxLength: 4 })),
      ),
      {
        maxLength: 4,
      },
    ),
  )
  .map(([requests, edits]) => {
    let text = requests.join('')
    for (const [at, remove, insert] of edits)
      text = text.slice(0, at) + insert + text.slice(at + remove)
    return Buffer.from(text, 'latin1')
  })

const hostile = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
)

/**
 * Sends the bytes, in two parts so that the parser is caught in the middle, and leaves: politely or
 * not.
 */
async function abuse(bytes: Uint8Array, cut: number, polite: boolean): Promise<string> {
  const client = await rawClient(server.port)
  client.send(bytes.subarray(0, cut))
  await wait(1)
  client.send(bytes.subarray(cut))
  await wait(2)
  if (polite) client.socket.end()
  else client.socket.destroy()
  if (polite) await Promise.race([client.closed, wait(50)])
  client.socket.destroy()
  return client.unread()
}

test('no bytes bring the server down, and a good request gets a response after them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(hostile, fc.nat(200), fc.boolean()), { minLength: 8, maxLength: 8 }),
      async (attacks) => {
        const replies = await Promise.all(
          attacks.map(([bytes, cut, polite]) => abuse(bytes, cut, polite)),
        )
        for (const reply of replies) expect(reply).toMatch(/^$|^HTTP\/1\.1 [1-5]\d\d /)
        const good = await rawExchange(
          server.port,
          'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nok',
        )
        expect(good).toMatchObject({ status: 200, body: 'good 2' })
      },
    ),
    { numRuns: 150 },
  )
  expect(faults).toEqual([])
}, 60_000)

test('a flood of requests sent ahead is cut', async () => {
  const client = await rawClient(server.port)
  const waiting = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'
  client.send(waiting.repeat(20_000))
  await client.closed
  expect((await rawExchange(server.port, waiting)).status).toBe(200)
}, 20_000)
