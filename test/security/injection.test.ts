import { createRouter, hash, model, type Router } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  codesOf,
  contents,
  failOnFault,
  get,
  type Listing,
  type OpenedStore,
  openStore,
  type Problems,
  plainBody,
  send,
  sendPlain,
  shop,
  shopOn,
  stock,
  storeForTest,
  storeKinds,
  type TestResponse,
  unchangingShop,
} from '../http/service.ts'

const encode = encodeURIComponent
const isPolluted = () => ['polluted', 'isAdmin', 'status'].some((name) => name in {})
const leaks =
  /sqlite|syntax error|no such (?:column|table|function)|select |json_extract|\bat .+:\d+:\d+|node_modules/i

/** Text with a meaning in some SQL dialect. */
const payloads = [
  "'",
  "''",
  "' OR '1'='1",
  "' OR 1=1 --",
  "'; DROP TABLE book; --",
  "') OR ('1'='1",
  "x' UNION SELECT name FROM sqlite_master --",
  '"',
  '" OR "1"="1',
  '"; DELETE FROM book; --',
  '`',
  '[title]',
  '\\',
  "\\'",
  '--',
  '/*',
  '*/',
  '/**/OR/**/1=1',
  ';',
  '?',
  '?1',
  ':id',
  '@id',
  '$1',
  '$$',
  '$tag$x$tag$',
  '%',
  '_',
  '%%%',
  '1::int',
  'title::text',
  "json_extract(text,'$.title')",
  "text->>'title'",
  '$.title',
  '$."title"',
  '$[0]',
  '(SELECT 1)',
  'CAST(1 AS TEXT)',
  'randomblob(1000000000)',
  "load_extension('x')",
  'NULL',
  'null',
  'rowid',
  'ROWID',
  'sqlite_master',
  '0x41',
  '1;1',
  'a\nb',
  'a\rb',
  '\u2019',
  'ʼ',
  '＇',
  '\u0008',
]

describe.each(storeKinds)('text that means something in SQL, on the %s store', (kind) => {
  let opened: OpenedStore
  let router: Router
  beforeAll(async () => {
    opened = await openStore(kind)
    router = shopOn(opened.store)
    await stock(router)
  })
  afterAll(() => opened.dispose())

  const refused = async (query: string, codes: readonly string[]) => {
    const response = await get(router, `/api/books?${query}`)
    expect([query, response.status]).toEqual([query, 400])
    for (const code of codesOf(response))
      expect([query, codes]).toEqual([query, expect.arrayContaining([code])])
    expect(
      response
        .json<Problems>()
        .errors.map((error) => error.title)
        .join(),
    ).not.toMatch(leaks)
  }

  test('3.3: as a field name, wherever one is accepted, is 400', async () => {
    const before = await contents(router)
    for (const payload of payloads) {
      const name = encode(payload)
      const codes = [
        'unknown-field',
        'unknown-parameter',
        'malformed-query',
        'invalid-sort',
        'invalid-filter',
      ]
      await refused(`filter[${name}]=1`, codes)
      await refused(`filter[author.${name}]=1`, codes)
      await refused(`filter[dimensions.${name}]=1`, codes)
      await refused(`filter[title${name}]=1`, codes)
      await refused(`sort=${name}`, codes)
      await refused(`sort=-title${name}`, codes)
      await refused(`sort=author.${name}`, codes)
      await refused(`fields[books]=${name}`, codes)
      await refused(`fields[${name}]=title`, codes)
      await refused(`include=${name}`, ['invalid-include'])
      await refused(`include=author.${name}`, ['invalid-include'])
      await refused(`${name}=1`, codes)
    }
    expect(await contents(router)).toBe(before)
  })

  test('3.3: as an operator, a direction, a page or an expression, is 400', async () => {
    const before = await contents(router)
    for (const payload of payloads) {
      const text = encode(payload)
      await refused(`filter[title][${text}]=1`, [
        'unknown-operator',
        'malformed-query',
        'unknown-parameter',
      ])
      await refused(`filter[title][eq${text}]=1`, [
        'unknown-operator',
        'malformed-query',
        'unknown-parameter',
      ])
      await refused(`filter=${text}`, ['invalid-filter', 'unknown-field'])
      await refused(`filter=${encode(`eq(title,${payload})`)}`, [
        'invalid-filter',
        'invalid-value',
        'unknown-field',
      ]).catch((error: unknown) => {
        // These are values, not SQL.
        if (!["''", 'NULL', 'null', '1'].includes(payload)) throw error
      })
      await refused(`filter=${encode(`eq(${payload},'x')`)}`, ['invalid-filter', 'unknown-field'])
      await refused(`filter=${encode(`${payload}(title,'x')`)}`, [
        'invalid-filter',
        'unknown-operator',
      ])
      await refused(`sort=title ${text}`, ['unknown-field'])
      await refused(`sort=title,${text}`, ['unknown-field', 'invalid-sort'])
      for (const member of ['size', 'number', 'limit', 'offset'])
        await refused(`page[${member}]=${text}`, ['invalid-page'])
      for (const member of ['after', 'before']) {
        await refused(`page[${member}]=${text}`, ['invalid-cursor'])
        await refused(`sort=title&page[${member}]=p${Buffer.from(payload).toString('base64url')}`, [
          'invalid-cursor',
        ])
      }
      await refused(`page[${text}]=1`, ['unknown-parameter', 'malformed-query', 'invalid-page'])
      await refused(`withCount=${text}`, ['invalid-value'])
      await refused(`filter[price]=${text}`, ['invalid-value'])
      await refused(`filter[price][in]=1,${text}`, ['invalid-value'])
      await refused(`filter[inStock]=${text}`, ['invalid-value'])
      await refused(`filter[publishedAt]=${text}`, ['invalid-value'])
    }
    expect(await contents(router)).toBe(before)
  })

  test('3.3: as a value, is only that value', async () => {
    for (const [index, payload] of payloads.entries()) {
      const json = {
        book: {
          id: `t${index}`,
          title: payload,
          price: 1,
          author: 'a1',
          isbn: `i${payload}`,
          tags: [payload],
        },
      }
      const created = await send(router, 'POST', '/api/books', { json })
      expect([payload, created.status, created.json().book?.title]).toEqual([payload, 201, payload])
    }
    for (const [index, payload] of payloads.entries()) {
      const text = encode(payload)
      const quoted = payload.replaceAll("'", "''")
      const idsOf = async (query: string) => {
        const response = await get(router, `/api/books?${query}&fields[books]=title`)
        expect([query, response.status]).toEqual([query, 200])
        return response.json<Listing>().books!.map((book) => book.id)
      }
      for (const query of [
        `filter[title]=${text}`,
        `filter[title][eq]=${text}`,
        `filter=${encode(`eq(title,'${quoted}')`)}`,
        `filter=${encode(`not(not(in(title,'${quoted}')))`)}`,
        `filter[isbn]=i${text}`,
        `filter[isbn][endsWith]=${text}&filter[title]=${text}`,
        `filter[title][startsWith]=${text}&filter[title]=${text}`,
        `filter[title][contains]=${text}&filter[title]=${text}`,
        ...(payload.includes(',')
          ? []
          : [
              `filter[tags][any]=${text}`,
              `filter[title][in]=${text}`,
              `filter[tags][all]=${text}`,
            ]),
      ])
        expect([query, await idsOf(query)]).toEqual([query, [`t${index}`]])
      expect(await idsOf(`filter[id]=${text}`)).toEqual([])
      expect(await idsOf(`filter[author]=${text}`)).toEqual([])
      expect(await idsOf(`filter[genres][any]=${text}`)).toEqual([])
      expect(await idsOf(`filter[author.name]=${text}`)).toEqual([])
    }
    for (const index of payloads.keys())
      expect((await send(router, 'DELETE', `/api/books/t${index}`)).status).toBe(204)
  })

  test('3.3: as an id, in a path or a relation, is the id of no item', async () => {
    const before = await contents(router)
    for (const payload of payloads) {
      const id = encode(payload)
      for (const method of ['GET', 'DELETE']) {
        const response = await sendPlain(router, { method, path: `/api/books/${id}` })
        expect([method, payload, response.status]).toEqual([method, payload, 404])
      }
      const headers = { 'content-type': 'application/json' }
      const patch = await sendPlain(router, {
        method: 'PATCH',
        path: `/api/books/${id}`,
        headers,
        body: plainBody('{"book":{}}'),
      })
      expect([payload, patch.status]).toEqual([payload, 404])
      for (const book of [{ author: payload }, { genres: [payload] }, { publisher: payload }]) {
        const response = await send(router, 'PATCH', '/api/books/b1', { json: { book } })
        expect([book, response.status, codesOf(response)]).toEqual([
          book,
          422,
          ['related-not-found'],
        ])
      }
      const member = await send(router, 'PATCH', '/api/books/b1', {
        json: { book: { [payload]: 1 } },
      })
      expect([payload, member.status, codesOf(member)]).toEqual([payload, 422, ['unknown-member']])
      const wrapper = await send(router, 'POST', '/api/books', { json: { [payload]: {} } })
      expect([payload, wrapper.status]).toEqual([payload, 400])
      const tag = await sendPlain(router, {
        method: 'DELETE',
        path: '/api/books/b1',
        headers: { 'if-match': payload === '*' ? '' : payload },
      })
      expect([payload, tag.status]).toEqual([payload, 412])
    }
    expect(await contents(router)).toBe(before)
  })

  test('3.3: wildcards are wildcards in like, and literal everywhere else', async () => {
    const titles = ['100%', '100x', 'a_c', 'abc', '%', '_', 'a\\%c', '*', 'A_C']
    await router.load(
      (await import('../http/service.ts')).Book,
      titles.map((title, index) => ({ id: `y${index}`, title, price: 77, author: 'a1' })),
    )
    const idsOf = async (operator: string, value: string) =>
      (await get(router, `/api/books?filter[price]=77&filter[title][${operator}]=${encode(value)}`))
        .json<Listing>()
        .books!.map((book) => book.title)
    expect(await idsOf('contains', '%')).toEqual(['100%', '%', 'a\\%c'])
    expect(await idsOf('startsWith', '_')).toEqual(['_'])
    expect(await idsOf('endsWith', '%')).toEqual(['100%', '%'])
    expect(await idsOf('like', 'a_c')).toEqual(['a_c', 'abc'])
    expect(await idsOf('like', '100%')).toEqual(['100%', '100x'])
    expect(await idsOf('like', '*')).toEqual(['*'])
    expect(await idsOf('contains', '\\')).toEqual(['a\\%c'])
    for (const index of titles.keys()) await send(router, 'DELETE', `/api/books/y${index}`)
  })

  test('3.3: a pattern full of wildcards gets a response normally, or refused', async () => {
    await send(router, 'POST', '/api/reviews', {
      json: { review: { id: 'bomb', rating: 1, text: 'a'.repeat(2_000), book: 'b1' } },
    })
    for (const pattern of [
      '%a%a%a%a%a%a%a%b',
      `${'%a'.repeat(15)}b`,
      `${'_'.repeat(16)}b`,
      `%${'a'.repeat(97)}%b`,
      `${'%'.repeat(16)}b`,
    ]) {
      const response = await get(router, `/api/reviews?filter[text][like]=${encode(pattern)}`)
      expect([pattern.slice(0, 20), response.status, response.json<Listing>().reviews]).toEqual([
        pattern.slice(0, 20),
        200,
        [],
      ])
    }
    for (const pattern of ['%a'.repeat(17), '_'.repeat(17), 'a'.repeat(101), '%'.repeat(30_000)])
      expect(
        (await get(router, `/api/reviews?filter[text][like]=${pattern.replaceAll('%', '%25')}`))
          .status,
      ).toBe(400)
    await send(router, 'DELETE', '/api/reviews/bomb')
  })

  test('3.3: NUL and lone surrogates, in parameters, paths and bodies, are refused and never stored', async () => {
    const before = await contents(router)
    for (const query of [
      'filter[title]=a%00b',
      'filter[%00]=1',
      'sort=%00',
      'include=%00',
      'fields[books]=%00',
      '%00=1',
      'page[after]=%00',
    ]) {
      const response = await get(router, `/api/books?${query}`)
      expect([query, response.status]).toEqual([query, 400])
    }
    for (const text of ['\ud800', '\udc00', 'a\udfffb']) {
      for (const query of [
        `filter[title]=${text}`,
        `sort=${text}`,
        `filter=eq(title,'${text}')`,
        `${text}=1`,
      ])
        expect((await sendPlain(router, { path: '/api/books', query })).status).toBe(400)
      expect([400, 404]).toContain((await sendPlain(router, { path: `/api/books/${text}` })).status)
    }
    for (const [method, target] of [
      ['POST', '/api/books'],
      ['PATCH', '/api/books/b1'],
      ['PUT', '/api/books/b1'],
    ] as const) {
      for (const member of [
        '"title":"a\\u0000b"',
        '"title":"\\ud800"',
        '"title":"\\udc00\\ud800"',
        '"tags":["\\u0000"]',
        '"\\u0000":1',
        '"\\udead":1',
        '"dimensions":{"\\u0000":1}',
        '"id":"\\u0000"',
        '"author":"\\ud800"',
        '"genres":["\\u0000"]',
      ]) {
        const response = await send(router, method, target, { body: `{"book":{${member}}}` })
        expect([method, member, response.status, codesOf(response)]).toEqual([
          method,
          member,
          400,
          ['malformed-json'],
        ])
      }
    }
    expect(await contents(router)).toBe(before)
  })

  test('3.3: all other text is returned as it was sent', async () => {
    const titles = [
      '日本語',
      '𝕊𝕢𝕝',
      'e\u0301',
      '\u00e9',
      '\u202eabc',
      '\u200b',
      '\ufeff',
      '\ufffd',
      '\ufffe',
      '\u2028',
      'ß',
      'İ',
      '\u0001',
      '😀'.repeat(50),
    ]
    for (const [index, title] of titles.entries()) {
      const created = await send(router, 'POST', '/api/books', {
        json: { book: { id: `u${index}`, title, price: 1, author: 'a1' } },
      })
      expect([title, created.status]).toEqual([title, 201])
      expect((await get(router, `/api/books/u${index}`)).json().book?.title).toBe(title)
      const ids = (await get(router, `/api/books?filter[title]=${encode(title)}`)).json<Listing>()
        .books
      expect([title, ids?.map((book) => book.id)]).toEqual([title, [`u${index}`]])
    }
    for (const index of titles.keys()) await send(router, 'DELETE', `/api/books/u${index}`)
  })

  test('3.3: numbers beyond double precision are refused, and others are returned as they were', async () => {
    const before = await contents(router)
    for (const number of [
      '9007199254740993',
      '-9007199254740993',
      '1e400',
      '-1e400',
      '1e-400',
      '12345678901234567890',
      '1e309',
      '123456789012345678901234567890.5e10',
    ]) {
      for (const member of [
        `"price":${number}`,
        `"dimensions":{"width":${number},"height":1}`,
        `"pages":${number}`,
      ]) {
        const response = await send(router, 'PATCH', '/api/books/b1', {
          body: `{"book":{${member}}}`,
        })
        expect([member, response.status, codesOf(response)]).toEqual([
          member,
          400,
          ['malformed-json'],
        ])
      }
    }
    expect(await contents(router)).toBe(before)
    for (const [number, stored] of [
      ['-0', 0],
      ['0.1', 0.1],
      ['1e2', 100],
      ['0.30000000000000004', 0.30000000000000004],
      ['9007199254740991', 9007199254740991],
      ['1E+2', 100],
      ['5e-324', 5e-324],
      ['1.7976931348623157e308', 1.7976931348623157e308],
    ] as const) {
      const response = await send(router, 'PATCH', '/api/books/b1', {
        body: `{"book":{"price":${number}}}`,
      })
      expect([number, response.status]).toEqual([number, 200])
      expect((await get(router, '/api/books/b1')).json().book?.price).toBe(stored)
      const ids = (await get(router, `/api/books?filter[price]=${encode(number)}`)).json<Listing>()
        .books
      expect([number, ids?.map((book) => book.id)]).toEqual([number, ['b1']])
    }
    await send(router, 'PATCH', '/api/books/b1', { json: { book: { price: 9.5 } } })
  })
})

describe('numbers of a filter', () => {
  test('3.3: that would lose precision are 400', async () => {
    const router = await shop()
    for (const name of ['pages', 'price']) {
      for (const number of ['9007199254740993', '1e400', '-1e400', '1e-400']) {
        const response = await get(router, `/api/books?filter[${name}]=${number}`)
        expect.soft([name, number, response.status]).toEqual([name, number, 400])
      }
    }
  })
})

describe('values of the wrong type', () => {
  const wrong: [string, readonly unknown[]][] = [
    [
      'title',
      [1, true, null, {}, [], { $ne: null }, ['x'], { eq: 'x' }, { toString: 'x' }, { length: 5 }],
    ],
    ['price', ['1', '1e5', true, null, {}, [], [1], { $gt: 0 }, { valueOf: 1 }]],
    ['inStock', ['true', 0, 1, 'on', {}, [], { $ne: true }]],
    ['pages', ['1', 1.5, -1, 0, true, {}, [1]]],
    [
      'publishedAt',
      ['yesterday', '2024-02-30', '2024-13-01', 20240101, {}, [], '2024-01-01T00:00:00Z'],
    ],
    ['tags', ['x', { 0: 'x', length: 1 }, [1], [null], [['x']], [{}]]],
    ['dimensions', ['x', 1, [], { width: '1', height: 1 }, { width: 1 }]],
  ]

  test.each(wrong)(
    '3.3: are 422 for %s with a pointer, and are not stored',
    async (name, values) => {
      const router = await unchangingShop()
      for (const value of values) {
        const json = { book: { title: 'x', price: 1, author: 'a1', [name]: value } }
        for (const [method, target] of [
          ['POST', '/api/books'],
          ['PUT', '/api/books/b1'],
        ] as const) {
          if (value === null) continue
          const response = await send(router, method, target, { json })
          expect([name, value, response.status]).toEqual([name, value, 422])
          for (const { source } of response.json<Problems>().errors)
            expect(source?.pointer).toMatch(new RegExp(`^/book/${name}(?:/|$)`))
        }
      }
    },
  )

  test('3.3: are 400 in place of ids', async () => {
    const router = await unchangingShop()
    for (const value of [1, true, {}, [], { id: 'a1' }, { $ne: null }, ['a1'], [{ id: 'a1' }]]) {
      for (const name of ['author', 'publisher']) {
        const response = await send(router, 'PATCH', '/api/books/b1', {
          json: { book: { [name]: value } },
        })
        expect([name, value, response.status, codesOf(response)]).toEqual([
          name,
          value,
          400,
          ['invalid-relation'],
        ])
      }
    }
    for (const value of [
      1,
      true,
      {},
      'gothic',
      null,
      [1],
      [null],
      [{}],
      [['gothic']],
      { 0: 'gothic', length: 1 },
    ]) {
      const response = await send(router, 'PATCH', '/api/books/b1', {
        json: { book: { genres: value } },
      })
      expect([value, response.status, codesOf(response)]).toEqual([
        value,
        400,
        ['invalid-relation'],
      ])
    }
  })

  test('3.3: brackets do not turn text parameters into objects or arrays', async () => {
    const router = await shop()
    for (const query of [
      'filter[title][$ne]=x',
      'filter[title][eq][$ne]=x',
      'filter[title][0]=x',
      'filter[price][$gt]=0',
      'sort[0]=title',
      'sort[$ne]=x',
      'include[0]=author',
      'withCount[$ne]=x',
      'page[size][0]=1',
      'page[size][$gt]=0',
      'fields[books][0]=title',
    ])
      expect([query, (await get(router, `/api/books?${query}`)).status]).toEqual([query, 400])
  })
})

describe('names that objects inherit', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__defineGetter__',
    '__lookupSetter__',
    'isPrototypeOf',
  ]

  test.each(storeKinds)('3.3: are unknown members of an item, on the %s store', async (kind) => {
    const router = await unchangingShop(kind)
    for (const name of names) {
      for (const value of ['{"polluted":1}', '"x"', 'null', '{"prototype":{"polluted":1}}', '[]']) {
        for (const [method, target] of [
          ['POST', '/api/books'],
          ['PUT', '/api/books/b1'],
          ['PATCH', '/api/books/b1'],
        ] as const) {
          const body = `{"book":{"title":"x","price":1,"author":"a1","${name}":${value}}}`
          const response = await send(router, method, target, { body })
          expect([method, name, value, response.status, codesOf(response)]).toEqual([
            method,
            name,
            value,
            422,
            ['unknown-member'],
          ])
          expect(response.json<Problems>().errors[0]?.source).toEqual({ pointer: `/book/${name}` })
          const nested = await send(router, method, target, {
            body: `{"book":{"title":"x","price":1,"author":"a1","dimensions":{"width":1,"height":1,"${name}":${value}}}}`,
          })
          expect([method, name, value, nested.status]).toEqual([method, name, value, 422])
          const wrapped = await send(router, method, target, { body: `{"${name}":{"title":"x"}}` })
          expect([method, name, wrapped.status]).toEqual([method, name, 400])
          const beside = await send(router, method, target, {
            body: `{"book":{},"${name}":${value}}`,
          })
          expect([method, name, beside.status]).toEqual([method, name, 400])
        }
      }
    }
    expect(isPolluted()).toBe(false)
  })

  test.each(storeKinds)(
    '3.3: are plain data where a member may hold anything, on the %s store',
    async (kind) => {
      class Open extends model('open', {
        data: z.record(z.string(), z.unknown()).optional(),
        hash: hash(),
      }) {}
      const router = createRouter({
        policy: rest(),
        store: await storeForTest(kind),
        onError: failOnFault,
      })
      router.prepare(Open)
      for (const name of names) {
        const text = `{"${name}":{"polluted":1},"a":{"${name}":{"isAdmin":true}}}`
        const created = await send(router, 'POST', '/opens', {
          body: `{"open":{"id":"${name}","data":${text}}}`,
        })
        expect(isPolluted()).toBe(false)
        expect([201, 422]).toContain(created.status)
        if (created.status !== 201) continue
        // A column of PostgreSQL has an order of its own for the members of free JSON.
        for (const member of [`"${name}":{"polluted":1}`, `"a":{"${name}":{"isAdmin":true}}`])
          expect(created.text).toContain(member)
        const merged = await send(router, 'PATCH', `/opens/${name}`, {
          body: `{"open":{"data":{"b":{"${name}":{"status":1}}}}}`,
        })
        expect(merged.status).toBe(200)
        expect(isPolluted()).toBe(false)
        expect((await get(router, `/opens/${name}`)).text).toBe(merged.text)
        expect(merged.text).toContain(`"b":{"${name}":{"status":1}}`)
      }
    },
  )

  test('3.3: are unknown in every parameter', async () => {
    const router = await shop()
    for (const name of names) {
      for (const query of [
        `filter[${name}]=1`,
        `filter[${name}.polluted]=1`,
        `filter[title.${name}]=1`,
        `filter[author.${name}]=1`,
        `filter[dimensions.${name}]=1`,
        `filter[title][${name}]=1`,
        `filter[${name}][${name}]=1`,
        `filter=${name}(title,'x')`,
        `filter=eq(${name},'x')`,
        `filter=eq(title,${name})`,
        `sort=${name}`,
        `sort=author.${name}`,
        `include=${name}`,
        `include=author.${name}`,
        `fields[books]=${name}`,
        `fields[${name}]=title`,
        `page[${name}]=1`,
        `${name}=1`,
        `${name}[polluted]=1`,
        `${name}[${name}][polluted]=1`,
      ])
        expect([query, (await get(router, `/api/books?${query}`)).status]).toEqual([query, 400])
    }
    expect(isPolluted()).toBe(false)
  })

  test('3.3: can be ids and values like any other text', async () => {
    const router = await shop()
    for (const name of names) {
      const created = await send(router, 'POST', '/api/authors', {
        json: { author: { id: name, name } },
      })
      expect([name, created.status]).toEqual([name, 201])
      const json = {
        book: { id: name, title: name, price: 1, author: name, isbn: name, tags: [name] },
      }
      expect((await send(router, 'POST', '/api/books', { json })).status).toBe(201)
      const response = await get(
        router,
        `/api/books?filter[author]=${name}&filter[isbn]=${name}&include=author`,
      )
      expect(response.json<Listing>().books?.map((book) => book.id)).toEqual([name])
      expect(response.json<Listing>().authors?.map((author) => author.id)).toEqual([name])
      expect((await send(router, 'DELETE', `/api/books/${name}`)).status).toBe(204)
    }
  })
})

describe('bodies that two parsers could read differently', () => {
  test('3.3: a duplicate member is 400 with a pointer, at any depth', async () => {
    const router = await unchangingShop()
    for (const [body, pointer] of [
      ['{"book":{"price":1,"price":2}}', '/book/price'],
      ['{"book":{"price":1,"\\u0070rice":2}}', '/book/price'],
      ['{"book":{"price":1},"book":{"price":2}}', '/book'],
      ['{"book":{"dimensions":{"width":1,"width":2,"height":1}}}', '/book/dimensions/width'],
      ['{"book":{"price":1,"title":"x","price":1}}', '/book/price'],
      ['{"book":{"__proto__":1,"__proto__":2}}', '/book/__proto__'],
    ] as const) {
      const response = await send(router, 'PATCH', '/api/books/b1', { body })
      expect([body, response.status, codesOf(response)]).toEqual([body, 400, ['malformed-json']])
      expect(response.json<Problems>().errors[0]?.source).toEqual({ pointer })
    }
  })

  test('3.3: nesting beyond 64 levels is 400, however deep it goes', async () => {
    const router = await shop()
    for (const depth of [63, 64, 1_000, 100_000, 500_000]) {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const body = `{"book":${open.repeat(depth)}1${close.repeat(depth)}}`
        if (body.length > 1_000_000) continue
        const response = await send(router, 'PATCH', '/api/books/b1', { body })
        expect([depth, response.status]).toEqual([
          depth,
          depth === 63 && open === '{"a":' ? 422 : 400,
        ])
      }
      const unclosed = await send(router, 'PATCH', '/api/books/b1', { body: '['.repeat(depth) })
      expect(unclosed.status).toBe(400)
    }
  })

  test('3.3: many errors get a short response', async () => {
    const router = await shop()
    const members = Array.from({ length: 5_000 }, (_, index) => `"m${index}":"\\u0000"`).join(',')
    const unsound = await send(router, 'PATCH', '/api/books/b1', { body: `{"book":{${members}}}` })
    expect(unsound.status).toBe(400)
    expect(unsound.text.length).toBeLessThan(20_000)
    const long = await send(router, 'PATCH', '/api/books/b1', {
      json: { book: { ['x'.repeat(500_000)]: 1 } },
    })
    expect(long.status).toBe(422)
    expect(long.json<Problems>().detail.length).toBeLessThan(2_000)
  })

  test('3.3: a body with very many unknown members gets a response of at most a few times its size', async () => {
    const router = await shop()
    const book = Object.fromEntries(Array.from({ length: 4_900 }, (_, index) => [`m${index}`, 1]))
    const response = await send(router, 'PATCH', '/api/books/b1', { json: { book } })
    expect(response.status).toBe(422)
    expect(response.text.length).toBeLessThan(4 * JSON.stringify({ book }).length)
  })
})

describe('line breaks in text', () => {
  const isSafe = (response: TestResponse) =>
    [...response.headers].every(
      ([name, value]) => /^[\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
    )

  test('3.3: never get from a parameter into a header', async () => {
    const router = await shop()
    const texts = [
      'a\r\nX-Evil: 1',
      '\r\n\r\n<html>',
      '\n',
      '\0',
      '日本',
      '"',
      '>; rel="evil"',
      ', <x>; rel=next',
      '\u0085',
      'é',
    ]
    for (const text of texts.map(encode)) {
      for (const query of [
        `page[size]=1&filter[title][ne]=${text}`,
        `page[size]=1&filter[tags][any]=monster,${text}`,
        `page[size]=1&filter=${encode("ne(title,'")}${text}${encode("')")}`,
        `page[number]=1&page[size]=1&filter[title][ne]=${text}`,
      ]) {
        const response = await get(router, `/api/books?${query}`)
        expect([query, [200, 400].includes(response.status), isSafe(response)]).toEqual([
          query,
          true,
          true,
        ])
        expect(response.headers.get('x-evil')).toBeNull()
        const link = response.headers.get('link')
        if (link === null) continue
        expect(link).not.toMatch(/rel="?evil|<x>/)
        for (const [, target] of link.matchAll(/<([^>]*)>/g))
          expect((await get(router, target!)).status).toBe(200)
      }
    }
  })

  test('3.3: never get from an id, an ETag, an Accept or a method into a header', async () => {
    const router = await shop()
    const evil = 'a\r\nX-Evil: 1'
    const requests = [
      { path: `/api/books/${encode(evil)}` },
      { path: `/api/books/${encode(evil)}`, method: 'OPTIONS' },
      {
        path: `/api/labels/${encode(evil)}`,
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: plainBody('{"label":{"name":"x"}}'),
      },
      { path: '/api/books', method: evil },
      { path: '/api/books/b1', headers: { 'if-none-match': evil } },
      { path: '/api/books/b1', method: 'DELETE', headers: { 'if-match': evil } },
      { path: '/api/books', headers: { accept: evil } },
      {
        path: '/api/authors',
        method: 'POST',
        headers: { 'content-type': evil },
        body: plainBody('{}'),
      },
      { path: evil },
    ]
    for (const request of requests) {
      const response = await sendPlain(router, request)
      expect([request, isSafe(response), response.headers.get('x-evil')]).toEqual([
        request,
        true,
        null,
      ])
    }
  })
})
