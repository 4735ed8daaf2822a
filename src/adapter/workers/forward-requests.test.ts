import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type RawClient, rawClient } from '../raw-client.testing.ts'
import { get, streamChunkBytes, until, workerTakeover } from './worker-takeover.testing.ts'

it.each([
  ['a GET', get('/echo?a=%20b', 'X-One: 1', 'x-one: 2', 'Cookie: a=b', 'connection: keep-alive')],
  ['a HEAD', get('/echo').replace('GET', 'HEAD')],
  ['an unchanged item', get('/unchanged', 'If-None-Match: "1"')],
  ['no content', get('/none')],
  ['a defect', get('/defect')],
  ['another host', get('/echo').replace('localhost', 'evil.example')],
  ['a stream', get('/stream?3')],
  ['HTTP/1.0', 'GET /echo HTTP/1.0\r\nHost: localhost\r\n\r\n'],
  ['a POST without a body', get('/echo').replace('GET', 'POST')],
  ['a body', `${get('/upload', 'Content-Length: 3').replace('GET', 'PUT')}abc`],
  [
    'a body in chunks',
    `${get('/upload', 'Transfer-Encoding: chunked').replace('GET', 'PUT')}3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n`,
  ],
  [
    'a body that is expected',
    `${get('/upload', 'Expect: 100-continue', 'Content-Length: 3').replace('GET', 'PUT')}abc`,
  ],
  ['an unknown coding', get('/echo', 'Transfer-Encoding: gzip, chunked').replace('GET', 'PUT')],
])('passes on %s and its response unchanged', async (_, request) => {
  const { old, young, gate, client, port } = await workerTakeover()
  const headEnd = request.indexOf('\r\n\r\n')
  const head = request.slice(0, headEnd).replace(/\r\nconnection: .*/, '')
  const direct = await rawClient(young.port)
  direct.send(`${head}\r\nConnection: close${request.slice(headEnd)}`)
  await direct.closed
  await gate.pause()
  client.send(request)
  await wait(10)
  gate.forwardTo(port)
  await client.closed
  const text = (each: RawClient) => each.unread().replace(/\r\nDate: .*/gi, '')
  expect(direct.unread()).toMatch(/^HTTP\/1.1 \d{3} /)
  expect(text(client)).toBe(text(direct))
  expect(old.seen).toEqual([])
})

it('tells the new worker the address of the client', async () => {
  const { old, gate, port } = await workerTakeover()
  gate.forwardTo(port)
  // Another address of this machine than that of the worker.
  const socket = connect({ port: old.port, host: '127.0.0.1', localAddress: '127.0.0.9' })
  socket.write(get('/echo'))
  let text = ''
  for await (const chunk of socket) text += chunk
  expect(text).toContain('"address":"127.0.0.9"')
})

it.each(['Content-Length', 'Transfer-Encoding'])(
  'forwards a large upload as it arrives, with %s',
  async (framing) => {
    const { young, gate, client, port } = await workerTakeover()
    const chunk = Buffer.alloc(1_024 * 1_024, 'upload')
    const count = 8
    const isChunked = framing === 'Transfer-Encoding'
    const line = isChunked ? `${framing}: chunked` : `${framing}: ${count * chunk.length}`
    await gate.pause()
    client.send(get('/upload', line).replace('GET', 'POST'))
    const sendChunk = async () => {
      if (isChunked) client.send(`${chunk.length.toString(16)}\r\n`)
      client.send(chunk)
      if (isChunked) client.send('\r\n')
      if (client.socket.writableNeedDrain)
        await new Promise((resolve) => client.socket.once('drain', resolve))
    }
    const first = sendChunk()
    await wait(20)
    gate.forwardTo(port)
    await until(() => young.seen.length === 1)
    await first
    for (let index = 1; index < count; index++) await sendChunk()
    if (isChunked) client.send('0\r\n\r\n')
    const hash = createHash('sha256')
    for (let index = 0; index < count; index++) hash.update(chunk)
    expect((await client.readResponse()).body).toBe(`${count * chunk.length} ${hash.digest('hex')}`)
  },
)

it('passes on the refusal of an upload that is not read', async () => {
  const { gate, client, port } = await workerTakeover()
  gate.forwardTo(port)
  client.send(get('/refused', 'Content-Length: 50000000').replace('GET', 'POST'))
  client.send(Buffer.alloc(200_000))
  expect(await client.readResponse()).toMatchObject({ status: 413, body: 'too large' })
  client.send(Buffer.alloc(200_000))
  await client.closed
})

it('reads a response no faster than the client does', async () => {
  const count = 2_000
  const { old, young, gate, port } = await workerTakeover()
  gate.forwardTo(port)
  const socket = connect(old.port, '127.0.0.1').pause()
  socket.write(get(`/stream?${count}`))
  await until(() => young.produced() > 0)
  let before = -1
  while (before !== young.produced()) {
    before = young.produced()
    await wait(200)
  }
  expect(before).toBeLessThan(count / 2)
  let size = 0
  for await (const chunk of socket) size += chunk.length
  expect(young.produced()).toBe(count)
  expect(size).toBeGreaterThan(count * streamChunkBytes)
})

it('ends a response too early where the new worker does', async () => {
  const { gate, client, port } = await workerTakeover()
  gate.forwardTo(port)
  client.send(get('/broken'))
  expect(await client.readResponse()).toMatchObject({ body: 'begin', isComplete: false })
})

it('passes on that the client has left', async () => {
  const { young, gate, client, port } = await workerTakeover()
  gate.forwardTo(port)
  client.send(get('/slow'))
  await until(() => young.seen.length === 1)
  const signal = young.seen[0]!.signal!
  expect(signal.aborted).toBe(false)
  client.socket.destroy()
  await until(() => signal.aborted)
})

it('forwards pipelined requests in their order', async () => {
  const { old, gate, client, port } = await workerTakeover()
  await gate.pause()
  const body = (text: string) =>
    `${get('/upload', 'Transfer-Encoding: chunked').replace('GET', 'PUT')}${text.length}\r\n${text}\r\n0\r\n\r\n`
  client.send(get('/none') + body('one') + body('other') + get('/refused'))
  await wait(20)
  gate.forwardTo(port)
  const sum = (text: string) => `${text.length} ${createHash('sha256').update(text).digest('hex')}`
  expect((await client.readResponse({ head: true })).status).toBe(204)
  expect((await client.readResponse()).body).toBe(sum('one'))
  expect((await client.readResponse()).body).toBe(sum('other'))
  expect(await client.readResponse()).toMatchObject({
    body: 'too large',
    headers: { connection: 'close' },
  })
  await client.closed
  expect(old.seen).toEqual([])
})

it('forwards pipelined requests of HTTP/1.0, which keeps connections where asked', async () => {
  const { gate, client, port } = await workerTakeover()
  await gate.pause()
  const request = (path: string, name: string) =>
    `GET ${path} HTTP/1.0\r\nHost: localhost\r\n${name}: keep-alive\r\n\r\n`
  client.send(request('/refused', 'Connection') + request('/echo', 'Proxy-Connection'))
  await wait(20)
  gate.forwardTo(port)
  expect((await client.readResponse()).body).toBe('too large')
  expect(await client.readResponse()).toMatchObject({
    status: 200,
    headers: { connection: 'close' },
  })
  await client.closed
})
