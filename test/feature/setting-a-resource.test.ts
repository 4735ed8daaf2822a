import { createHash } from 'node:crypto'
import {
  type BlobStore,
  createRouter,
  file,
  type IQuery,
  type Middleware,
  model,
  respond,
} from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { BlobGone } from 'resourcery/store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { form, galleryService, png, policies, sha256 } from '../support/resources.ts'
import { stores } from '../support/stores.ts'

const item = '/api/paintings/p-1'
const photo = `${item}/photo`
const papers = `${item}/papers`
const notes = `${item}/notes`
const formType = { 'content-type': 'multipart/form-data; boundary=x' }

describe.each(policies)('Setting a binary resource under $policy', ({ policy }) => {
  it('R14: responds with 200 and the updated item and its ETag', async () => {
    const { get, post, resourceIn } = await galleryService(policy)
    const set = await post(photo, png(1))
    expect(set.status).toBe(200)
    expect(resourceIn(set, 'photo')).toMatchObject({ href: photo, hash: sha256(png(1)) })
    const response = await get(item)
    expect([`${response.bytes}`, response.etag]).toEqual([`${set.bytes}`, set.etag])
    expect(set.headers.get('content-type')).toBe(response.headers.get('content-type'))
  })

  it('responds with selected fields and included items, like an update of the item', async () => {
    const { post, resourceIn } = await galleryService(policy)
    const set = await post(`${photo}?fields[paintings]=photo,gallery&include=gallery`, png(1))
    expect([set.status, resourceIn(set, 'photo')]).toMatchObject([200, { size: 200 }])
    expect(`${set.bytes}`).toContain('Uffizi')
    expect(`${set.bytes}`).not.toContain('Spring')
  })

  it('accepts the form part with the name of the field', async () => {
    const { send, get, resourceIn } = await galleryService(policy)
    const data = new FormData()
    data.append('photo', new Blob([png(1)], { type: 'image/png' }), 'Fr\u00fchling.png')
    const set = await send('POST', photo, {}, data)
    expect([set.status, resourceIn(set, 'photo')]).toMatchObject([
      200,
      { fileName: 'Fr\u00fchling.png', contentType: 'image/png' },
    ])
    expect((await get(photo)).bytes).toEqual(Buffer.from(png(1)))
    const scan = new FormData()
    scan.append('scan', new Blob([png(2)]), 's.png')
    const inside = await send('POST', `${item}/views/0/scan`, {}, scan)
    expect([inside.status, resourceIn(inside, 'views/0/scan')]).toMatchObject([
      200,
      { contentType: 'image/png' },
    ])
  })

  it('accepts the wire name of a renamed field, in the path and in a form', async () => {
    const { send, post } = await galleryService(policy)
    const wav = Buffer.concat([
      Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'),
      Buffer.alloc(28),
    ])
    const type = { 'content-type': 'audio/wav' }
    expect((await post(`${item}/audioGuide`, wav.toString('latin1'), type)).status).toBe(200)
    expect(
      (
        await send(
          'POST',
          `${item}/audioGuide`,
          formType,
          form('audioGuide', wav, 'a.wav', 'audio/wav'),
        )
      ).status,
    ).toBe(200)
    expect(
      (await send('POST', `${item}/audioGuide`, formType, form('guide', wav, 'a.wav', 'audio/wav')))
        .status,
    ).toBe(400)
    expect((await send('POST', `${item}/guide`, type, wav)).status).toBe(404)
  })

  it('detects the type from the bytes where none is declared', async () => {
    const { post, send, resourceIn } = await galleryService(policy)
    const octets = await post(photo, png(1), { 'content-type': 'application/octet-stream' })
    expect([octets.status, resourceIn(octets, 'photo')]).toMatchObject([
      200,
      { contentType: 'image/png' },
    ])
    const untyped = await send('POST', photo, {}, counting(png(2)).body)
    expect([untyped.status, resourceIn(untyped, 'photo')]).toMatchObject([
      200,
      { contentType: 'image/png' },
    ])
    const unknown = await post(photo, 'no image', { 'content-type': 'application/octet-stream' })
    expect([unknown.status, unknown.errors[0]!.code]).toEqual([415, 'unsupported-media-type'])
  })

  it('R14: 415 names the media type that was sent, and each allowed one once', async () => {
    const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    const Paper = model('paper', {
      name: z.string(),
      content: file({ types: ['application/octet-stream'] }),
    })
    router.prepare(Paper)
    await router.load(Paper, [{ id: 'a', name: 'A' }])
    const api = client(router)
    const detailFor = async (type: string) =>
      (await api.post('/papers/a/content', 'text', { 'content-type': type })).errors[0]!.detail
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect(await detailFor(type)).toBe(
        `Unsupported media type '${type}'; expected application/octet-stream or multipart/form-data. In multipart/form-data, the part must be named 'content'.`,
      )
  })

  it('R14: 415 names the allowed types, before the body is read', async () => {
    const { send } = await galleryService(policy)
    const types = [
      'image/svg+xml',
      'text/html',
      'image/png, image/png',
      'image/png;x',
      'image',
      '',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
      'application/json',
      '*/*',
      'image/*',
    ]
    for (const type of types) {
      const { body, pulled } = counting(png(1))
      const { status, errors } = await send('POST', photo, { 'content-type': type }, body)
      expect([status, errors[0]!.code, pulled()], type).toEqual([415, 'unsupported-media-type', 0])
      expect(errors[0]!.detail).toContain('image/png')
      expect(errors[0]!.source).toEqual({ header: 'Content-Type' })
    }
  })

  it('3.5: content that does not match its declared type is 415, and no blob remains', async () => {
    const { send, post, keys } = await galleryService(policy)
    const script = '<script>alert(1)</script>'
    const polyglot = Buffer.concat([Buffer.from(png(1)), Buffer.from(script)])
    const cases: readonly (readonly [string, string, Uint8Array<ArrayBuffer> | string])[] = [
      [photo, 'image/png', '<html><script>alert(1)</script>'],
      [photo, 'image/png', 'GIF89a\u0001\u0000\u0001\u0000'],
      [photo, 'image/jpeg', png(1)],
      [photo, 'image/png', new Uint8Array(polyglot)],
      [photo, 'image/gif', `GIF89a/*${script}*/=1;`],
      [photo, 'image/png', ''],
      [papers, 'image/png', '%PDF-1.4'],
      [papers, 'text/plain', '\u0000\u0001\u0002binary'],
    ]
    for (const [path, type, bytes] of cases) {
      const raw = await post(path, bytes, { 'content-type': type })
      expect([raw.status, raw.errors[0]!.code], `${type} ${bytes.slice(0, 8)}`).toEqual([
        415,
        'content-mismatch',
      ])
      const field = path.slice(path.lastIndexOf('/') + 1)
      const inForm = await send(
        'POST',
        path,
        formType,
        form(field, Buffer.from(bytes as string), 'a.png', type),
      )
      expect([inForm.status, inForm.errors[0]!.code]).toEqual([415, 'content-mismatch'])
    }
    expect(await keys()).toEqual([])
  })

  it('3.5: active types are stored, and served as attachments in a sandbox', async () => {
    const { get, post } = await galleryService(policy)
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(document.cookie)</script></svg>'
    for (const [type, content] of [
      ['image/svg+xml', svg],
      ['text/html', `<!doctype html>${svg}`],
      ['application/pdf', '%PDF-1.4\n%\u00e2\u00e3'],
    ] as const) {
      expect((await post(notes, content, { 'content-type': type })).status, type).toBe(200)
      const response = await get(notes)
      expect(response.headers.get('content-type')).toBe(type)
      expect(response.headers.get('content-disposition')).toMatch(/^attachment/)
      expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  it('413: stops reading at the limit, and keeps nothing', async () => {
    const { send, post, keys, get } = await galleryService(policy)
    await post(photo, png(1))
    for (const headers of [{ 'content-type': 'image/png' }, formType]) {
      const endless = counting(Buffer.concat([formHead('photo'), png(2, 10_000_000)]))
      const inForm = headers === formType
      const { status, errors } = await send(
        'POST',
        photo,
        headers,
        inForm ? endless.body : counting(png(2, 10_000_000)).body,
      )
      expect([status, errors[0]!.code, errors[0]!.detail]).toEqual([
        413,
        'body-too-large',
        expect.stringContaining('100000'),
      ])
      if (inForm) expect(endless.pulled()).toBeLessThan(400_000)
    }
    expect((await post(photo, png(3, 100_000))).status).toBe(200)
    expect((await post(photo, png(3, 100_001))).status).toBe(413)
    expect((await get(photo)).bytes).toEqual(Buffer.from(png(3, 100_000)))
    expect(await keys()).toHaveLength(1)
  })

  it('413: gets a response before the body is read, where its length is declared', async () => {
    const { send } = await galleryService(policy)
    for (const headers of [{ 'content-type': 'image/png' }, formType]) {
      const { body, pulled } = counting(png(1))
      expect(
        (await send('POST', photo, { ...headers, 'content-length': '900000' }, body)).status,
      ).toBe(413)
      expect(pulled()).toBe(0)
    }
  })

  it('R13: checks the digests in the request: with a wrong one nothing is stored', async () => {
    const { send, get, post, keys } = await galleryService(policy)
    const digest = (algorithm: string, of: Uint8Array | string) =>
      `${algorithm}=:${createHash(algorithm.replace('-', '')).update(of).digest('base64')}:`
    for (const header of ['content-digest', 'repr-digest']) {
      for (const algorithm of ['sha-256', 'sha-512']) {
        const wrong = await post(photo, png(1), { [header]: digest(algorithm, 'other') })
        expect([wrong.status, wrong.errors[0]!.code]).toEqual([400, 'digest-mismatch'])
      }
      const malformed = await post(photo, png(1), { [header]: 'sha-256=abc' })
      expect([malformed.status, malformed.errors[0]!.code]).toEqual([400, 'invalid-digest'])
      expect((await get(photo)).status).toBe(404)
      expect(await keys()).toEqual([])
    }
    expect(
      (await post(photo, png(1), { 'content-digest': digest('sha-256', png(1)) })).status,
    ).toBe(200)
    const body = form('photo', png(2), 'a.png', 'image/png')
    const inForm = { ...formType, 'content-digest': digest('sha-512', body) }
    expect((await send('POST', photo, inForm, body)).status).toBe(200)
  })

  it.each([
    ['no part', '--x--\r\n', 'missing-part'],
    ['no boundary in it', 'nothing', 'malformed-multipart'],
    ['no end', `${formHead('photo')}abc`, 'malformed-multipart'],
    ['another part', `${formHead('other')}abc\r\n--x--\r\n`, 'unknown-part'],
    ['__proto__', `${formHead('__proto__')}abc\r\n--x--\r\n`, 'unknown-part'],
    [
      'a text',
      '--x\r\nContent-Disposition: form-data; name="photo"\r\n\r\nabc\r\n--x--\r\n',
      'missing-part',
    ],
    ['nothing', '', 'malformed-multipart'],
  ])('a form with %s is 400, and no blob remains', async (_, body, code) => {
    const { send, keys } = await galleryService(policy)
    const { status, errors } = await send('POST', photo, formType, Buffer.from(body))
    expect([status, errors[0]!.code]).toEqual([400, code])
    expect(await keys()).toEqual([])
  })

  it('a form with more than one part is 400, and no blob remains', async () => {
    const { send, keys } = await galleryService(policy)
    const first = form('photo', png(1), 'a.png', 'image/png')
      .toString('latin1')
      .replace(/--x--\r\n$/, '')
    for (const [part, code] of [
      ['photo', 'repeated-part'],
      ['title', 'unknown-part'],
    ]) {
      const body = Buffer.from(`${first}${formHead(part!)}abc\r\n--x--\r\n`, 'latin1')
      const { status, errors } = await send('POST', photo, formType, body)
      expect([status, errors[0]!.code]).toEqual([400, code])
    }
    expect(await keys()).toEqual([])
  })

  it('a missing or wrong boundary, and a missing body, are 400', async () => {
    const { send } = await galleryService(policy)
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary="a\\"b"'])
      expect([(await send('POST', photo, { 'content-type': type }, 'x')).status, type]).toEqual([
        400,
        type,
      ])
    const { status, errors } = await send('POST', photo, { 'content-type': 'image/png' })
    expect([status, errors[0]!.code]).toEqual([400, 'empty-body'])
  })

  it('a content coding is 415', async () => {
    const { post } = await galleryService(policy)
    const { status, errors } = await post(photo, png(1), { 'content-encoding': 'gzip' })
    expect([status, errors[0]!.code]).toEqual([415, 'unsupported-encoding'])
  })

  it('R14: a missing item, or path in it, is 404 before the body is read', async () => {
    const { send } = await galleryService(policy)
    for (const path of [
      '/api/paintings/p-9/photo',
      `${item}/views/2/scan`,
      `${item}/views/x/scan`,
      '/api/paintings/p-2/border/photo',
    ]) {
      const { body, pulled } = counting(png(1))
      const { status } = await send('POST', path, { 'content-type': 'image/png' }, body)
      expect([status, pulled()], path).toEqual([404, 0])
    }
  })

  it('phase 1 and the query hooks of setResource, update and getItem run before the body is read', async () => {
    const hidden = (query: IQuery) => query.where('title').equal('Rain')
    const cases: readonly (readonly [Middleware, number])[] = [
      [{ request: { setResource: () => respond(401) } }, 401],
      [
        {
          request: { any: ({ request }) => (request.method === 'GET' ? undefined : respond(403)) },
        },
        403,
      ],
      [{ query: { setResource: hidden } }, 403],
      [{ query: { update: hidden } }, 403],
      [{ query: { getItem: hidden } }, 404],
    ]
    for (const [middleware, expected] of cases) {
      const { send, keys } = await galleryService(policy, memory(), { middleware })
      const { body, pulled } = counting(png(1))
      const { status } = await send('POST', photo, { 'content-type': 'image/png' }, body)
      expect([status, pulled()]).toEqual([expected, 0])
      const cleared = await send('DELETE', photo)
      expect(cleared.status).toBe(expected)
      expect(await keys()).toEqual([])
    }
  })

  it('an item that is hidden or deleted while its bytes arrive is 404, and no blob remains', async () => {
    for (const change of ['DELETE', 'hide'] as const) {
      let isHidden = false
      const middleware: Middleware = {
        query: { getItem: (query) => (isHidden ? query.where('title').equal('Rain') : query) },
      }
      const { send, keys } = await galleryService(policy, memory(), { middleware })
      const body = new ReadableStream({
        async start(to) {
          to.enqueue(png(1, 10_000))
          if (change === 'DELETE') await send('DELETE', item)
          isHidden = change === 'hide'
          to.close()
        },
      })
      expect((await send('POST', photo, { 'content-type': 'image/png' }, body)).status).toBe(404)
      expect(await keys()).toEqual([])
    }
  })

  describe('with preconditions', () => {
    it('If-Match means the ETag of the resource itself', async () => {
      const { send, get, post, keys } = await galleryService(policy)
      await post(photo, png(1))
      const { etag } = await get(photo)
      const itemTag = (await get(item)).etag
      for (const wrong of ['"old"', itemTag, `W/${etag}`, etag.slice(1, -1), '']) {
        const { body, pulled } = counting(png(2))
        const { status, errors } = await send(
          'POST',
          photo,
          { 'content-type': 'image/png', 'if-match': wrong },
          body,
        )
        expect([status, errors[0]!.source, pulled()], wrong).toEqual([
          412,
          { header: 'If-Match' },
          0,
        ])
        expect((await send('DELETE', photo, { 'if-match': wrong })).status).toBe(412)
      }
      expect((await post(photo, png(2), { 'if-match': `"x", ${etag}` })).status).toBe(200)
      expect((await post(photo, png(3), { 'if-match': '*' })).status).toBe(200)
      expect((await send('DELETE', photo, { 'if-match': (await get(photo)).etag })).status).toBe(
        204,
      )
      expect((await post(photo, png(3), { 'if-match': '*' })).status).toBe(412)
      expect(await keys()).toEqual([])
    })

    it('If-None-Match: * sets an empty resource only', async () => {
      const { post } = await galleryService(policy)
      const first = { 'if-none-match': '*' }
      expect((await post(photo, png(1), first)).status).toBe(200)
      const second = await post(photo, png(2), first)
      expect([second.status, second.errors[0]!.source]).toEqual([412, { header: 'If-None-Match' }])
    })

    it('is 428 without If-Match where the model requires it, except for an empty resource', async () => {
      const { send, get, post } = await galleryService(policy, memory(), { requireMatch: true })
      expect((await post(photo, png(1))).status).toBe(200)
      const { status, errors } = await post(photo, png(2))
      expect([status, errors[0]!.code]).toEqual([428, 'precondition-required'])
      expect((await send('DELETE', photo)).status).toBe(428)
      expect((await send('DELETE', photo, { 'if-match': (await get(photo)).etag })).status).toBe(
        204,
      )
    })

    it('C17, 3.5: of two uploads with one ETag, one is 412 and leaves no blob', async () => {
      const { get, post, keys } = await galleryService(policy)
      for (let round = 0; round < 20; round++) {
        await post(photo, png(round))
        const { etag } = await get(photo)
        const both = await Promise.all(
          [1, 2].map((more) => post(photo, png(1_000 + 10 * round + more), { 'if-match': etag })),
        )
        expect(both.map((entry) => entry.status).toSorted()).toEqual([200, 412])
        expect(await keys()).toHaveLength(1)
      }
    })
  })

  it('clearing is 204, and then 404', async () => {
    const { send, get, post, resourceIn, keys } = await galleryService(policy)
    await post(photo, png(1))
    await post(`${item}/views/0/scan`, png(1))
    const cleared = await send('DELETE', photo)
    expect([cleared.status, cleared.bytes.length, cleared.headers.get('content-type')]).toEqual([
      204,
      0,
      null,
    ])
    expect(resourceIn(await get(item), 'photo')).toBeNull()
    expect((await get(photo)).status).toBe(404)
    expect((await send('DELETE', photo)).status).toBe(404)
    expect(await keys()).toHaveLength(1)
    expect((await send('DELETE', `${item}/views/0/scan`)).status).toBe(204)
    expect((await send('DELETE', `${item}/views/7/scan`)).status).toBe(404)
    expect(await keys()).toEqual([])
  })

  it('other methods are 405 with Allow', async () => {
    const { send } = await galleryService(policy)
    for (const method of ['PUT', 'PATCH']) {
      const response = await send(method, photo)
      expect([response.status, response.headers.get('allow')]).toEqual([
        405,
        'GET, HEAD, OPTIONS, POST, DELETE',
      ])
    }
    const options = await send('OPTIONS', photo)
    expect([options.status, options.headers.get('allow')]).toEqual([
      204,
      'GET, HEAD, OPTIONS, POST, DELETE',
    ])
  })

  it('a client that accepts no JSON is 406, before its bytes are read', async () => {
    const { send } = await galleryService(policy)
    const { body, pulled } = counting(png(1))
    const { status } = await send(
      'POST',
      photo,
      { 'content-type': 'image/png', accept: 'text/html' },
      body,
    )
    expect([status, pulled()]).toEqual([406, 0])
  })

  it('an aborted upload leaves no blob, and the old resource stays', async () => {
    const { send, get, post, keys } = await galleryService(policy)
    await post(photo, png(1))
    const body = new ReadableStream({
      start(to) {
        to.enqueue(png(2, 5_000))
        setTimeout(() => to.error(new Error('gone')), 5)
      },
    })
    expect((await send('POST', photo, { 'content-type': 'image/png' }, body)).status).toBe(400)
    expect((await get(photo)).bytes).toEqual(Buffer.from(png(1)))
    expect(await keys()).toHaveLength(1)
  })

  it('an unavailable blob store is 503, and so is an unavailable store; blobs of an unknown state are left to the sweep', async () => {
    const { StoreUnavailable } = await import('resourcery')
    const ownBlobs = memoryBlobs()
    const inner = memory()
    let away: 'blobs' | 'upload' | 'items' | undefined
    const blobs: BlobStore = {
      ...ownBlobs,
      async write(bytes) {
        if (away === 'blobs') throw new StoreUnavailable('away')
        // A crash of its server has lost the beginning, or a sweep took it for one given up.
        if (away === 'upload') throw new BlobGone('01a22c14-92ad-74d4-95bf-964be1516871')
        return ownBlobs.write(bytes)
      },
      read: async (key, span) =>
        away === 'blobs' ? Promise.reject(new StoreUnavailable('away')) : ownBlobs.read(key, span),
    }
    const store = {
      ...inner,
      write: ((work) =>
        away === 'items'
          ? Promise.reject(new StoreUnavailable('away'))
          : inner.write(work)) as typeof inner.write,
    }
    const { router, get, post, keys } = await galleryService(policy, store, {
      blobs,
      onError: () => undefined,
    })
    await post(photo, png(1))
    away = 'blobs'
    for (const response of [await post(photo, png(2)), await get(photo)])
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    away = 'upload'
    const gone = await post(photo, png(2))
    expect([gone.status, gone.headers.get('retry-after')]).toEqual([503, '1'])
    away = 'items'
    expect((await post(photo, png(2))).status).toBe(503)
    away = undefined
    expect((await get(photo)).bytes).toEqual(Buffer.from(png(1)))
    expect(await keys()).toHaveLength(2)
    expect(await router.sweep(-1)).toBe(1)
    expect((await post(photo, png(2))).status).toBe(200)
  })
})

describe.each(stores)('Binary resources on $name', ({ make }) => {
  it('DeleteItem rule 6: are deleted with their item, and with items that a cascade deletes', async () => {
    const { send, post, keys } = await galleryService('REST', await make())
    for (const path of ['photo', 'papers', 'views/0/scan', 'views/1/scan', 'border/photo'])
      await post(`${item}/${path}`, png(1))
    await post('/api/paintings/p-2/photo', png(2))
    expect(await keys()).toHaveLength(6)
    expect((await send('DELETE', '/api/galleries/g-1')).status).toBe(204)
    expect(await keys()).toHaveLength(1)
    expect((await send('DELETE', '/api/paintings/p-2')).status).toBe(204)
    expect(await keys()).toEqual([])
  })

  it('stay when the transaction that would delete them is rolled back', async () => {
    const { send, post, keys, get } = await galleryService('REST', await make())
    await post(photo, png(1))
    const body = JSON.stringify({ painting: { id: 'p-1', title: 'x', views: [] } })
    expect(
      (await send('PUT', item, { 'content-type': 'application/json', 'if-match': '"old"' }, body))
        .status,
    ).toBe(412)
    expect((await send('DELETE', item, { 'if-match': '"old"' })).status).toBe(412)
    expect(await keys()).toHaveLength(1)
    expect((await get(photo)).status).toBe(200)
  })

  it('are swept where no item references them, once all routers that share them are open', async () => {
    const store = await make()
    const { router, blobs, post, keys, get } = await galleryService('REST', store)
    await post(photo, png(1))
    const orphan = await blobs.write(
      (async function* () {
        yield png(2)
      })(),
    )
    expect(await router.sweep(60_000)).toBe(0)
    const { createRouter } = await import('resourcery')
    const { jsonApi } = await import('resourcery/json-api')
    const { galleryModels } = await import('../support/resources.ts')
    const other = createRouter({ policy: jsonApi(), store, blobs, blobGraceMs: 0 })
    await expect(router.sweep(-1)).rejects.toThrow('every router')
    expect(await keys()).toContain(orphan)
    for (const model of galleryModels) other.prepare(model)
    // The unreferenced blob has to be older than the grace period, which is 0.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await other.open()
    await expect.poll(keys).not.toContain(orphan)
    expect((await get(photo)).bytes).toEqual(Buffer.from(png(1)))
    expect(await router.sweep(-1)).toBe(0)
  })
})

/** A body that counts the bytes that were read from it. */
function counting(bytes: Uint8Array): {
  readonly body: ReadableStream<Uint8Array>
  pulled(): number
} {
  let step = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(to) {
        if (step >= bytes.length) return to.close()
        to.enqueue(bytes.subarray(step, step + 16_384))
        step += 16_384
      },
    },
    { highWaterMark: 0 },
  )
  return { body, pulled: () => step }
}

function formHead(name: string): Buffer {
  return Buffer.from(
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
  )
}
