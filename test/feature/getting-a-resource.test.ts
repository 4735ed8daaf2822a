import fc from 'fast-check'
import { type BlobStore, type IQuery, type Middleware, respond } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { describe, expect, it } from 'vitest'
import { counted } from '../support/counted.ts'
import {
  type GalleryService,
  galleryService,
  type HeaderFields,
  png,
  policies,
  sha256,
} from '../support/resources.ts'
import { stores } from '../support/stores.ts'

const photo = '/api/paintings/p-1/photo'
const papers = '/api/paintings/p-1/papers'
const bytes = png(7, 1000)
const tag = `"${sha256(bytes)}"`

describe.each(policies)('Getting a binary resource under $policy', ({ policy }) => {
  async function withPhoto(
    options?: Parameters<typeof galleryService>[2],
  ): Promise<GalleryService> {
    const service = await galleryService(policy, memory(), options)
    const set = await service.post(photo, bytes, {
      'content-disposition': 'attachment; filename="Fr\u00fchling.png"',
      authorization: 'me',
    })
    expect(set.status).toBe(200)
    return service
  }

  it('R1: streams it, with its type, length, strong ETag, and headers against sniffing', async () => {
    const { get } = await withPhoto()
    const response = await get(photo)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'public',
      'content-disposition': `inline; filename="Fr_hling.png"; filename*=UTF-8''Fr%C3%BChling.png`,
      'content-length': '1000',
      'content-type': 'image/png',
      etag: tag,
      'x-content-type-options': 'nosniff',
    })
    expect(response.bytes).toEqual(Buffer.from(bytes))
  })

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=900-', 900, 999],
    ['bytes=-100', 900, 999],
    ['bytes=990-5000', 990, 999],
    ['BYTES=10-19', 10, 19],
  ])('R2: %s is 206 with these bytes', async (range, start, end) => {
    const { get } = await withPhoto()
    const response = await get(photo, { range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/1000`)
    expect(response.headers.get('content-length')).toBe(String(end - start + 1))
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.etag).toBe(tag)
    expect(response.bytes).toEqual(Buffer.from(bytes.subarray(start, end + 1)))
  })

  it.each(['bytes=1000-', 'bytes=-0', 'bytes=99999-100000'])('R3: %s is 416', async (range) => {
    const { get } = await withPhoto()
    const { status, headers, errors } = await get(photo, { range })
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */1000'])
    expect(errors[0]).toMatchObject({ code: 'range-not-satisfiable', source: { header: 'Range' } })
  })

  it.each([
    'bytes=5-2',
    'bytes=',
    'items=0-1',
    'garbage',
    'bytes=a-b',
    'bytes 0-1',
    '',
    'bytes=0-1,5-6',
  ])('R4, R5: %j is ignored: 200 with the whole resource', async (range) => {
    const { get } = await withPhoto()
    const response = await get(photo, { range })
    expect([response.status, response.headers.get('content-range'), response.bytes.length]).toEqual(
      [200, null, 1000],
    )
  })

  it('R5: a thousand overlapping ranges cost no more than the whole', async () => {
    const { get } = await withPhoto()
    const response = await get(photo, { range: `bytes=${Array(1_000).fill('0-').join(',')}` })
    expect([response.status, response.bytes.length]).toEqual([200, 1000])
  })

  it.each([
    [tag, 206],
    ['"old"', 200],
    [`W/${tag}`, 200],
    ['Sat, 01 Jan 2022 00:00:00 GMT', 200],
    ['', 200],
  ])('R6: a range with If-Range: %s is %i', async (ifRange, status) => {
    const { get } = await withPhoto()
    expect((await get(photo, { range: 'bytes=0-9', 'if-range': ifRange })).status).toBe(status)
  })

  it('R7: a range is ignored on HEAD and beside 304', async () => {
    const { send, get } = await withPhoto()
    const head = await send('HEAD', photo, { range: 'bytes=0-9' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '1000'])
    expect((await get(photo, { range: 'bytes=5000-', 'if-none-match': tag })).status).toBe(304)
  })

  it('R8: If-None-Match wins over a range', async () => {
    const { get } = await withPhoto()
    const response = await get(photo, { range: 'bytes=0-9', 'if-none-match': tag })
    expect([response.status, response.bytes.length]).toEqual([304, 0])
  })

  it('R9: an empty resource is sent whole, whatever the range', async () => {
    const { send, get, post } = await withPhoto()
    expect((await post(papers, '', { 'content-type': 'application/octet-stream' })).status).toBe(
      200,
    )
    for (const range of ['bytes=0-', 'bytes=-5', 'bytes=0-0', 'x']) {
      const response = await get(papers, { range })
      expect([
        response.status,
        response.headers.get('content-length'),
        response.bytes.length,
      ]).toEqual([200, '0', 0])
    }
    expect((await send('HEAD', papers)).headers.get('content-length')).toBe('0')
  })

  it('R11: adjacent ranges add up to the whole', async () => {
    const { get } = await withPhoto()
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { maxLength: 8 }),
        async (cuts) => {
          const edges = [0, ...cuts.toSorted((a, b) => a - b), 1000]
          const parts: Buffer[] = []
          for (const [index, start] of edges.slice(0, -1).entries()) {
            const response = await get(photo, {
              range: `bytes=${start}-${edges[index + 1]! - 1}`,
              'if-range': tag,
            })
            expect(response.status).toBe(206)
            parts.push(response.bytes)
          }
          expect(Buffer.concat(parts)).toEqual(Buffer.from(bytes))
        },
      ),
      { numRuns: 30 },
    )
  })

  it.each([
    ['../../etc/passwd', 'inline; filename="passwd"'],
    ['C:\\\\fakepath\\\\a.png', 'inline; filename="a.png"'],
    ['a\\"; x=\\"y.png', 'inline; filename="a_; x=_y.png"'],
    [
      '%0d%0aset-cookie: a=b',
      `inline; filename="_0d_0aset-cookie_ a=b"; filename*=UTF-8''%250d%250aset-cookie_%20a%3Db`,
    ],
    ['\u65e5\u672c.png', `inline; filename="__.png"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.png`],
    ['a\u202egnp.exe', 'inline; filename="agnp.exe"'],
    ['CON.png', 'inline; filename="_CON.png"'],
    ['..', 'inline'],
  ])('R12, 3.5: the name %j is made safe in Content-Disposition', async (quoted, expected) => {
    const { get, send } = await withPhoto()
    const head = `--x\r\nContent-Disposition: form-data; name="photo"; filename="${quoted}"\r\nContent-Type: image/png\r\n\r\n`
    const body = Buffer.concat([Buffer.from(head), png(1), Buffer.from('\r\n--x--\r\n')])
    expect(
      (await send('POST', photo, { 'content-type': 'multipart/form-data; boundary=x' }, body))
        .status,
    ).toBe(200)
    expect((await get(photo)).headers.get('content-disposition')).toBe(expected)
  })

  it('R13: Repr-Digest is sent when requested, of the whole on 206 too', async () => {
    const { get } = await withPhoto()
    const digest = `sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`
    const digests = { 'want-repr-digest': 'sha-512=3, sha-256=10' }
    expect((await get(photo, digests)).headers.get('repr-digest')).toBe(digest)
    expect((await get(photo, { ...digests, range: 'bytes=0-1' })).headers.get('repr-digest')).toBe(
      digest,
    )
    for (const wish of ['sha-256=0', 'md5=1', 'x', ''])
      expect((await get(photo, { 'want-repr-digest': wish })).headers.get('repr-digest')).toBeNull()
  })

  it('R14: is 404 from the catalog where there is no resource, no item, or no such path', async () => {
    const { get } = await withPhoto()
    for (const path of [
      papers,
      '/api/paintings/p-9/photo',
      '/api/paintings/p-1/views/0/scan',
      '/api/paintings/p-1/border/photo',
    ]) {
      const { status, errors, headers } = await get(path)
      expect([status, errors[0]!.code, headers.get('cache-control')], path).toEqual([
        404,
        'not-found',
        null,
      ])
    }
    for (const index of [
      '2',
      '01',
      '-1',
      '1e0',
      '__proto__',
      'length',
      '%00',
      '99999999999999999999',
      'x',
    ])
      expect((await get(`/api/paintings/p-1/views/${index}/scan`)).status, index).toBe(404)
    expect((await get('/api/paintings/p-2/border/photo')).status).toBe(404)
  })

  it('C2, C6: is 304 when the client has it, with the caching headers of a 200', async () => {
    const { get, send } = await withPhoto()
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const response = await get(photo, { 'if-none-match': header })
      expect(
        [response.status, response.bytes.length, Object.fromEntries(response.headers)],
        header,
      ).toEqual([304, 0, { etag: tag, 'cache-control': 'public' }])
    }
    expect((await send('HEAD', photo, { 'if-none-match': tag })).status).toBe(304)
    for (const header of ['"old"', tag.slice(1, -1), ''])
      expect((await get(photo, { 'if-none-match': header })).status).toBe(200)
  })

  it('M1: HEAD has the headers of GET, and opens no stream', async () => {
    const reads: string[] = []
    const ownBlobs = memoryBlobs()
    const blobs: BlobStore = {
      ...ownBlobs,
      read(key, span) {
        reads.push(key)
        return ownBlobs.read(key, span)
      },
    }
    const { send, get } = await withPhoto({ blobs })
    // The upload itself reads the image to check its limit of pixels.
    reads.length = 0
    const response = await get(photo)
    expect(reads).toHaveLength(1)
    const times = Number(process.env.FUZZ_RUNS ?? 300)
    for (let time = 0; time < times; time++) {
      const head = await send('HEAD', photo)
      if (time === 0)
        expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(response.headers))
      expect([head.status, head.bytes.length]).toEqual([200, 0])
    }
    await get(photo, { 'if-none-match': tag })
    expect(reads).toHaveLength(1)
  })

  it('ignores Accept: a resource has one representation', async () => {
    const { get } = await withPhoto()
    for (const accept of ['image/webp', 'application/json', 'text/html;q=0', '*/*', 'nonsense'])
      expect([(await get(photo, { accept })).status, accept]).toEqual([200, accept])
  })

  it('refuses query parameters', async () => {
    const { get } = await withPhoto()
    expect((await get(`${photo}?size=512`)).errors[0]!.code).toBe('unknown-parameter')
  })

  describe('Cache-Control (3.5, cache poisoning)', () => {
    const needsUser: Middleware = {
      request: {
        getResource: ({ request, state }) => {
          const user = request.headers['x-api-key'] ?? request.headers.authorization
          if (!user) return respond(401, { 'www-authenticate': 'Bearer' })
          state.set('user', user)
          return undefined
        },
      },
    }

    it.each<[string, HeaderFields]>([
      ['an Authorization', { authorization: 'Bearer x' }],
      ['a cookie', { cookie: 'session=1' }],
    ])('is private for a request with %s, on 200, 206, 304 and HEAD', async (_, headers) => {
      const { send, get } = await withPhoto()
      const responses = [
        await get(photo, headers),
        await get(photo, { ...headers, range: 'bytes=0-1' }),
        await get(photo, { ...headers, 'if-none-match': tag }),
        await send('HEAD', photo, headers),
      ]
      expect(responses.map((response) => response.status)).toEqual([200, 206, 304, 200])
      for (const response of responses)
        expect(response.headers.get('cache-control')).toBe('private')
      expect((await get(photo)).headers.get('cache-control')).toBe('public')
    })

    it('is private where middleware identified the caller, by whatever header', async () => {
      const { get } = await withPhoto({ middleware: needsUser })
      expect((await get(photo, { 'x-api-key': 'a' })).headers.get('cache-control')).toBe('private')
      const anonymous = await get(photo)
      expect([
        anonymous.status,
        anonymous.bytes.length,
        anonymous.headers.get('cache-control'),
      ]).toEqual([401, 0, null])
    })

    it('keeps the responses for one user from the next one behind a shared cache (RFC 9111)', async () => {
      const { get } = await withPhoto({ middleware: needsUser })
      const cache = new Map<string, Awaited<ReturnType<typeof get>>>()
      const throughCache = async (headers: HeaderFields) => {
        const cached = cache.get(photo)
        if (cached) return cached
        const response = await get(photo, headers)
        if (/\bpublic\b/.test(response.headers.get('cache-control') ?? ''))
          cache.set(photo, response)
        return response
      }
      expect((await throughCache({ authorization: 'Bearer a' })).status).toBe(200)
      expect((await throughCache({ 'x-api-key': 'a' })).status).toBe(200)
      expect((await throughCache({})).status).toBe(401)
    })

    it('is what middleware sets', async () => {
      const immutable: Middleware = {
        request: {
          getResource: (context) => context.setHeader('Cache-Control', 'public, max-age=60'),
        },
      }
      const { get } = await withPhoto({ middleware: immutable })
      expect((await get(photo)).headers.get('cache-control')).toBe('public, max-age=60')
      const unchanged = await get(photo, { 'if-none-match': tag })
      expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([
        304,
        'public, max-age=60',
      ])
    })
  })

  describe('through middleware', () => {
    it('is narrowed by getResource and getItem: a hidden resource is 404, like a missing one', async () => {
      for (const hook of ['getResource', 'getItem', 'any'] as const) {
        let isHidden = false
        const hides: Middleware = {
          query: {
            [hook]: (query: IQuery) => (isHidden ? query.where('title').equal('Rain') : query),
          },
        }
        const { get } = await withPhoto({ middleware: hides })
        expect((await get(photo)).status).toBe(200)
        isHidden = true
        const hidden = await get(photo)
        const absent = await get('/api/paintings/p-9/photo')
        expect([hidden.status, `${hidden.bytes}`]).toEqual([
          404,
          `${absent.bytes}`.replaceAll('p-9', 'p-1'),
        ])
        expect((await get(photo, { 'if-none-match': tag })).status).toBe(404)
      }
    })

    it('ends with a response of phase 1, before the store is read', async () => {
      const { store, calls } = counted(memory())
      const { router, get } = await galleryService(policy, store, {
        middleware: { request: { getResource: () => respond(403) } },
      })
      calls.length = 0
      expect([(await get(photo)).status, calls]).toEqual([403, []])
      expect(
        router.rules.filter((rule) => rule.operation === 'GetResource').length,
      ).toBeGreaterThan(5)
    })
  })

  it('R10: sends all old or all new bytes while the resource is replaced, and never a mix', async () => {
    const old = png(1, 90_000)
    const service = await galleryService(policy)
    await service.post(photo, old)
    const slow = await service.router.handle(new Request(`http://localhost${photo}`))
    const reader = slow.body!.getReader()
    const first = await reader.read()
    await service.post(photo, png(2, 90_000))
    await service.post(photo, png(3, 90_000))
    const parts = [first.value!]
    for (let next = await reader.read(); !next.done; next = await reader.read())
      parts.push(next.value)
    expect(Buffer.concat(parts)).toEqual(Buffer.from(old))
    expect((await service.get(photo)).bytes).toEqual(Buffer.from(png(3, 90_000)))
    expect(await service.keys()).toHaveLength(1)
  })

  it('R10: finds the new resource when the old one is deleted before its first byte is read', async () => {
    const ownBlobs = memoryBlobs()
    let before: (() => Promise<unknown>) | undefined
    const blobs: BlobStore = {
      ...ownBlobs,
      async read(key, span) {
        await before?.()
        return ownBlobs.read(key, span)
      },
    }
    const service = await galleryService(policy, memory(), { blobs })
    await service.post(photo, png(1))
    before = async () => {
      before = undefined
      await service.post(photo, png(2))
      // Like another process, which does not know of the reader.
      for (const key of (await service.keys()).slice(0, 1)) await ownBlobs.delete([key])
    }
    const response = await service.get(photo)
    expect([response.status, response.etag, response.bytes]).toEqual([
      200,
      `"${sha256(png(2))}"`,
      Buffer.from(png(2)),
    ])
  })

  it('is an opaque 500, reported, where the bytes that an item refers to are lost', async () => {
    const reported: unknown[] = []
    const service = await galleryService(policy, memory(), {
      onError: (error) => reported.push(error),
    })
    await service.post(photo, png(1))
    await service.blobs.delete(await service.keys())
    const response = await service.get(photo)
    expect([response.status, response.errors[0]!.code]).toEqual([500, 'internal-error'])
    expect(String(reported[0])).toContain('p-1')
    expect(`${response.bytes}`).not.toMatch(/[0-9a-f]{8}-/)
    expect((await service.post(photo, png(2))).status).toBe(200)
  })

  it('closes the stream when the client leaves', async () => {
    const ownBlobs = memoryBlobs()
    let open = 0
    const blobs: BlobStore = {
      ...ownBlobs,
      async read(key, span) {
        const chunks = await ownBlobs.read(key, span)
        if (!chunks) return undefined
        return (async function* () {
          open++
          try {
            yield* chunks
          } finally {
            open--
          }
        })()
      },
    }
    const service = await galleryService(policy, memory(), { blobs })
    await service.send(
      'POST',
      papers,
      { 'content-type': 'application/octet-stream' },
      Buffer.alloc(900_000, 1),
    )
    for (let time = 0; time < 20; time++) {
      const response = await service.router.handle(new Request(`http://localhost${papers}`))
      const reader = response.body!.getReader()
      await reader.read()
      expect(open).toBe(1)
      await reader.cancel()
      await expect.poll(() => open).toBe(0)
    }
    const controller = new AbortController()
    const response = await service.router.handle(
      new Request(`http://localhost${papers}`, { signal: controller.signal }),
    )
    await response.body!.getReader().read()
    controller.abort()
    await expect.poll(() => open).toBe(0)
    expect((await service.send('DELETE', papers)).status).toBe(204)
    expect(await service.keys()).toEqual([])
  })
})

describe.each(stores)('A binary resource on $name', ({ make }) => {
  it('has the bytes of one upload, while many upload and many download', async () => {
    const service = await galleryService('REST', await make())
    const all = Array.from({ length: 8 }, (_, number) => png(number, 50_000 + number))
    const uploads = new Map(all.map((entry) => [`"${sha256(entry)}"`, entry]))
    await service.post(photo, all[0]!)
    const writes = all.map((entry) => service.post(photo, entry))
    const reads = Array.from({ length: 60 }, async () => {
      const response = await service.get(photo)
      expect(response.status).toBe(200)
      expect(response.bytes.equals(uploads.get(response.etag)!)).toBe(true)
    })
    expect((await Promise.all(writes)).map((entry) => entry.status)).toEqual(all.map(() => 200))
    await Promise.all(reads)
    expect(await service.keys()).toHaveLength(1)
  })
})
