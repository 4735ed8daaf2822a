import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { form, type GalleryService, galleryService, png, policies } from '../support/resources.ts'

/** FUZZ_RUNS=20000 for the long form. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 250)

const hostile = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    '"',
    'x',
    '__proto__',
    'bytes=',
    'a'.repeat(4_000),
    '\u00ff\u0080',
    ',;=',
    '""',
    '0',
    '-1',
    '%0d%0a',
  ),
  fc.string({
    unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)),
    maxLength: 40,
  }),
)

const headers = fc.record(
  {
    range: fc.oneof(
      hostile,
      fc.tuple(fc.nat(300), fc.nat(300)).map(([from, to]) => `bytes=${from}-${to}`),
      fc.nat(9).map((n) => `bytes=-${n}`),
    ),
    'if-range': hostile,
    'if-match': fc.oneof(hostile, fc.constant('*')),
    'if-none-match': fc.oneof(hostile, fc.constant('*')),
    'content-type': fc.oneof(
      hostile,
      fc.constantFrom(
        'image/png',
        'text/plain',
        'application/octet-stream',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        'image/png; charset=x',
        'IMAGE/PNG',
      ),
    ),
    'content-disposition': fc.oneof(
      hostile,
      hostile.map((name) => `attachment; filename="${name}"; filename*=UTF-8''${name}`),
    ),
    'content-digest': fc.oneof(
      hostile,
      fc.base64String().map((text) => `sha-256=:${text}:`),
    ),
    'want-repr-digest': hostile,
    'content-encoding': fc.constantFrom('gzip', 'identity', 'x'),
    accept: fc.oneof(hostile, fc.constant('image/*')),
    cookie: hostile,
  },
  { requiredKeys: [] },
)

const places = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'photo',
      'papers',
      'notes',
      'audioGuide',
      'stamp',
      'secret',
      'views/0/scan',
      'views/1/scan',
      'border/photo',
    ),
  },
  { weight: 1, arbitrary: hostile.map((text) => `views/${encodeURIComponent(text)}/scan`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'photo/png/64',
      'photo/',
      'views',
      'views/0',
      'border',
      '%2e%2e/p-2/photo',
      'photo%00',
      'photo;x=1',
      '..%2fphoto',
    ),
  },
)

const bodies = fc.oneof(
  fc.constant(undefined),
  fc.uint8Array({ maxLength: 300 }),
  fc.nat(50).map((number) => png(number)),
  fc.constant(png(1, 120_000)),
  fc.tuple(hostile, hostile).map(([name, type]) => form('photo', png(3), name, type)),
  fc
    .tuple(fc.constantFrom('photo', 'scan', 'x'), fc.nat(400))
    .map(([field, cut]) => form(field, png(4), 'a.png', 'image/png').subarray(0, cut)),
)

const requests = fc.record({
  method: fc.constantFrom(
    'GET',
    'GET',
    'HEAD',
    'POST',
    'POST',
    'POST',
    'DELETE',
    'PUT',
    'PATCH',
    'OPTIONS',
  ),
  id: fc.constantFrom('p-1', 'p-1', 'p-1', 'p-2', 'p-9', '..', '%20'),
  place: places,
  query: fc.constantFrom('', '', '?x', '?fields[paintings]=photo', '?include=gallery'),
  headers,
  body: bodies,
})

describe.each(policies)('Any requests to binary resources under $policy', ({ policy }) => {
  it('never cause a 5xx, and leave exactly the blobs that items reference', async () => {
    const service = await galleryService(policy)
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 8 }), async (all) => {
        const statuses = await Promise.all(
          all.map(async ({ method, id, place, query, headers, body }) => {
            const sendable = method === 'GET' || method === 'HEAD' ? undefined : body
            const bytes = sendable && new Uint8Array(sendable)
            const response = await service.send(
              method,
              `/api/paintings/${id}/${place}${query}`,
              headers,
              bytes,
            )
            for (const [, value] of response.headers) expect(value).not.toMatch(/[\0\r\n]/)
            return response.status
          }),
        )
        expect(statuses.filter((status) => status >= 500)).toEqual([])
        expect(await service.keys()).toHaveLength(await countTold(service))
      }),
      { numRuns, examples: [] },
    )
  })
})

async function countTold(service: GalleryService): Promise<number> {
  let described = 0
  for (const id of ['p-1', 'p-2']) {
    const response = await service.get(`/api/paintings/${id}`)
    for (const path of [
      'photo',
      'papers',
      'notes',
      'audioGuide',
      'stamp',
      'views/0/scan',
      'views/1/scan',
      'border/photo',
    ])
      if (service.resourceIn(response, path)) described++
  }
  return described
}
