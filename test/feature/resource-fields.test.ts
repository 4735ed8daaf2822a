import { createRouter, file, image, list, model, RegistrationError, struct } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Gallery, galleryService, Painting, png, policies, sha256 } from '../support/resources.ts'
import { stores } from '../support/stores.ts'

const photo = '/api/paintings/p-1/photo'
const scan = '/api/paintings/p-1/views/1/scan'

describe.each(stores)('The binary resources of an item on $name', ({ make }) => {
  describe.each(policies)('under $policy', ({ policy }) => {
    const item = '/api/paintings/p-1'

    it('are null while there are none', async () => {
      const { get, resourceIn } = await galleryService(policy, await make())
      const response = await get(item)
      for (const path of ['photo', 'audioGuide', 'papers', 'views/0/scan', 'border/photo'])
        expect(resourceIn(response, path)).toBeNull()
      expect(resourceIn(response, 'secret')).toBeUndefined()
    })

    it('are sent with address, type, size, hash and file name', async () => {
      const { get, post, resourceIn } = await galleryService(policy, await make())
      const bytes = png(1)
      const set = await post(photo, bytes, {
        'content-disposition': 'attachment; filename="spring.png"',
      })
      expect(set.status).toBe(200)
      const facts = {
        href: photo,
        contentType: 'image/png',
        size: 200,
        hash: sha256(bytes),
        fileName: 'spring.png',
      }
      expect(resourceIn(set, 'photo')).toEqual(facts)
      await post(scan, png(2))
      await post('/api/paintings/p-1/border/photo', png(3))
      const response = await get(item)
      expect(resourceIn(response, 'photo')).toEqual(facts)
      expect(resourceIn(response, 'views/0/scan')).toBeNull()
      expect(resourceIn(response, 'views/1/scan')).toEqual({
        href: scan,
        contentType: 'image/png',
        size: 200,
        hash: sha256(png(2)),
        fileName: null,
      })
      expect(resourceIn(response, 'border/photo')).toMatchObject({
        href: '/api/paintings/p-1/border/photo',
      })
      expect((await get(resourceIn(response, 'views/1/scan')!.href)).bytes).toEqual(
        Buffer.from(png(2)),
      )
    })

    it('are sent in lists, long ones too, and as included and selected members', async () => {
      const { router, get, post, resourceIn } = await galleryService(policy, await make(), {
        baseUrl: 'https://art.example',
      })
      await post(photo, png(1))
      await post(scan, png(2))
      const more = Array.from({ length: 70 }, (_, number) => ({
        id: `p-9${number}`,
        title: 'x',
        views: [],
      }))
      await router.load(Painting, more)
      const one = await get(item)
      const href = `https://art.example${photo}`
      expect(resourceIn(one, 'photo')).toMatchObject({ href })
      const key = policy === 'REST' ? '/paintings/0' : '/data/0'
      const single = policy === 'REST' ? '/painting' : '/data'
      for (const query of ['', '?page[size]=60', '?page[size]=2', '?filter[title]=Spring'])
        expect((await get(`/api/paintings${query}`)).at(key), query).toEqual(one.at(single))
      const included = await get('/api/galleries/g-1?include=paintings')
      expect(included.at(policy === 'REST' ? '/paintings/0' : '/included/0')).toEqual(
        one.at(single),
      )
      const chosen = await get(`${item}?fields[paintings]=photo,views`)
      expect(resourceIn(chosen, 'photo')).toEqual(resourceIn(one, 'photo'))
      expect(resourceIn(chosen, 'views/1/scan')).toEqual(resourceIn(one, 'views/1/scan'))
      expect(resourceIn(chosen, 'papers')).toBeUndefined()
      expect(resourceIn(await get(`${item}?fields[paintings]=title`), 'photo')).toBeUndefined()
    })

    it('change the ETag of their item, but the same bytes again do not', async () => {
      const { get, post, send } = await galleryService(policy, await make())
      const tags = [(await get(item)).etag]
      tags.push((await post(photo, png(1))).etag, (await get(item)).etag)
      expect(tags[1]).not.toBe(tags[0])
      expect(tags[2]).toBe(tags[1])
      expect((await post(photo, png(1))).etag).toBe(tags[1])
      expect((await post(photo, png(2))).etag).not.toBe(tags[1])
      await send('DELETE', photo)
      expect(tags).not.toContain((await get(item)).etag)
    })

    it('stay when the item is sent back as it was received', async () => {
      const { send, get, post, resourceIn } = await galleryService(policy, await make())
      await post(photo, png(1))
      await post(scan, png(2))
      await post('/api/paintings/p-1/border/photo', png(3))
      const before = await get(item)
      const type = before.headers.get('content-type')!
      for (const method of ['PATCH', 'PUT']) {
        const response = await send(method, item, { 'content-type': type }, before.bytes.toString())
        expect([response.status, response.etag, `${response.bytes}`]).toEqual([
          200,
          before.etag,
          `${before.bytes}`,
        ])
      }
      expect((await get(photo)).bytes).toEqual(Buffer.from(png(1)))
      expect(resourceIn(await get(item), 'views/1/scan')).toEqual(
        resourceIn(before, 'views/1/scan'),
      )
    })

    it('stay when a stale link or null is sent back', async () => {
      const { send, get, post, resourceIn, write } = await galleryService(policy, await make())
      const empty = await get(item)
      const type = empty.headers.get('content-type')!
      const places = [photo, scan, '/api/paintings/p-1/border/photo']
      for (const [number, path] of places.entries()) await post(path, png(number))
      const original = await get(item)
      for (const [number, path] of places.entries()) await post(path, png(number + 10))
      const now = await get(item)
      for (const method of ['PATCH', 'PUT']) {
        const response = await send(
          method,
          item,
          { 'content-type': type },
          original.bytes.toString(),
        )
        expect([response.status, `${response.bytes}`]).toEqual([200, `${now.bytes}`])
      }
      const nulls = policy === 'REST' ? { photo: null } : {}
      for (const method of ['PATCH', 'PUT'] as const) {
        const views = [
          { caption: 'a', scan: resourceIn(original, 'views/1/scan') },
          { caption: 'b', scan: null },
        ]
        const response = await write(method, 'p-1', {
          title: 'x',
          ...nulls,
          border: { photo: null },
          views,
        })
        expect(response.status).toBe(200)
        for (const path of ['photo', 'border/photo'])
          expect(resourceIn(response, path), path).toEqual(resourceIn(now, path))
        expect(resourceIn(response, 'views/0/scan')).toEqual(
          method === 'PATCH'
            ? { ...resourceIn(now, 'views/1/scan')!, href: '/api/paintings/p-1/views/0/scan' }
            : null,
        )
      }
    })

    it('stay when an update or a replacement does not mention them', async () => {
      const { get, post, resourceIn, write } = await galleryService(policy, await make())
      await post(photo, png(1))
      await post(scan, png(2))
      await post('/api/paintings/p-1/border/photo', png(3))
      const before = await get(item)
      const patched = await write('PATCH', 'p-1', { title: 'Summer', border: { wood: 'elm' } })
      expect(patched.status).toBe(200)
      for (const path of ['photo', 'views/1/scan', 'border/photo'])
        expect(resourceIn(patched, path), path).toEqual(resourceIn(before, path))
      const replaced = await write('PUT', 'p-1', { title: 'Autumn', views: [], border: {} })
      expect(resourceIn(replaced, 'photo')).toEqual(resourceIn(before, 'photo'))
      expect(resourceIn(replaced, 'border/photo')).toEqual(resourceIn(before, 'border/photo'))
    })

    it('move with the elements of a list, and are deleted with elements that are left out', async () => {
      const { get, post, resourceIn, write, keys } = await galleryService(policy, await make())
      await post('/api/paintings/p-1/views/0/scan', png(1))
      await post(scan, png(2))
      const before = await get(item)
      const [first, second] = [
        resourceIn(before, 'views/0/scan'),
        resourceIn(before, 'views/1/scan'),
      ]
      const swapped = await write('PATCH', 'p-1', {
        views: [
          { caption: 'corner', scan: second },
          { caption: 'new' },
          { caption: 'whole', scan: first },
        ],
      })
      expect(resourceIn(swapped, 'views/0/scan')).toEqual({ ...second, href: first!.href })
      expect(resourceIn(swapped, 'views/1/scan')).toBeNull()
      expect((await get('/api/paintings/p-1/views/2/scan')).bytes).toEqual(Buffer.from(png(1)))
      const fewer = await write('PATCH', 'p-1', {
        views: [
          { caption: 'whole', scan: resourceIn(swapped, 'views/2/scan') },
          { caption: 'other', scan: null },
        ],
      })
      expect(resourceIn(fewer, 'views/0/scan')).toMatchObject({ hash: first!.hash })
      expect(await keys()).toHaveLength(1)
    })

    it('cannot be set, changed, moved or cleared through the item: 400, with a valid pointer', async () => {
      const { get, post, resourceIn, write } = await galleryService(policy, await make())
      await post(scan, png(2))
      await post('/api/paintings/p-1/border/photo', png(3))
      const before = await get(item)
      const facts = resourceIn(before, 'views/1/scan')!
      const inFrame = resourceIn(before, 'border/photo')!
      const root = policy === 'REST' ? '/painting' : '/data/attributes'
      const cases: readonly (readonly [Record<string, unknown>, string])[] = [
        [{ views: [{ caption: 'a', scan: { ...facts, size: '1' } }] }, '/views/0/scan'],
        [{ views: [{ caption: 'a', scan: { href: facts.href } }] }, '/views/0/scan'],
        [
          {
            views: [{ caption: 'a', scan: { ...facts, href: '/api/paintings/p-2/views/1/scan' } }],
          },
          '/views/0/scan',
        ],
        [{ views: [{ caption: 'a', scan: { ...facts, href: undefined } }] }, '/views/0/scan'],
        [{ views: [{ caption: 'a', scan: inFrame }] }, '/views/0/scan'],
        [
          {
            views: [
              { caption: 'a', scan: facts },
              { caption: 'b', scan: facts },
            ],
          },
          '/views/1/scan',
        ],
        [{ views: [{ caption: 'a', scan: 'aGVsbG8=' }] }, '/views/0/scan'],
        [{ views: [{ caption: 'a', scan: [] }] }, '/views/0/scan'],
        [{ border: { photo: 'aGVsbG8=' } }, '/border/photo'],
        [{ border: { photo: {} } }, '/border/photo'],
        [{ border: { photo: facts } }, '/border/photo'],
        [{ border: { photo: 1 } }, '/border/photo'],
      ]
      for (const [values, pointer] of cases) {
        const { status, errors } = await write('PATCH', 'p-1', values)
        expect([status, errors[0]!.code], JSON.stringify(values)).toEqual([400, 'invalid-resource'])
        expect(errors[0]!.source).toEqual({ pointer: root + pointer })
      }
      const { status, errors } = await write('PATCH', 'p-1', {
        views: [{ caption: 'a', scan: { ...facts, key: 'x' } }],
      })
      expect([status, new Set(errors.map((error) => error.code))]).toEqual([
        400,
        new Set(['unknown-member', 'invalid-resource']),
      ])
      expect(`${(await get(item)).bytes}`).toBe(`${before.bytes}`)
    })

    it('of another item are ignored in a new item', async () => {
      const { get, post, resourceIn, write } = await galleryService(policy, await make())
      await post(scan, png(2))
      const facts = resourceIn(await get(item), 'views/1/scan')
      const fine = await write('POST', 'p-5', {
        title: 'New',
        views: [
          { caption: 'a', scan: null },
          { caption: 'b', scan: facts },
        ],
        border: { photo: facts },
      })
      expect(fine.status).toBe(201)
      for (const path of ['views/0/scan', 'views/1/scan', 'border/photo', 'photo'])
        expect(resourceIn(fine, path)).toBeNull()
      for (const scan of [{}, 'x', 1, [facts], { ...facts, key: 1 }, { href: facts?.href }]) {
        const { status, errors } = await write('POST', 'p-6', {
          title: 'New',
          views: [{ caption: 'a', scan }],
        })
        expect(status).toBe(400)
        const error = errors.find(({ code }) => code === 'invalid-resource')
        expect(error?.detail).toContain('once the item exists')
      }
    })

    it('stay with their elements of a list when others have reordered it meanwhile', async () => {
      const { get, post, resourceIn, write } = await galleryService(policy, await make())
      await post('/api/paintings/p-1/views/0/scan', png(1))
      await post(scan, png(2))
      const original = await get(item)
      const [first, second] = [
        resourceIn(original, 'views/0/scan')!,
        resourceIn(original, 'views/1/scan')!,
      ]
      const swapped = [
        { caption: 'corner', scan: second },
        { caption: 'whole', scan: first },
      ]
      expect((await write('PATCH', 'p-1', { views: swapped })).status).toBe(200)
      const views = [
        { caption: 'as a whole', scan: first },
        { caption: 'a corner', scan: second },
      ]
      const response = await write('PATCH', 'p-1', { views })
      expect([
        resourceIn(response, 'views/0/scan')!.hash,
        resourceIn(response, 'views/1/scan')!.hash,
      ]).toEqual([first.hash, second.hash])
    })

    it('can be neither filtered nor sorted by', async () => {
      const { get } = await galleryService(policy, await make())
      for (const query of [
        'filter[photo]=x',
        'filter[photo][isNull]=true',
        'filter[border.photo]=x',
        'sort=photo',
      ])
        expect([(await get(`/api/paintings?${query}`)).status, query]).toEqual([400, query])
      for (const name of [
        'photo.size',
        'photo.key',
        'border.photo.hash',
        'views.scan',
        'secret',
        'secret.size',
      ]) {
        const { status, errors } = await get(`/api/paintings?filter[${name}]=1&sort=${name}`)
        expect([status, errors.length], name).toEqual([400, 2])
      }
    })

    it('do not exist for clients where they are hidden', async () => {
      const { router, send, get, post, write } = await galleryService(policy, await make())
      await router.loadResource(
        Painting,
        { id: 'p-1', path: 'secret' },
        { bytes: png(9), contentType: 'image/png' },
      )
      const unknown = await get('/api/paintings/p-1/nothing')
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await send(method, '/api/paintings/p-1/secret', {
          'content-type': 'image/png',
        })
        expect([response.status, `${response.bytes}`.replaceAll('secret', 'nothing')]).toEqual([
          404,
          `${unknown.bytes}`,
        ])
      }
      expect(`${(await get(item)).bytes}`).not.toContain('secret')
      const sent = await write('PATCH', 'p-1', { secret: null })
      expect(sent.errors[0]!.code).toBe('unknown-member')
      const after = await post(photo, png(1))
      expect(after.status).toBe(200)
      expect(`${(await get('/api/paintings')).bytes}`).not.toContain('secret')
    })

    it('that are read-only can be set by the service only', async () => {
      const { router, send, get, post, write, resourceIn } = await galleryService(
        policy,
        await make(),
      )
      await router.loadResource(
        Painting,
        { id: 'p-1', path: 'stamp' },
        { bytes: png(9), contentType: 'image/png', fileName: 's.png' },
      )
      expect(resourceIn(await get(item), 'stamp')).toMatchObject({ size: 200, fileName: 's.png' })
      expect((await get('/api/paintings/p-1/stamp')).bytes).toEqual(Buffer.from(png(9)))
      for (const method of ['POST', 'DELETE', 'PUT']) {
        const response = await send(method, '/api/paintings/p-1/stamp')
        expect([response.status, response.headers.get('allow')]).toEqual([
          405,
          'GET, HEAD, OPTIONS',
        ])
      }
      expect((await post(photo, png(1))).status).toBe(200)
      expect((await write('PATCH', 'p-1', { title: 'x' })).status).toBe(200)
      expect(resourceIn(await get(item), 'stamp')).toMatchObject({ size: 200 })
    })
  })

  it('are refused in the item under REST, where they are members of it', async () => {
    const { get, post, resourceIn, write } = await galleryService('REST', await make())
    await post(photo, png(1))
    const facts = resourceIn(await get('/api/paintings/p-1'), 'photo')
    for (const link of [
      { ...facts, fileName: 1 },
      'x',
      0,
      [],
      {},
      { href: facts?.href },
      { ...facts, more: 1 },
    ]) {
      for (const method of ['PATCH', 'PUT'] as const) {
        const { status, errors } = await write(method, 'p-1', {
          title: 'x',
          views: [],
          photo: link,
        })
        expect([status, errors.map((error) => [error.code, error.source])]).toEqual([
          400,
          [['invalid-resource', { pointer: '/painting/photo' }]],
        ])
        expect(errors[0]!.detail).toContain('/paintings/p-1/photo')
      }
    }
    expect((await write('PATCH', 'p-1', { papers: null })).status).toBe(200)
    expect((await write('PATCH', 'p-1', { papers: facts })).status, 'the link of another').toBe(400)
  })

  it('are links under JSON:API, and no attributes', async () => {
    const { send, get, post, write } = await galleryService('JSON:API', await make())
    await post(photo, png(1))
    const response = await get('/api/paintings/p-1')
    expect(response.at('/data/attributes')).not.toHaveProperty('photo')
    expect(response.at('/data/links')).toEqual({
      self: '/api/paintings/p-1',
      photo: {
        href: photo,
        type: 'image/png',
        meta: { contentType: 'image/png', size: 200, hash: sha256(png(1)), fileName: null },
      },
      audioGuide: null,
      papers: null,
      notes: null,
      stamp: null,
    })
    const refused = await write('PATCH', 'p-1', { photo: null })
    expect([refused.status, refused.errors[0]!.code]).toEqual([400, 'invalid-resource'])
    expect(refused.errors[0]!.source).toEqual({ pointer: '/data/attributes/photo' })
    expect(refused.errors[0]!.detail).toContain('binary resource')
    const data = { type: 'paintings', id: 'p-1', links: { self: 'x', photo: null }, attributes: {} }
    const ignored = await send(
      'PATCH',
      '/api/paintings/p-1',
      { 'content-type': 'application/vnd.api+json' },
      JSON.stringify({ data }),
    )
    expect([ignored.status, ignored.etag]).toEqual([200, response.etag])
  })

  it('reach mappers without blob keys, wherever mappers put them', async () => {
    const blobs = memoryBlobs()
    const seen: unknown[] = []
    const service = createRouter({ policy: rest(), store: await make(), blobs, basePath: '/api' })
    service.prepare(Gallery)
    service.prepare(Painting).map((painting) => {
      seen.push(painting.photo, JSON.stringify(painting))
      const views = painting.views
        .filter((view) => view.caption !== 'whole')
        .map((view) => structuredClone({ ...view }))
      return { ...painting, views, papers: null, guide: { ...painting.photo, size: 7 } }
    })
    await service.load(Painting, [
      { id: 'p-1', title: 'x', views: [{ caption: 'whole' }, { caption: 'corner' }] },
    ])
    const load = (path: string, number: number) =>
      service.loadResource(
        Painting,
        { id: 'p-1', path: path },
        { bytes: png(number), contentType: 'image/png' },
      )
    await load('photo', 1)
    await load('views/1/scan', 2)
    await load('papers', 3)
    const response = await service.handle(new Request('http://localhost/api/paintings/p-1'))
    const { painting } = (await response.json()) as { painting: Record<string, unknown> }
    const facts = { contentType: 'image/png', size: 200, hash: sha256(png(1)), fileName: null }
    expect(painting).toMatchObject({
      photo: { href: photo, ...facts },
      views: [{ caption: 'corner', scan: { href: scan, ...facts, hash: sha256(png(2)) } }],
      papers: null,
      audioGuide: null,
    })
    expect(seen[0]).toEqual(facts)
    for await (const { key } of blobs.list()) expect(String(seen[1])).not.toContain(key)
    expect(Object.isFrozen(seen[0])).toBe(true)
  })
})

describe('Registration of binary resources is refused', () => {
  const register = (fields: () => Parameters<typeof model>[1], blobs = true) => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      ...(blobs && { blobs: memoryBlobs() }),
    })
    router.prepare(model('book', fields()))
    return router.rules
  }

  it.each([
    [
      'without a place for their bytes',
      () => register(() => ({ cover: image() }), false),
      ["'cover'", "'book'", 'blobs'],
    ],
    [
      'inside values, without a place for their bytes',
      () => register(() => ({ editions: list(struct({ scan: image() })) }), false),
      ["'editions'", 'blobs'],
    ],
    [
      'with no bytes at all',
      () => register(() => ({ cover: image({ maxBytes: 0 }) })),
      ['image()', 'maxBytes'],
    ],
    ['with no types', () => register(() => ({ cover: image({ types: [] }) })), ["'cover'", 'type']],
    [
      'with a type that is none',
      () => register(() => ({ cover: image({ types: ['PNG'] }) })),
      ["'PNG'", 'image/png'],
    ],
    [
      'hidden and read-only',
      () => register(() => ({ a: file({ hidden: true, readOnly: true }) })),
      ['hidden', 'readOnly'],
    ],
    [
      'inside values under another name',
      () => register(() => ({ a: struct({ b: file({ wire: 'c' }) }) })),
      ["'b'", "'a'", 'wire'],
    ],
    [
      'inside values, hidden',
      () => register(() => ({ a: struct({ b: file({ hidden: true }) }) })),
      ["'b'", 'hidden'],
    ],
    [
      'with variants of an unknown format',
      () => register(() => ({ a: image({ variants: { formats: ['bmp' as 'png'], sizes: [1] } }) })),
      ["'a'", "'bmp'", 'avif'],
    ],
    [
      'with variants of no size',
      () => register(() => ({ a: image({ variants: { formats: ['png'], sizes: [] } }) })),
      ["'a'", 'sizes'],
    ],
    [
      'with variants of an odd size',
      () => register(() => ({ a: image({ variants: { formats: ['png'], sizes: [0.5] } }) })),
      ["'a'", '0.5', 'pixels'],
    ],
    [
      'with variants of what is no image',
      () => register(() => ({ a: file({ variants: {} } as object) })),
      ['file()', "'variants'"],
    ],
    [
      'under the name of another',
      () => register(() => ({ a: image(), b: file({ wire: 'a' }) })),
      ["'a'", "'b'"],
    ],
  ])('%s', (_, refused, words) => {
    expect(refused).toThrow(RegistrationError)
    for (const word of words) expect(refused).toThrow(word)
  })

  it("called 'self' under JSON:API, where they are links", async () => {
    const { jsonApi } = await import('resourcery/json-api')
    const router = createRouter({ policy: jsonApi(), store: memory(), blobs: memoryBlobs() })
    router.prepare(model('book', { self: image() }))
    expect(() => router.rules).toThrow(/'self'.*'book'/)
  })

  it('at an address that is already used', async () => {
    const { jsonApi } = await import('resourcery/json-api')
    const { toOne } = await import('resourcery')
    const router = createRouter({ policy: jsonApi(), store: memory(), blobs: memoryBlobs() })
    router.prepare(
      model('book', {
        relationships: struct({ sequel: image() }),
        sequel: toOne('book', { optional: true }),
      }),
    )
    expect(() => router.rules).toThrow(
      /RelationshipGet.*'relationships.sequel'.*books\/:id\/relationships\/sequel/,
    )
  })

  it('in hidden and write-only values', async () => {
    const { field } = await import('resourcery')
    const scans = list(struct({ scan: image(), name: z.string() }))
    expect(() => register(() => ({ a: field(scans, { hidden: true }) }))).toThrow(/'a'.*hidden/)
    expect(() => register(() => ({ a: field(scans, { writeOnly: true }) }))).toThrow(
      /'a'.*writeOnly/,
    )
  })
})
