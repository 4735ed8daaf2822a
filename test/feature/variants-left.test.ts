import { type BlobStore, createRouter, image, model } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { childrenOf, computedBy } from '../support/child-processes.ts'

const Book = model('book', {
  cover: image({ variants: { formats: ['avif', 'png'], sizes: [16, 512, 2_048] } }),
})

/**
 * Noise is the slowest input for an encoder: as AVIF this takes many seconds, and cannot be
 * interrupted from within the process.
 */
let slow: Buffer<ArrayBuffer>
beforeAll(async () => {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
  const create = { width: 2_048, height: 2_048, channels: 3 as const, background: '#284', noise }
  slow = Buffer.from(await sharp({ create }).jpeg().toBuffer())
})

async function service(blobs: BlobStore = memoryBlobs()) {
  const reportedErrors: unknown[] = []
  const router = createRouter({
    policy: rest(),
    store: memory(),
    blobs,
    onError: (error) => reportedErrors.push(error),
  })
  router.prepare(Book)
  await router.load(Book, [{ id: 'b-1' }])
  const sendRequest = (path: string, signal: AbortSignal = never) =>
    router.handle(new Request(`http://h/books/b-1/${path}`, { signal }))
  const body = new Uint8Array(slow)
  const uploaded = await router.handle(
    new Request('http://h/books/b-1/cover', {
      method: 'POST',
      headers: { 'content-type': 'image/jpeg' },
      body,
    }),
  )
  expect(uploaded.status).toBe(200)
  return { router, sendRequest, errors: reportedErrors }
}

const never = new AbortController().signal
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const children = () => childrenOf(process.pid).map(({ pid }) => pid)

async function until(holds: () => boolean, mostMs = 1_000): Promise<void> {
  for (const start = performance.now(); !holds() && performance.now() - start < mostMs; )
    await wait(10)
}

/** Requests a slow variant, and resolves once a process is working on it. */
async function startVariant(
  sendRequest: (path: string, signal: AbortSignal) => Promise<Response>,
  size = 2_048,
) {
  const client = new AbortController()
  const answered = sendRequest(`cover/avif/${size}`, client.signal)
  answered.catch(() => {})
  await until(() => children().some((pid) => computedBy(pid) > 0.5), 20_000)
  const working = children()
  expect(working).toHaveLength(1)
  return { client, answered, working: working[0]! }
}

/** The response, read to its end. */
async function read(answered: Promise<Response>) {
  const response = await answered
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

test('Making a variant stops within a second when its client leaves, and the next one starts at once', async () => {
  const { router, sendRequest, errors } = await service()
  const { client, working } = await startVariant(sendRequest)
  client.abort()
  await until(() => !children().includes(working))
  expect(children()).not.toContain(working)
  expect((await read(sendRequest('cover/png/16'))).status).toBe(200)
  await router.close()
  expect(errors).toEqual([])
})

test('Making a variant that others wait for too continues until the last of them leaves', async () => {
  const { router, sendRequest } = await service()
  const { client, answered, working } = await startVariant(sendRequest)
  const others = [new AbortController(), new AbortController()]
  const responses = others.map(({ signal }) => sendRequest('cover/avif/2048', signal))
  for (const response of responses) response.catch(() => {})
  await wait(50)
  expect(children()).toEqual([working])
  client.abort()
  await answered.catch(() => {})
  others[0]!.abort()
  await wait(300)
  expect(children()).toEqual([working])
  others[1]!.abort()
  await until(() => children().length === 0)
  expect(children()).toEqual([])
  await router.close()
})

test('A variant that was stopped is made and stored at the next request', async () => {
  const { router, sendRequest } = await service()
  const { client } = await startVariant(sendRequest, 512)
  client.abort()
  const [one, other] = await Promise.all([
    read(sendRequest('cover/avif/512')),
    read(sendRequest('cover/avif/512')),
  ])
  expect([one.status, other.status]).toEqual([200, 200])
  expect(one.bytes.equals(other.bytes)).toBe(true)
  await router.close()
}, 60_000)

test('When a process dies, its variant fails with a reported 500, and the next variant gets a new process', async () => {
  const { router, sendRequest, errors } = await service()
  const { answered, working } = await startVariant(sendRequest)
  process.kill(working, 'SIGKILL')
  const { status, bytes } = await read(answered)
  expect([status, JSON.parse(`${bytes}`).errors[0].code]).toEqual([500, 'internal-error'])
  expect(errors).toEqual([expect.objectContaining({ message: 'The image process has ended.' })])
  expect((await read(sendRequest('cover/png/16'))).status).toBe(200)
  await router.close()
})

test('Closing a router stops its variants and leaves no process behind', async () => {
  const { router, sendRequest, errors } = await service()
  const { answered } = await startVariant(sendRequest)
  await router.close()
  expect(childrenOf(process.pid)).toEqual([])
  const { status, bytes } = await read(answered)
  expect([status, JSON.parse(`${bytes}`).errors[0].code]).toEqual([503, 'shutting-down'])
  expect(errors).toEqual([])
})
