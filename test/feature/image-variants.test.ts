import {
  type BlobStore,
  createRouter,
  file,
  image,
  list,
  model,
  printRules,
  type Store,
  struct,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import sharp from 'sharp'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { sha256 } from '../support/resources.ts'
import { stores } from '../support/stores.ts'

const formats = ['png', 'jpeg', 'webp', 'avif'] as const
const Book = model('book', {
  title: z.string(),
  cover: image({ variants: { formats, sizes: [16, 64] } }),
  editions: list(struct({ scan: image({ variants: { formats: ['png'], sizes: [16] } }) })),
  plain: file(),
})

async function picture(
  width = 200,
  height = 100,
  background = '#284',
): Promise<Buffer<ArrayBuffer>> {
  return Buffer.from(
    await sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer(),
  )
}

async function service(
  options: {
    store?: ReturnType<typeof memory>
    blobs?: BlobStore
    policy?: typeof rest | typeof jsonApi
  } = {},
) {
  const { store = memory(), blobs = memoryBlobs(), policy = rest } = options
  const reportedErrors: unknown[] = []
  const router = createRouter({
    policy: policy(),
    store,
    blobs,
    onError: (error) => reportedErrors.push(error),
  })
  router.prepare(Book)
  await router.load(Book, [{ id: 'b-1', title: 'x', editions: [{}, {}] }])
  const sendRequest = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Uint8Array<ArrayBuffer>,
  ) => {
    const response = await router.handle(
      new Request(`http://h/books/b-1/${path}`, { method, headers, ...(body && { body }) }),
    )
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    }
  }
  const put = (path: string, bytes: Uint8Array<ArrayBuffer>, type = 'image/png') =>
    sendRequest(
      'POST',
      path,
      { 'content-type': type, 'content-disposition': 'attachment; filename="front.png"' },
      bytes,
    )
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of blobs.list()) found.push(key)
    return found
  }
  return { router, store, blobs, sendRequest, put, keys, errors: reportedErrors }
}

describe.each([
  { name: 'REST', policy: rest },
  { name: 'JSON:API', policy: jsonApi },
])('Variants of images under $name', ({ policy }) => {
  it('have an address for each pair of format and size, and no others', async () => {
    const { router, sendRequest: send, put } = await service({ policy })
    const paths = router.rules
      .filter((rule) => rule.operation === 'GetResource')
      .map((rule) => rule.path)
    expect(paths).toEqual([
      '/books/:id/cover',
      ...formats.flatMap((format) => [16, 64].map((size) => `/books/:id/cover/${format}/${size}`)),
      '/books/:id/editions/:index/scan',
      '/books/:id/editions/:index/scan/png/16',
      '/books/:id/plain',
    ])
    expect(printRules(router.rules)).toContain(
      'GET    /books/:id/cover/png/64          GetResource',
    )
    await put('cover', await picture())
    for (const path of [
      'cover/png/32',
      'cover/gif/16',
      'cover/png',
      'cover/png/064',
      'cover/PNG/64',
      'plain/png/16',
      'cover/png/64/x',
    ])
      expect([(await send('GET', path)).status, path]).toEqual([404, path])
  })

  it.each(formats)(
    'are made as %s, no larger than requested, and no larger than the original',
    async (format) => {
      const { sendRequest: send, put } = await service({ policy })
      await put('cover', await picture(200, 100))
      const response = await send('GET', `cover/${format}/64`)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        `image/${format}`,
      ])
      const { width, height } = await sharp(response.bytes).metadata()
      expect([width, height]).toEqual([64, 32])
      expect(response.headers.get('etag')).toBe(`"${sha256(response.bytes)}"`)
      expect(response.headers.get('content-disposition')).toBe(
        `inline; filename="front-64.${format}"`,
      )
      await put('cover', await picture(8, 8))
      expect((await sharp((await send('GET', `cover/${format}/64`)).bytes).metadata()).width).toBe(
        8,
      )
    },
  )

  it('are served like any resource: ETag, 304, ranges, HEAD', async () => {
    const { sendRequest: send, put } = await service({ policy })
    await put('cover', await picture())
    const head = await send('HEAD', 'cover/png/64')
    const response = await send('GET', 'cover/png/64')
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(response.headers))
    expect(head.bytes).toHaveLength(0)
    const etag = response.headers.get('etag')!
    expect(etag).not.toBe((await send('GET', 'cover')).headers.get('etag'))
    expect((await send('GET', 'cover/png/64', { 'if-none-match': etag })).status).toBe(304)
    const part = await send('GET', 'cover/png/64', { range: 'bytes=1-3' })
    expect([part.status, part.bytes]).toEqual([206, response.bytes.subarray(1, 4)])
  })

  it('are read only: POST, PUT and DELETE are 405', async () => {
    const { sendRequest: send, put } = await service({ policy })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await send(method, 'cover/png/64', { 'content-type': 'image/png' })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
    expect((await put('cover', await picture())).status).toBe(200)
  })

  it('are 404 where there is no image, inside lists too', async () => {
    const { sendRequest: send, put } = await service({ policy })
    expect((await send('GET', 'cover/png/64')).status).toBe(404)
    expect((await send('GET', 'editions/0/scan/png/16')).status).toBe(404)
    await put('editions/1/scan', await picture())
    expect((await send('GET', 'editions/1/scan/png/16')).status).toBe(200)
    expect((await send('GET', 'editions/0/scan/png/16')).status).toBe(404)
    expect((await send('GET', 'editions/7/scan/png/16')).status).toBe(404)
  })

  it('3.5: of broken images are 422, tried once, and break nothing else', async () => {
    let reads = 0
    const ownBlobs = memoryBlobs()
    const blobs: BlobStore = {
      ...ownBlobs,
      read(key, span) {
        reads++
        return ownBlobs.read(key, span)
      },
    }
    const { sendRequest: send, put, keys } = await service({ policy, blobs })
    const good = await picture()
    const broken = Buffer.concat([good.subarray(0, good.length - 30), Buffer.alloc(30)])
    for (const bytes of [broken, good.subarray(0, 60)]) {
      expect((await put('cover', Buffer.from(bytes))).status).toBe(200)
      const response = await send('GET', 'cover/png/64')
      expect([response.status, JSON.parse(`${response.bytes}`).errors[0].code]).toEqual([
        422,
        'unprocessable',
      ])
      reads = 0
      expect((await send('GET', 'cover/png/64')).status).toBe(422)
      expect(reads).toBe(0)
      expect((await send('GET', 'cover')).bytes).toEqual(bytes)
    }
    expect(await keys()).toHaveLength(1)
    await put('cover', good)
    expect((await send('GET', 'cover/png/64')).status).toBe(200)
  })
})

/** Blobs in memory, and how many were written. */
function countedBlobs(): { readonly blobs: BlobStore; writeCount(): number } {
  const ownBlobs = memoryBlobs()
  let writes = 0
  const write: BlobStore['write'] = (bytes) => {
    writes++
    return ownBlobs.write(bytes)
  }
  return { blobs: { ...ownBlobs, write }, writeCount: () => writes }
}

describe.each(stores)('Variants of images on $name', ({ make }) => {
  it('are made once, however many clients sendRequest at once, and stored', async () => {
    const { blobs, writeCount } = countedBlobs()
    const store = await make()
    const { sendRequest: send, put, keys } = await service({ store, blobs })
    await put('cover', await picture())
    const all = await Promise.all(Array.from({ length: 30 }, () => send('GET', 'cover/webp/64')))
    expect(new Set(all.map((entry) => sha256(entry.bytes))).size).toBe(1)
    expect(writeCount()).toBe(2)
    const again = await service({ store, blobs })
    expect((await again.sendRequest('GET', 'cover/webp/64')).bytes).toEqual(all[0]!.bytes)
    expect(writeCount()).toBe(2)
    expect(await keys()).toHaveLength(2)
  })

  it('are made once, also for a request whose look at the store ends after they are stored', async () => {
    const { blobs, writeCount } = countedBlobs()
    const store = await make()
    let looks = 0
    let endFirstLook = (): void => {}
    const firstLook = new Promise<void>((resolve) => {
      endFirstLook = resolve
    })
    const find: Store['find'] = async (model, ...rest) => {
      const item = await store.find(model, ...rest)
      if (model.name === '_variant' && ++looks === 1) await firstLook
      return item
    }
    const { sendRequest: send, put } = await service({
      store: new Proxy(store, {
        get: (target, name) => {
          if (name === 'find') return find
          const member: unknown = Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        },
      }),
      blobs,
    })
    await put('cover', await picture())
    const late = send('GET', 'cover/webp/64')
    await vi.waitFor(() => expect(looks).toBe(1), 10_000)
    const early = await send('GET', 'cover/webp/64')
    endFirstLook()
    expect((await late).bytes).toEqual(early.bytes)
    expect(writeCount()).toBe(2)
  })

  it('do not change their item, which describes the image alone', async () => {
    const { router, sendRequest: send, put } = await service({ store: await make() })
    await put('cover', await picture())
    const item = async () =>
      `${await (await router.handle(new Request('http://h/books/b-1'))).text()}`
    const before = await item()
    await send('GET', 'cover/png/16')
    expect(await item()).toBe(before)
  })

  it('are removed with their image: replaced, cleared, or deleted with its item', async () => {
    const { router, sendRequest: send, put, keys } = await service({ store: await make() })
    const get = () =>
      Promise.all(['cover/png/16', 'cover/webp/64'].map((path) => send('GET', path)))
    await put('cover', await picture(200, 100, '#f00'))
    const before = await get()
    expect(await keys()).toHaveLength(3)
    await put('cover', await picture(200, 100, '#00f'))
    expect(await keys()).toHaveLength(1)
    const after = await get()
    expect(after.map((entry) => entry.status)).toEqual([200, 200])
    for (const [index, one] of after.entries())
      expect(one.bytes.equals(before[index]!.bytes)).toBe(false)
    await send('DELETE', 'cover')
    expect(await keys()).toEqual([])
    expect((await get()).map((entry) => entry.status)).toEqual([404, 404])
    await put('cover', await picture())
    await get()
    expect(
      (await router.handle(new Request('http://h/books/b-1', { method: 'DELETE' }))).status,
    ).toBe(204)
    expect(await keys()).toEqual([])
  })

  it('of an image that is replaced meanwhile belong to the new image, or are not sent', async () => {
    const { sendRequest: send, put, keys } = await service({ store: await make() })
    const [red, blue] = [await picture(300, 300, '#f00'), await picture(300, 300, '#00f')]
    for (let round = 0; round < 5; round++) {
      await put('cover', red)
      const pending = send('GET', 'cover/png/16')
      await put('cover', blue)
      expect((await pending).status).toBe(200)
      const { dominant } = await sharp((await send('GET', 'cover/png/16')).bytes).stats()
      expect(dominant.b).toBeGreaterThan(dominant.r)
      expect(await keys()).toHaveLength(2)
    }
  })

  it('survive the sweep, and are made again where their bytes are lost', async () => {
    const { router, blobs, sendRequest: send, put, keys } = await service({ store: await make() })
    await put('cover', await picture())
    const [original] = await keys()
    const variant = await send('GET', 'cover/png/16')
    expect(await router.sweep(-1)).toBe(0)
    expect((await send('GET', 'cover/png/16')).bytes).toEqual(variant.bytes)
    await blobs.delete((await keys()).filter((key) => key !== original))
    expect((await send('GET', 'cover/png/16')).bytes).toEqual(variant.bytes)
    expect(await keys()).toHaveLength(2)
  })

  it('are made a few at a time', async () => {
    const { sendRequest: send, put } = await service({ store: await make() })
    await put('cover', await picture(800, 800))
    const all = formats.flatMap((format) =>
      [16, 64].map((size) => send('GET', `cover/${format}/${size}`)),
    )
    expect((await Promise.all(all)).map((entry) => entry.status)).toEqual(all.map(() => 200))
  })
})
