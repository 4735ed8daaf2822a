import { type BlobStore, createRouter, file, image, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { limitConcurrency } from '../../src/concurrency/limit-concurrency.ts'
import { form } from '../support/resources.ts'

const variants = { formats: ['png', 'jpeg', 'webp', 'avif'], sizes: [16] } as const
const of = (maxPixels?: number) =>
  model('book', { cover: image({ variants, ...(maxPixels && { maxPixels }) }), plain: file() })

const picture = (width: number, height: number, format: 'png' | 'avif' | 'gif' = 'png') =>
  sharp({ create: { width, height, channels: 3, background: '#284' } })
    .toFormat(format)
    .toBuffer()

/** A few hundred bytes whose header claims a size of choice. */
async function bomb(width: number, height: number): Promise<Buffer> {
  const bytes = await picture(64, 64)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

async function service(
  options: {
    Book?: ReturnType<typeof of>
    store?: ReturnType<typeof memory>
    blobs?: BlobStore
    policy?: typeof rest
  } = {},
) {
  const { Book = of(), store = memory(), blobs = memoryBlobs(), policy = rest } = options
  const reportedErrors: unknown[] = []
  const router = createRouter({
    policy: policy(),
    store,
    blobs,
    onError: (error) => reportedErrors.push(error),
  })
  router.prepare(Book)
  await router.load(Book, [{ id: 'b-1' }]).catch(() => {})
  const sendRequest = async (
    method: string,
    path: string,
    body?: Uint8Array,
    type = 'image/png',
  ) => {
    const response = await router.handle(
      new Request(`http://h/books/b-1/${path}`, {
        method,
        ...(body && { body: new Uint8Array(body), headers: { 'content-type': type } }),
      }),
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    return {
      status: response.status,
      bytes,
      problem: response.ok ? undefined : JSON.parse(`${bytes}`).errors[0],
    }
  }
  const keys = async () => {
    const paths: string[] = []
    for await (const { key } of blobs.list()) paths.push(key)
    return paths
  }
  return { Book, router, store, blobs, sendRequest, keys, errors: reportedErrors }
}

describe.each([
  { name: 'REST', policy: rest },
  { name: 'JSON:API', policy: jsonApi as unknown as typeof rest },
])('Images of many pixels, under $name', ({ policy }) => {
  it('are refused at upload with the numbers in the error, and no blob remains', async () => {
    const { sendRequest: send, keys, errors } = await service({ policy })
    const large = await bomb(60_000, 50_000)
    const before = process.memoryUsage().rss
    const raw = await send('POST', 'cover', large)
    const inForm = await send(
      'POST',
      'cover',
      form('cover', large, 'a.png', 'image/png'),
      'multipart/form-data; boundary=x',
    )
    for (const { status, problem } of [raw, inForm]) {
      expect([status, problem.code]).toEqual([422, 'image-too-large'])
      expect(problem.detail).toBe(
        'The image has 60000 x 50000 pixels, 3000000000 in all; expected at most 25000000.',
      )
      expect(problem.meta).toEqual({ limit: 25_000_000, width: 60_000, height: 50_000, frames: 1 })
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576)
    expect(await keys()).toEqual([])
    expect((await send('GET', 'cover')).status).toBe(404)
    expect(errors).toEqual([])
  })

  it('are accepted up to the limit of their field, counting all frames, and always in file fields', async () => {
    const { sendRequest: send } = await service({ policy, Book: of(20_000) })
    expect((await send('POST', 'cover', await picture(200, 100))).status).toBe(200)
    expect((await send('POST', 'cover', await picture(200, 101))).problem.code).toBe(
      'image-too-large',
    )
    expect(
      (await send('POST', 'cover', await picture(201, 100, 'avif'), 'image/avif')).problem.code,
    ).toBe('image-too-large')
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 100, height: 80, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const animation = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    const refused = await send('POST', 'cover', animation, 'image/gif')
    expect([refused.status, refused.problem.meta]).toEqual([
      422,
      { limit: 20_000, width: 100, height: 80, frames: 3 },
    ])
    expect((await send('POST', 'plain', await bomb(60_000, 50_000))).status).toBe(200)
  })

  it('that were stored before have no variants, and are not decoded', async () => {
    const { store, blobs, sendRequest: send } = await service({ policy, Book: of(10_000_000_000) })
    expect((await send('POST', 'cover', await bomb(60_000, 50_000))).status).toBe(200)
    const { sendRequest: sendNow, errors } = await service({ policy, store, blobs })
    const before = process.memoryUsage().rss
    for (const path of ['cover/png/16', 'cover/avif/16']) {
      const { status, problem } = await sendNow('GET', path)
      expect([status, problem.code, problem.meta.width]).toEqual([422, 'image-too-large', 60_000])
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576)
    expect((await sendNow('GET', 'cover')).status).toBe(200)
    expect(errors).toEqual([])
  })
})

describe('The option maxPixels', () => {
  it('is an integer, and for images only', () => {
    for (const maxPixels of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => image({ maxPixels })).toThrow(/'maxPixels' of image\(\) must be an integer/)
    expect(() => file({ maxPixels: 10 } as object)).toThrow(/maxPixels/)
  })
})

const never = new AbortController().signal

describe('Making images', () => {
  it('are limited in number, and large ones are made one at a time', async () => {
    const limited = limitConcurrency({ maxParallel: 2, maxWaiting: 10 }, 'images')
    const running = new Set<string>()
    const seen: string[] = []
    const works = (['exclusive', 'exclusive', 'shared', 'exclusive', 'shared'] as const).map(
      (kind, index) =>
        limited(kind, never, async () => {
          running.add(`${kind} ${index}`)
          seen.push([...running].join(', '))
          await new Promise((resolve) => setTimeout(resolve, 5))
          running.delete(`${kind} ${index}`)
        }),
    )
    await Promise.all(works)
    expect(seen).toHaveLength(5)
    for (const entry of seen) {
      expect(entry.split(', ').length).toBeLessThanOrEqual(2)
      expect(entry.match(/single/g)?.length ?? 0).toBeLessThanOrEqual(1)
    }
  })

  it('are refused with 503 and Retry-After when too many wait', async () => {
    const limited = limitConcurrency({ maxParallel: 1, maxWaiting: 1 }, 'images')
    let release = () => {}
    const first = limited(
      'shared',
      never,
      () => new Promise<void>((resolve) => (release = resolve)),
    )
    const second = limited('shared', never, async () => {})
    const third = await limited('shared', never, async () => {}).catch((error: unknown) => error)
    expect(third).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    release()
    await Promise.all([first, second])
  })

  it('are dropped from the queue when all their clients have left', async () => {
    const ownBlobs = memoryBlobs()
    let reads = 0
    let gate: Promise<void> | undefined
    const blobs: BlobStore = {
      ...ownBlobs,
      async read(key, span) {
        reads++
        await gate
        return ownBlobs.read(key, span)
      },
    }
    const { router, sendRequest: send } = await service({ blobs })
    await send('POST', 'cover', await picture(20, 20))
    reads = 0
    let open = () => {}
    gate = new Promise<void>((resolve) => {
      open = resolve
    })
    // These two are being made, and nothing else.
    const pending = [send('GET', 'cover/png/16'), send('GET', 'cover/jpeg/16')]
    const clients = [new AbortController(), new AbortController()]
    const waiting = clients.map(({ signal }) =>
      router.handle(new Request('http://h/books/b-1/cover/webp/16', { signal })),
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reads).toBe(2)
    for (const client of clients) client.abort()
    await Promise.allSettled(waiting)
    open()
    expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([200, 200])
    await new Promise((resolve) => setTimeout(resolve, 20))
    // Each of the two read the original once to make the variant, and the variant once to send it.
    expect(reads).toBe(4)
    expect((await send('GET', 'cover/webp/16')).status, 'it is made for who asks anew').toBe(200)
  })
})
