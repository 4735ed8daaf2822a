import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import { UnfinishedBody, unfinishedBodyBytes } from '../http/unfinished-bodies.ts'
import { fetchBody } from './fetch-body.ts'
import { type Server, type ServerLimits, serve } from './node.ts'
import { maxPipelinedRequests } from './node-connections.ts'
import { problemResponse } from './problem-response.ts'
import { eventually, rawClient, wait } from './raw-client.testing.ts'

let server: Server | undefined
let received: Socket[] = []

async function serving(
  respondTo: (request: ApiRequest) => Promise<ApiResponse>,
  limits: Partial<ServerLimits> = {},
): Promise<number> {
  server = await serve({ basePath: '', respond: respondTo }, { limits })
  server.node.on('connection', (socket) => received.push(socket))
  return server.port
}

async function readBody({ body }: ApiRequest): Promise<ApiResponse> {
  try {
    return respond(200, {}, String((await body!.bytes(1_048_576)).byteLength))
  } catch (error) {
    if (error instanceof ApiError)
      return problemResponse([error.problems[0]!], undefined, error.headers)
    throw error
  }
}

afterEach(async () => {
  received = []
  server?.node.closeAllConnections()
  await server?.close()
})

const head = (length: number) =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`

test('bodies that stop half-way hold no more bytes together than the limit, and others go on', async () => {
  const maxUnfinishedBodyBytes = 200_000
  const port = await serving(readBody, { maxUnfinishedBodyBytes })
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, unfinishedBodyBytes())
  }, 1)
  const stalled = await Promise.all(Array.from({ length: 60 }, () => rawClient(port)))
  for (const client of stalled) client.send(`${head(10_001)}${'x'.repeat(10_000)}`)
  const refused = () => stalled.filter((client) => client.unread().includes('503'))
  expect(await eventually(() => refused().length >= 40)).toBe(true)
  expect(refused().length).toBe(40)
  expect(refused()[0]!.unread()).toMatch(/retry-after: 1\r\n/i)
  expect(refused()[0]!.unread()).toContain('"overloaded"')

  const working = await rawClient(port)
  working.send(`${head(90_000)}${'y'.repeat(30_000)}`)
  await eventually(() => unfinishedBodyBytes() > 190_000)
  working.send('y'.repeat(30_000))
  await wait(20)
  working.send('y'.repeat(30_000))
  expect(await working.readResponse()).toMatchObject({ status: 200, body: '90000' })
  expect(most).toBeLessThanOrEqual(maxUnfinishedBodyBytes)

  clearInterval(watch)
  for (const client of [...stalled, working]) client.socket.destroy()
  expect(await eventually(() => unfinishedBodyBytes() === 0)).toBe(true)
})

test('a body that arrives whole, or is not read, takes nothing of the limit', async () => {
  const port = await serving(readBody, { maxUnfinishedBodyBytes: 0 })
  const client = await rawClient(port)
  client.send(`${head(5)}12345`)
  expect(await client.readResponse()).toMatchObject({ status: 200, body: '5' })
  client.send(`${head(5)}1234`)
  expect(await client.readResponse()).toMatchObject({ status: 503 })
  client.socket.destroy()
})

test('the body of a web request shares the bytes, and ends when it is refused', async () => {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => {
      isCancelled = true
    },
  })
  const request = new Request('http://localhost', {
    method: 'POST',
    body,
    duplex: 'half',
  } as RequestInit)
  const bytes = fetchBody(request)!.bytes(1_048_576)
  expect(await eventually(() => unfinishedBodyBytes() === 1_000)).toBe(true)
  const other = new UnfinishedBody(1_999)
  other.add(1_000)
  await expect(bytes).rejects.toMatchObject({ problems: [{ code: 'overloaded' }] })
  expect(await eventually(() => isCancelled)).toBe(true)
  other.end()
  expect(unfinishedBodyBytes()).toBe(0)
})

test('a connection with many pipelined requests is read no further, until responses are there', async () => {
  const requestBytes = 8_192
  const count = 900
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const port = await serving(async ({ query }) => {
    await released
    return respond(200, {}, query)
  })
  const client = await rawClient(port)
  const request = (index: number) => {
    const start = `GET /?${index} HTTP/1.1\r\nHost: localhost\r\nX-Pad: `
    return `${start}${'p'.repeat(requestBytes - start.length - 4)}\r\n\r\n`
  }
  client.send(Array.from({ length: count }, (_, index) => request(index)).join(''))
  await eventually(() => received[0]!.bytesRead >= maxPipelinedRequests * requestBytes)
  await wait(200)
  expect(received[0]!.bytesRead).toBeLessThan(maxPipelinedRequests * requestBytes + 2 * 65_536)
  release()
  for (let index = 0; index < count; index++)
    expect(await client.readResponse()).toMatchObject({ status: 200, body: String(index) })
  client.socket.destroy()
}, 30_000)
