import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, createRouter } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type ServeOptions, type Server, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import {
  eventually,
  type RawClient,
  rawClient,
  rawExchange,
  wait,
} from '../../src/adapter/raw-client.testing.ts'
import { Gallery, Painting, png, sha256 } from '../support/resources.ts'

const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of ends.splice(0).reverse()) await cleanup()
})

interface Served {
  readonly port: number
  readonly server: Server
  readonly blobs: BlobStore
  keys(): Promise<readonly string[]>
  client(): Promise<RawClient>
}

async function served(
  options: ServeOptions = {},
  given: { blobs?: BlobStore; store?: ReturnType<typeof memory> } = {},
): Promise<Served> {
  const { blobs = memoryBlobs(), store = memory() } = given
  const router = createRouter({ policy: rest(), store, blobs })
  router.prepare(Gallery)
  router.prepare(Painting)
  await router.load(Painting, [{ id: 'p-1', title: 'x', views: [] }])
  const server = await serve(router, { shutdownTimeoutMs: 100, ...options })
  ends.push(() => server.close())
  const keys = async () => {
    const files: string[] = []
    for await (const { key } of blobs.list()) files.push(key)
    return files
  }
  const client = async () => {
    const client = await rawClient(server.port)
    ends.push(() => client.socket.destroy())
    return client
  }
  return { port: server.port, server, blobs, keys, client }
}

function post(path: string, ...headers: string[]): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: image/png',
    ...headers,
    '',
    '',
  ].join('\r\n')
}

function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
}

const photo = '/paintings/p-1/photo'
const papers = '/paintings/p-1/papers'

test('bytes are uploaded and downloaded unchanged, on one connection', async () => {
  const { client } = await served()
  const one = await client()
  for (const number of [1, 2, 3]) {
    const bytes = png(number, 50_000)
    one.send(post(photo, `Content-Length: ${bytes.length}`))
    one.send(bytes)
    expect((await one.readResponse()).status).toBe(200)
    one.send(get(photo))
    const response = await one.readResponse()
    expect([
      response.status,
      response.headers['content-length'],
      sha256(Buffer.from(response.body, 'latin1')),
    ]).toEqual([200, '50000', sha256(bytes)])
    one.send(`HEAD ${photo} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect((await one.readResponse({ head: true })).headers['content-length']).toBe('50000')
    one.send(get(photo, 'Range: bytes=49990-'))
    expect(await one.readResponse()).toMatchObject({
      status: 206,
      headers: { 'content-range': 'bytes 49990-49999/50000' },
    })
  }
})

test('N8: a client that waits for 100 Continue gets it when the upload is accepted, and the final status alone otherwise', async () => {
  const { client, keys } = await served()
  const fine = await client()
  fine.send(post(photo, 'Content-Length: 200', 'Expect: 100-continue'))
  expect((await fine.readResponse()).status).toBe(100)
  fine.send(png(1))
  expect((await fine.readResponse()).status).toBe(200)
  const refused: readonly (readonly [string, readonly string[], number])[] = [
    ['/paintings/p-9/photo', ['Content-Length: 200'], 404],
    ['/paintings/p-1/views/0/scan', ['Content-Length: 200'], 404],
    [photo, ['Content-Length: 100001'], 413],
    [photo, ['Content-Length: 200', 'If-Match: "old"'], 412],
    [photo, ['Content-Length: 200', 'If-None-Match: *'], 412],
    [photo, ['Content-Length: 200', 'Content-Encoding: gzip'], 415],
    [photo, ['Content-Length: 200', 'Content-Digest: x'], 400],
    ['/paintings/p-1/stamp', ['Content-Length: 200'], 405],
    ['/paintings/p-1/notes', ['Content-Length: 200'], 415],
  ]
  for (const [path, headers, status] of refused) {
    const one = await client()
    one.send(post(path, ...headers, 'Expect: 100-continue'))
    expect([path, headers, (await one.readResponse()).status]).toEqual([path, headers, status])
  }
  expect(await keys()).toHaveLength(1)
})

describe.each([
  { upload: 'an endless upload', status: 413, malformed: '' },
  { upload: 'an endless upload with a malformed chunk', status: 400, malformed: 'no size\r\n' },
])('N6: $upload', ({ status, malformed }) => {
  test(`is ${status} at once, and reading stops`, async () => {
    const { client, keys } = await served()
    const one = await client()
    one.send(post(photo, 'Transfer-Encoding: chunked'))
    one.send(Buffer.concat([Buffer.from('c8\r\n'), png(1), Buffer.from(`\r\n${malformed}`)]))
    const chunk = `ffff\r\n${'a'.repeat(0xffff)}\r\n`
    const sending = setInterval(() => {
      if (one.socket.writable && one.socket.writableLength < 4_000_000)
        one.socket.write(chunk.repeat(16))
    }, 1)
    ends.push(() => clearInterval(sending))
    const response = await one.readResponse()
    expect([response.status, response.headers.connection]).toEqual([status, 'close'])
    await one.closed
    expect(one.socket.bytesWritten).toBeLessThan(64_000_000)
    // The parser responds to a malformed chunk while the blob is still being removed.
    await expect.poll(keys).toEqual([])
  })
})

test('an upload that stalls or is too slow is 408, and leaves no blob', async () => {
  const { client, keys } = await served({
    limits: { requestTimeoutMs: 150, uploadTimeoutMs: 600, headersTimeoutMs: 600 },
  })
  const stalled = await client()
  stalled.send(post(photo, 'Content-Length: 200'))
  stalled.send(png(1).subarray(0, 100))
  expect((await stalled.readResponse()).status).toBe(408)
  const dripping = await client()
  dripping.send(post(papers, 'Content-Length: 100000'))
  dripping.send(png(1).subarray(0, 100))
  const drip = setInterval(() => dripping.socket.writable && dripping.send('a'), 20)
  ends.push(() => clearInterval(drip))
  expect((await dripping.readResponse()).status).toBe(408)
  expect(await eventually(() => true)).toBe(true)
  await expect.poll(keys).toEqual([])
})

test('a client that does not read pauses the stream, and closes it when it leaves', async () => {
  const ownBlobs = memoryBlobs()
  let pulled = 0
  let open = 0
  const blobs: BlobStore = {
    ...ownBlobs,
    async read(key, span) {
      const chunks = await ownBlobs.read(key, span)
      return (
        chunks &&
        (async function* () {
          open++
          try {
            for await (const chunk of chunks) {
              pulled += chunk.length
              yield chunk
            }
          } finally {
            open--
          }
        })()
      )
    },
  }
  const { client, port } = await served({}, { blobs })
  const body = new Uint8Array(900_000).fill(1)
  const set = await fetch(`http://127.0.0.1:${port}${papers}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/octet-stream' },
  })
  expect(set.status).toBe(200)
  const lazy = await Promise.all(Array.from({ length: 20 }, client))
  for (const entry of lazy) {
    entry.socket.pause()
    entry.send(get(papers).repeat(20))
  }
  let before = -1
  const isHeld = () => {
    const isPaused = pulled === before
    before = pulled
    return isPaused
  }
  await expect.poll(isHeld, { interval: 300, timeout: 10_000 }).toBe(true)
  // The size of the system's buffers of 20 connections.
  expect(pulled).toBeLessThan(20 * 20 * 900_000)
  expect(open).toBeGreaterThan(0)
  for (const entry of lazy) entry.socket.destroy()
  await expect.poll(() => open).toBe(0)
})

describe('3.5, 4.3: aborted uploads', () => {
  // ABORTS=1000 for the long form.
  const aborts = Number(process.env.ABORTS ?? 80)

  test.each([
    { name: 'at random offsets', policy: 'random' },
    { name: 'at 0, 1, 50 and 99 %', policy: 'fixed' },
  ])('$name leave no file, no row and no descriptor', async ({ policy }) => {
    const folder = await mkdtemp(join(tmpdir(), 'uploads-'))
    ends.push(() => rm(folder, { recursive: true, force: true }))
    const store = sqlite(join(folder, 'items.db'), { durability: 'normal' })
    const { port, client, keys } = await served(
      {},
      { store, blobs: fileBlobs(join(folder, 'blobs')) },
    )
    const bytes = png(1, 90_000)
    const whole = await client()
    whole.send(post(photo, `Content-Length: ${bytes.length}`))
    whole.send(bytes)
    const { headers } = await whole.readResponse()
    whole.socket.destroy()
    const filesBefore = filesIn(folder)
    await wait(50)
    const descriptors = openFiles()
    const shares = [0, 1 / bytes.length, 0.5, 0.99]
    for (let count = 0; count < aborts; count += 8) {
      await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const share = policy === 'random' ? Math.random() : shares[index % shares.length]!
          const one = await rawClient(port)
          const isForm = index % 2 === 1
          const type = isForm ? 'multipart/form-data; boundary=x' : 'image/png'
          const formHead =
            '--x\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n'
          one.send(
            `POST ${photo} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
          )
          const body = isForm ? Buffer.concat([Buffer.from(formHead), bytes]) : bytes
          one.send(body.subarray(0, Math.floor(share * bytes.length)))
          await wait(Math.random() * 8)
          if (index % 3 === 0) one.socket.resetAndDestroy()
          else one.socket.destroy()
        }),
      )
    }
    await expect.poll(() => filesIn(folder), { timeout: 20_000 }).toEqual(filesBefore)
    expect(await keys()).toHaveLength(1)
    await expect.poll(openFiles).toBeLessThanOrEqual(descriptors)
    const after = await rawExchange(port, get('/paintings/p-1'))
    expect(after.headers.etag).toBe(headers.etag)
  })
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.db/.test(entry.name))
    .map((entry) => entry.name)
    .sort()
}

function openFiles(): number {
  return readdirSync('/proc/self/fd').length
}
