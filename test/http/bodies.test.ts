import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  codesOf,
  contents,
  get,
  type Problems,
  plainBody,
  send,
  sendPlain,
  shop,
  storeKinds,
  type TestResponse,
  tagOf,
  unchangingShop,
} from './service.ts'

const item = '/api/books/b1'
const author = JSON.stringify({ author: { name: 'New' } })

const firstOf = (response: TestResponse) => response.json<Problems>().errors[0]

describe('what is accepted', () => {
  test('N1: a client that accepts no JSON gets 406 with the supported types, and nothing is done', async () => {
    const router = await unchangingShop()
    const refused = [
      'text/html',
      'application/json;q=0',
      'text/*',
      '*/*;q=0',
      'application/vnd.api+json',
      'image/png, a/b',
    ]
    for (const accept of refused) {
      const headers = { accept }
      for (const response of [
        await get(router, item, headers),
        await get(router, '/api/books', headers),
        await send(router, 'POST', '/api/authors', { body: author, headers }),
        await send(router, 'PATCH', item, { json: { book: { price: 1 } }, headers }),
      ]) {
        expect([accept, response.status, codesOf(response)]).toEqual([
          accept,
          406,
          ['not-acceptable'],
        ])
        expect(firstOf(response)?.source).toEqual({ header: 'Accept' })
        expect(firstOf(response)?.meta).toEqual({ available: ['application/json'] })
      }
    }
  })

  test('N1: a client that accepts JSON among others gets JSON', async () => {
    const router = await shop()
    const accepted = [
      '*/*',
      'application/json',
      'Application/JSON',
      'application/*;q=0.5',
      'text/html, application/json;q=0.1',
      'text/html;q=0, */*',
      'application/json; charset=utf-8',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      '*/*;q=0, application/json',
    ]
    for (const accept of accepted) {
      const response = await get(router, item, { accept })
      expect([accept, response.status, response.headers.get('content-type')]).toEqual([
        accept,
        200,
        'application/json',
      ])
    }
  })

  test('N1: a malformed Accept never breaks the service', async () => {
    const router = await shop()
    const malformed = [
      '',
      ',',
      ';',
      'json',
      '*',
      '*/json',
      'a/b;q=high',
      '"',
      ';q=0',
      `${'a/b,'.repeat(20_000)}c/d`,
      '\xff/\xfe',
    ]
    for (const accept of malformed)
      expect([200, 406]).toContain((await get(router, item, { accept })).status)
  })

  test('N1: DELETE responds without a body, so any Accept is accepted', async () => {
    expect(
      (await send(await shop(), 'DELETE', '/api/labels/l1', { headers: { accept: 'text/html' } }))
        .status,
    ).toBe(204)
  })

  test('N2: every response has Vary: Accept', async () => {
    const router = await shop()
    const tag = await tagOf(router, item)
    const responses: [number, TestResponse][] = [
      [200, await get(router, item)],
      [200, await get(router, '/api/books')],
      [200, await get(router, '/api/books?page[size]=1')],
      [200, await send(router, 'HEAD', item)],
      [201, await send(router, 'POST', '/api/authors', { body: author })],
      [204, await send(router, 'DELETE', '/api/labels/l1')],
      [204, await send(router, 'OPTIONS', item)],
      [304, await get(router, item, { 'if-none-match': tag })],
      [400, await get(router, '/api/books?colour=red')],
      [400, await get(router, '/api/books/%zz')],
      [404, await get(router, '/api/books/none')],
      [404, await get(router, '/api/nowhere')],
      [405, await send(router, 'POST', item)],
      [406, await get(router, item, { accept: 'text/html' })],
      [412, await send(router, 'DELETE', item, { headers: { 'if-match': '"old"' } })],
      [
        415,
        await send(router, 'PATCH', item, {
          body: '{}',
          headers: { 'content-type': 'text/plain' },
        }),
      ],
      [422, await send(router, 'PATCH', item, { json: { book: { price: -1 } } })],
      [501, await send(router, 'FOO', item)],
    ]
    for (const [status, response] of responses) {
      expect(response.status).toBe(status)
      expect([status, response.headers.get('vary')?.split(/\s*,\s*/)]).toEqual([
        status,
        expect.arrayContaining(['Accept']),
      ])
      expect([status, response.headers.get('content-encoding')]).toEqual([status, null])
    }
  })
})

describe('media types of bodies', () => {
  const writes = [
    ['POST', '/api/authors', author],
    ['PUT', '/api/authors/a1', author],
    ['PATCH', '/api/authors/a1', author],
  ] as const

  test.each(writes)(
    'N4: %s %s with an unsupported or ambiguous media type is 415',
    async (...write) => {
      const [method, target, body] = write
      const router = await unchangingShop()
      const types = [
        'text/plain',
        'text/json',
        'application/json\tfoo',
        'application/json foo',
        'application/json;charset=latin1',
        'application/json; charset=utf-16',
        'application/json; charset=utf-8; charset=latin1',
        'application/json; charset="utf-8',
        'application/json, text/plain',
        'text/plain, application/json',
        'text/plain; application/json',
        'application /json',
        'application/json/x',
        'application/jsonx',
        'xapplication/json',
        '*/*',
        'application/*',
        'application/vnd.api+json',
        'application/problem+json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'json',
        ';',
      ]
      for (const type of types) {
        const response = await send(router, method, target, {
          body,
          headers: { 'content-type': type },
        })
        expect([type, response.status, codesOf(response)]).toEqual([
          type,
          415,
          ['unsupported-media-type'],
        ])
        expect(firstOf(response)?.source).toEqual({ header: 'Content-Type' })
      }
      for (const headers of [{}, { 'content-type': '' }]) {
        const response = await sendPlain(router, {
          method,
          path: target,
          headers,
          body: plainBody(body),
        })
        expect([headers, response.status]).toEqual([headers, 415])
      }
    },
  )

  test.each(writes)(
    'N4: %s %s accepts JSON in every spelling of its type',
    async (method, target, body) => {
      const router = await shop()
      const types = [
        'application/json',
        'Application/JSON; charset=utf-8',
        'application/json;charset=UTF-8',
        'application/json ; charset="utf-8"',
        'application/json;',
        'application/json; charset=utf-8;',
        'application/json; profile=x',
      ]
      for (const type of types) {
        const response = await send(router, method, target, {
          body,
          headers: { 'content-type': type },
        })
        expect([type, response.status]).toEqual([type, method === 'POST' ? 201 : 200])
      }
    },
  )

  test('N4: a merge patch is for PATCH only', async () => {
    const router = await shop()
    const headers = { 'content-type': 'application/merge-patch+json' }
    expect((await send(router, 'PATCH', '/api/authors/a1', { body: author, headers })).status).toBe(
      200,
    )
    expect((await send(router, 'PUT', '/api/authors/a1', { body: author, headers })).status).toBe(
      415,
    )
    expect((await send(router, 'POST', '/api/authors', { body: author, headers })).status).toBe(415)
  })

  test('N7: a compressed body is 415 with Accept-Encoding, and is not decompressed', async () => {
    const router = await shop()
    const before = await contents(router)
    for (const coding of [
      'gzip',
      'GZIP',
      'x-gzip',
      'deflate',
      'br',
      'zstd',
      'identity, gzip',
      'aws-chunked',
      'none',
      '',
    ]) {
      const response = await send(router, 'POST', '/api/authors', {
        body: gzipSync(author),
        headers: { 'content-encoding': coding },
      })
      expect([coding, response.status, codesOf(response)]).toEqual([
        coding,
        415,
        ['unsupported-encoding'],
      ])
      expect(response.headers.get('accept-encoding')).toBe('identity')
    }
    expect(await contents(router)).toBe(before)
    const plain = { body: author, headers: { 'content-encoding': 'Identity' } }
    expect((await send(router, 'POST', '/api/authors', plain)).status).toBe(201)
  })
})

describe.each(storeKinds)('bodies that are not well-formed, on the %s store', (kind) => {
  const writes = [
    ['POST', '/api/books'],
    ['PUT', item],
    ['PATCH', item],
  ] as const

  test.each(writes)(
    'N5: %s %s without a body, or with white space only, is 400',
    async (method, target) => {
      const router = await shop(kind)
      for (const body of ['', ' ', '\r\n\t ']) {
        const response = await send(router, method, target, { body })
        expect([response.status, codesOf(response)]).toEqual([400, ['empty-body']])
      }
      const none = await send(router, method, target)
      expect([none.status, codesOf(none)]).toEqual([400, ['empty-body']])
      const headers = { 'content-type': 'application/json', 'content-length': '0' }
      const plain = await sendPlain(router, { method, path: target, headers, body: plainBody('') })
      expect([plain.status, codesOf(plain)]).toEqual([400, ['empty-body']])
    },
  )

  test.each(writes)(
    'N5: %s %s with JSON of another shape is 400 with a pointer',
    async (method, target) => {
      const router = await unchangingShop(kind)
      const wrong: [unknown, string][] = [
        [null, ''],
        [[], ''],
        ['x', ''],
        [1, ''],
        [true, ''],
        [{}, ''],
        [[{ book: {} }], ''],
        [{ title: 'Unwrapped' }, '/title'],
        [{ books: [{ title: 'Plural' }] }, '/books'],
        [{ Book: {} }, '/Book'],
        [{ book: null }, '/book'],
        [{ book: [] }, '/book'],
        [{ book: 'x' }, '/book'],
        [{ book: {}, author: {} }, '/author'],
        [{ book: {}, meta: {} }, '/meta'],
      ]
      for (const [json, pointer] of wrong) {
        const response = await send(router, method, target, { json })
        expect([json, response.status, codesOf(response)]).toEqual([
          json,
          400,
          ['invalid-document'],
        ])
        expect(firstOf(response)?.source).toEqual({ pointer })
      }
    },
  )

  test.each(writes)(
    'N5: %s %s with malformed JSON is 400 with the position',
    async (method, target) => {
      const router = await unchangingShop(kind)
      const whole = JSON.stringify({ book: { title: 'T', price: 1, author: 'a1' } })
      const wrong: [string, number | undefined][] = [
        [`${whole}x`, whole.length],
        [`${whole}\n{}`, whole.length + 1],
        [`${whole},`, whole.length],
        [whole.slice(0, -1), whole.length - 1],
        [`x${whole}`, 0],
        ["{'book':{}}", 1],
        ['{"book":{"title":"T",}}', undefined],
        ['{"book":{"price":01}}', undefined],
        ['{"book":{"price":+1}}', undefined],
        ['{"book":{"price":.5}}', undefined],
        ['{"book":{"price":NaN}}', undefined],
        ['{"book":{"price":Infinity}}', undefined],
        ['{"book":{"title":undefined}}', undefined],
        ['{"book":{"title":"\n"}}', undefined],
        ['{"book":{"title":"\\x41"}}', undefined],
        ['/* c */{"book":{}}', 0],
        ['{"book":{}}//', 11],
        ['{"book":{"tags":[1,]}}', undefined],
        ['\u00a0{"book":{}}', 0],
      ]
      for (const [body, offset] of wrong) {
        const response = await send(router, method, target, { body })
        expect([body, response.status, codesOf(response)]).toEqual([body, 400, ['malformed-json']])
        if (offset !== undefined)
          expect([body, firstOf(response)?.meta]).toEqual([body, { offset }])
      }
    },
  )

  test.each(writes)(
    'N5: %s %s with a byte order mark or bytes that are not UTF-8 is 400',
    async (method, target) => {
      const router = await unchangingShop(kind)
      const whole = JSON.stringify({ book: { title: 'T', price: 1, author: 'a1' } })
      const bodies = [
        Buffer.from(`\ufeff${whole}`),
        Buffer.from(whole, 'utf16le'),
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(whole, 'utf16le')]),
        Buffer.from(whole.replace('"T"', '"é"'), 'latin1'),
        ...[[0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80], [0xe2, 0x82]].map(
          (bytes) =>
            Buffer.concat([
              Buffer.from('{"book":{"title":"'),
              Buffer.from(bytes),
              Buffer.from('"}}'),
            ]),
        ),
      ]
      for (const body of bodies) {
        const response = await send(router, method, target, { body })
        expect([body.toString('hex'), response.status, codesOf(response)]).toEqual([
          body.toString('hex'),
          400,
          ['malformed-json'],
        ])
      }
    },
  )

  test('N5: all errors of a body are reported at once', async () => {
    const router = await shop(kind)
    const book = {
      title: '',
      price: -1,
      pages: 0,
      colour: 'red',
      author: { id: 'a1' },
      genres: [1],
    }
    const structural = (
      await send(router, 'POST', '/api/books', { json: { book } })
    ).json<Problems>()
    expect(structural.errors.map((error) => error.source?.pointer)).toEqual(
      expect.arrayContaining(['/book/colour', '/book/author', '/book/genres/0']),
    )
    const values = { title: '', price: -1, pages: 0, author: 'a1' }
    const invalid = await send(router, 'POST', '/api/books', { json: { book: values } })
    expect(invalid.status).toBe(422)
    expect(invalid.json<Problems>().errors.map((error) => error.source?.pointer)).toEqual([
      '/book/title',
      '/book/price',
      '/book/pages',
    ])
  })
})

describe('bodies that are too large', () => {
  const limit = 1_000

  function endless(): {
    stream: ReadableStream<Uint8Array>
    pulled: () => number
    cancelled: () => boolean
  } {
    let pulled = 0
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled++
          controller.enqueue(new Uint8Array(100).fill(0x20))
        },
        cancel() {
          cancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    return { stream, pulled: () => pulled, cancelled: () => cancelled }
  }

  function upload(
    stream: ReadableStream<Uint8Array>,
    headers: Record<string, string> = {},
  ): Request {
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: stream,
      duplex: 'half',
    }
    return new Request('http://localhost/api/authors', init)
  }

  test('N6: an endless body is 413, and is read up to the limit only', async () => {
    const router = await shop('memory', { limits: { maxBodyBytes: limit } })
    const { stream, pulled, cancelled } = endless()
    const response = await router.handle(upload(stream))
    expect(response.status).toBe(413)
    const problems = (await response.json()) as Problems
    expect(problems.errors).toMatchObject([{ code: 'body-too-large', meta: { limit } }])
    expect(pulled()).toBeLessThanOrEqual(limit / 100 + 1)
    expect(cancelled()).toBe(true)
  })

  test('N6: a body that declares too large a length is 413 before it is read', async () => {
    const router = await shop('memory', { limits: { maxBodyBytes: limit } })
    const { stream, pulled } = endless()
    expect(
      (await router.handle(upload(stream, { 'content-length': String(limit + 1) }))).status,
    ).toBe(413)
    expect(pulled()).toBe(0)
  })

  test('N6: a body of exactly the limit is accepted, and one byte more is not', async () => {
    const router = await shop('memory', { limits: { maxBodyBytes: limit } })
    const body = author.padEnd(limit)
    expect((await send(router, 'POST', '/api/authors', { body })).status).toBe(201)
    expect((await send(router, 'POST', '/api/authors', { body: `${body} ` })).status).toBe(413)
  })

  test('N6: the limit is a mebibyte by default', async () => {
    const router = await shop()
    expect(
      (await send(router, 'POST', '/api/authors', { body: author.padEnd(1_048_576) })).status,
    ).toBe(201)
    expect(
      (await send(router, 'POST', '/api/authors', { body: author.padEnd(1_048_577) })).status,
    ).toBe(413)
  })

  test('N6: a body that is refused for another reason is not read at all', async () => {
    const router = await shop()
    const { stream, pulled } = endless()
    expect((await router.handle(upload(stream, { 'content-type': 'text/plain' }))).status).toBe(415)
    expect(pulled()).toBe(0)
  })
})

describe('spellings of paths', () => {
  test('N14: an encoded letter equals that letter, and an encoded slash stays within its segment', async () => {
    const router = await shop()
    expect((await get(router, '/api/books/%62%31')).text).toBe((await get(router, item)).text)
    expect((await get(router, '/api/%62ooks/b1')).status).toBe(200)
    for (const target of [
      '/api/books%2Fb1',
      '/api/books/x%2Fb1',
      '/api/books/b1%2F',
      '/api/books/%2Fb1',
    ])
      expect([target, (await get(router, target)).status]).toEqual([target, 404])
  })

  test('N14: other spellings of an address are other addresses', async () => {
    const router = await shop()
    const paths = [
      '/api/books/',
      '/api/books//',
      '/api//books',
      '//api/books',
      '/api/books//b1',
      '/api/books/b1/',
      '/api/./books',
      '/api/books/./b1',
      '/api/books/x/../b1',
      '/api/authors/../books',
      '/api/books/%2e/b1',
      '/api/books/x/%2e%2e/b1',
      '/api/books/b1;x=1',
      '/api/books;x/b1',
      '/api/books;/b1',
      '/api/Books',
      '/API/books',
      '/api/BOOKS/b1',
      '/api/books/B1',
      '/api/books/b1%20',
      '/api/books/%20b1',
      '/api/books/b1.json',
      '/api/books.json',
      '/api\\books',
      '/api/books\\b1',
      '/api/books/b1%00',
      '/api/books/%00',
      '/api/ｂooks',
      '/api/books/b１',
      'api/books',
      '',
    ]
    for (const path of paths) {
      const response = await sendPlain(router, { path })
      expect([path, response.status, codesOf(response)]).toEqual([path, 404, ['not-found']])
    }
  })

  test('N14: a path that is not percent-encoded UTF-8 is 400', async () => {
    const router = await shop()
    for (const bad of [
      '%zz',
      '%',
      '%1',
      '%c0%af',
      '%c1%a1',
      '%ed%a0%80',
      '%ff',
      '%e2%82',
      '%f4%90%80%80',
      '%u0062',
    ]) {
      for (const path of [`/api/books/${bad}`, `/api/${bad}/b1`, `/api/books/b1/${bad}`]) {
        const response = await sendPlain(router, { path })
        expect([path, response.status, codesOf(response)]).toEqual([path, 400, ['malformed-path']])
      }
    }
  })

  test('N14: names that objects inherit are neither collections nor items', async () => {
    const router = await shop()
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'prototype',
      'valueOf',
      ':id',
    ]) {
      expect((await get(router, `/api/${name}`)).status).toBe(404)
      expect((await get(router, `/api/${name}/b1`)).status).toBe(404)
      expect((await get(router, `/api/books/${name}`)).status).toBe(404)
      expect((await get(router, `/api/books/b1/${name}`)).status).toBe(404)
    }
  })

  test('N14: a very long path gets a response', async () => {
    const router = await shop()
    expect((await sendPlain(router, { path: `/api/books/${'x'.repeat(100_000)}` })).status).toBe(
      404,
    )
    expect((await sendPlain(router, { path: '/api/books'.repeat(10_000) })).status).toBe(404)
    expect((await sendPlain(router, { path: '/'.repeat(100_000) })).text.length).toBeLessThan(2_000)
  })
})

describe('query strings', () => {
  test('N15: an unknown parameter is 400 on every operation, and the error names it', async () => {
    const router = await unchangingShop()
    for (const [method, target, json] of [
      ['GET', '/api/books', undefined],
      ['HEAD', '/api/books', undefined],
      ['GET', item, undefined],
      ['POST', '/api/authors', { author: { name: 'New' } }],
      ['PATCH', item, { book: { price: 1 } }],
      ['PUT', item, { book: { title: 'x', price: 1, author: 'a1' } }],
      ['DELETE', item, undefined],
    ] as const) {
      for (const key of [
        'colour',
        '_',
        'Filter',
        'SORT',
        'filters',
        'page_size',
        '__proto__',
        'constructor',
        'toString',
      ]) {
        const response = await send(router, method, `${target}?${key}=1`, json ? { json } : {})
        expect([method, key, response.status]).toEqual([method, key, 400])
        if (method === 'HEAD') continue
        expect(codesOf(response)).toEqual(['unknown-parameter'])
        expect(firstOf(response)?.source).toEqual({ parameter: key })
      }
    }
  })

  test('N15: parameters of lists are unknown to items', async () => {
    const router = await shop()
    for (const query of ['filter[title]=x', 'sort=title', 'page[size]=1', 'withCount=true'])
      expect((await get(router, `${item}?${query}`)).status).toBe(400)
  })

  test('N15: a parameter given twice is 400, also when the brackets are spelled differently', async () => {
    const router = await shop()
    const queries = [
      'sort=title&sort=price',
      'filter[title]=a&filter[title]=b',
      'filter[title]=a&filter%5Btitle%5D=b',
      'filter[title][ne]=a&filter[title][ne]=a',
      'page[size]=1&page[size]=2',
      'include=author&include=genres',
      'withCount=true&withCount=false',
      'fields[books]=title&fields[books]=price',
      'filter=eq(title,%27a%27)&filter=eq(title,%27b%27)',
      's%6Frt=title&sort=price',
    ]
    for (const query of queries) {
      const response = await get(router, `/api/books?${query}`)
      expect([query, response.status, codesOf(response)]).toEqual([
        query,
        400,
        ['repeated-parameter'],
      ])
    }
  })

  test('N15: brackets that hold nothing, or names that objects inherit, are 400', async () => {
    const router = await shop()
    const keys = [
      'filter[]',
      'filter[][]',
      'filter[title][]',
      'filter[title][eq][]',
      'filter[__proto__]',
      'filter[__proto__][polluted]',
      'filter[constructor][prototype]',
      'filter[title][__proto__]',
      'filter[title][constructor]',
      'filter[title][toString]',
      'filter[toString]',
      'sort[]',
      'sort[title]',
      'include[]',
      'include[author]',
      'page[]',
      'page',
      'page[__proto__]',
      'page[constructor]',
      'page[size][gt]',
      'fields',
      'fields[]',
      'fields[__proto__]',
      'fields[books][title]',
      'withCount[]',
      '[filter]',
      'filter[title',
      'filter]title[',
      'filter[[title]]',
      'filter[title]x',
      'filter.title',
      'filter[title.__proto__]',
      'filter[author.__proto__]',
      'filter[dimensions.constructor]',
    ]
    for (const key of keys) {
      for (const spelled of [key, encodeURIComponent(key)]) {
        const response = await get(router, `/api/books?${spelled}=x`)
        expect([spelled, response.status, codesOf(response).length > 0]).toEqual([
          spelled,
          400,
          true,
        ])
      }
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('N15: too many, too long and too large parameters are 400', async () => {
    const router = await shop()
    const many = Array.from({ length: 100_000 }, (_, index) => `k${index}=1`).join('&')
    const few = Array.from({ length: 2_000 }, (_, index) => `k${index}`).join('&')
    for (const query of [
      many,
      few,
      `sort=${'x'.repeat(40_000)}`,
      `${'k'.repeat(10_000)}=1`,
      '&'.repeat(40_000),
    ]) {
      const response = await sendPlain(router, { path: '/api/books', query })
      expect([query.slice(0, 20), response.status]).toEqual([query.slice(0, 20), 400])
      expect(codesOf(response)).toContain('limit-exceeded')
      expect(response.text.length).toBeLessThan(5_000)
    }
  })

  test('N15: a query string that is not percent-encoded UTF-8 is 400', async () => {
    const router = await shop()
    for (const bad of ['%zz', '%', '%c0%af', '%ed%a0%80', '%ff', '\ud800']) {
      for (const query of [`filter[title]=${bad}`, `${bad}=1`, `filter[${bad}]=1`, `sort=${bad}`]) {
        const response = await sendPlain(router, { path: '/api/books', query })
        expect([query, response.status, codesOf(response)]).toEqual([
          query,
          400,
          ['malformed-query'],
        ])
      }
    }
  })

  test('N15: all errors of a query string are reported at once', async () => {
    const response = await get(
      await shop(),
      '/api/books?colour=red&sort=nothing&filter[nothing]=1&page[size]=0',
    )
    expect(response.status).toBe(400)
    expect([...codesOf(response)].sort()).toEqual([
      'invalid-page',
      'unknown-field',
      'unknown-field',
      'unknown-parameter',
    ])
  })

  test('N15: limits on pages, sort keys, includes, filters and their values are 400, and name the limit', async () => {
    const router = await shop()
    const values = Array.from({ length: 501 }, (_, index) => index).join(',')
    const deep = `${'not('.repeat(17)}eq(price,1)${')'.repeat(17)}`
    const wide = `or(${Array.from({ length: 120 }, () => 'eq(price,1)').join(',')})`
    const queries = [
      'page[size]=1001',
      'page[limit]=1001',
      'page[offset]=1000001',
      'page[number]=99999999',
      `sort=${Array.from({ length: 9 }, () => 'title').join(',')}`,
      `include=${Array.from({ length: 21 }, () => 'author').join(',')}`,
      'include=author.books.author.books.author',
      `filter[price][in]=${values}`,
      `filter=${encodeURIComponent(wide)}`,
      `filter[title][like]=${encodeURIComponent('%a'.repeat(17))}`,
    ]
    for (const query of queries) {
      const response = await get(router, `/api/books?${query}`)
      expect([query.slice(0, 60), response.status]).toEqual([query.slice(0, 60), 400])
      expect(firstOf(response)?.meta?.limit).toBeTypeOf('number')
    }
    expect((await get(router, `/api/books?filter=${encodeURIComponent(deep)}`)).status).toBe(400)
  })
})
