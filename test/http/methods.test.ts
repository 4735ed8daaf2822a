import { METHODS } from 'node:http'
import type { Store } from 'resourcery'
import { describe, expect, test } from 'vitest'
import {
  codesOf,
  type Document,
  get,
  type Problems,
  plainBody,
  send,
  sendPlain,
  shop,
  shopOn,
  stock,
  storeForTest,
  storeKinds,
  tagOf,
  unchangingShop,
} from './service.ts'

const collection = '/api/books'
const item = '/api/books/b1'
const allow = {
  [collection]: 'GET, HEAD, OPTIONS, QUERY, POST',
  [item]: 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE',
}
const patchTypes = 'application/json, application/merge-patch+json'

describe.each(storeKinds)('methods on the %s store', (kind) => {
  test('M1: HEAD responds as GET does, without a body', async () => {
    const router = await shop(kind)
    const targets = [
      item,
      collection,
      '/api/books?page[size]=2&sort=-price&withCount=true',
      '/api/books/b1?include=author',
      '/api/books/b1?fields[books]=title',
      '/api/publishers/p1',
      '/api/books/none',
      '/api/books?colour=red',
      '/api/nowhere',
      '/api/books/%zz',
    ]
    for (const target of targets) {
      const whole = await get(router, target)
      const head = await send(router, 'HEAD', target)
      expect([target, head.status, head.text]).toEqual([target, whole.status, ''])
      const names = new Set([...whole.headers.keys(), ...head.headers.keys()])
      for (const name of names) {
        // The length of a streamed or omitted body is not known.
        if (name === 'content-length' && head.headers.get(name) === null) continue
        expect([target, name, head.headers.get(name)]).toEqual([
          target,
          name,
          whole.headers.get(name),
        ])
      }
    }
  })

  test('M1: HEAD of a list stops reading the store', async () => {
    const open = new Set<number>()
    let started = 0
    const store = await storeForTest(kind)
    const watched: Store = {
      ...store,
      async *list(model, plan) {
        const number = started++
        open.add(number)
        try {
          yield* store.list(model, plan)
        } finally {
          open.delete(number)
        }
      },
    }
    const router = shopOn(watched)
    await stock(router)
    for (let round = 0; round < 50; round++) await send(router, 'HEAD', collection)
    expect(open.size).toBe(0)
  })

  test('M7: of a hundred parallel creates of one id, exactly one succeeds', async () => {
    const router = await shop(kind)
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        send(router, 'POST', '/api/authors', {
          json: { author: { id: 'same', name: `Author ${index}` } },
        }),
      ),
    )
    const successes = responses.filter((response) => response.status === 201)
    expect(successes).toHaveLength(1)
    for (const response of responses.filter((entry) => entry !== successes[0])) {
      expect(response.status).toBe(409)
      expect(codesOf(response)).toEqual(['already-exists'])
    }
    expect((await get(router, '/api/authors/same')).text).toBe(successes[0]?.text)
  })

  test('M7: a POST with an existing id is 409 with a pointer, and does not change the item', async () => {
    const router = await unchangingShop(kind)
    const response = await send(router, 'POST', '/api/authors', {
      json: { author: { id: 'a1', name: 'Impostor' } },
    })
    expect(response.status).toBe(409)
    expect(response.json<Problems>().errors[0]?.source).toEqual({ pointer: '/author/id' })
  })

  test('M7: of a hundred parallel creates with one unique value, exactly one succeeds', async () => {
    const router = await shop(kind)
    const responses = await Promise.all(
      Array.from({ length: 100 }, () =>
        send(router, 'POST', collection, {
          json: { book: { title: 'One', price: 1, author: 'a1', isbn: '9789999999999' } },
        }),
      ),
    )
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1)
    expect(responses.filter((response) => response.status === 409)).toHaveLength(99)
    expect(
      (await get(router, '/api/books?filter[isbn]=9789999999999')).json<{ books: unknown[] }>()
        .books,
    ).toHaveLength(1)
  })

  test('M8: PUT of an unknown id is 404, or 201 where the model allows it', async () => {
    const router = await shop(kind)
    const book = { title: 'New', price: 1, author: 'a1' }
    expect((await send(router, 'PUT', '/api/books/none', { json: { book } })).status).toBe(404)
    const created = await send(router, 'PUT', '/api/labels/l7', {
      json: { label: { name: 'made' } },
    })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe('/api/labels/l7')
    expect(created.json<Document>().label?.id).toBe('l7')
    expect(
      (await send(router, 'PUT', '/api/labels/l7', { json: { label: { name: 'again' } } })).status,
    ).toBe(200)
  })

  test('M8: an id in the body that differs from the one in the path is 409', async () => {
    const router = await unchangingShop(kind)
    for (const [method, target] of [
      ['PUT', '/api/labels/l1'],
      ['PATCH', '/api/labels/l1'],
      ['PUT', '/api/labels/l8'],
    ] as const) {
      const response = await send(router, method, target, {
        json: { label: { id: 'l9', name: 'x' } },
      })
      expect([method, target, response.status, codesOf(response)]).toEqual([
        method,
        target,
        409,
        ['id-mismatch'],
      ])
    }
  })

  test('M8: PUT with an invalid id in the path is refused', async () => {
    const router = await shop(kind)
    for (const id of [
      '%E6%97%A5',
      'a%2Fb',
      '%00',
      '%0D%0AX',
      'x'.repeat(129),
      '%F0%9F%93%96',
      '%20',
      '%25',
    ])
      expect(
        (await send(router, 'PUT', `/api/labels/${id}`, { json: { label: { name: 'x' } } })).status,
      ).toBe(422)
    for (const path of ['/api/labels/.', '/api/labels/..', '/api/labels/%2e%2e']) {
      const body = plainBody(JSON.stringify({ label: { name: 'x' } }))
      const headers = { 'content-type': 'application/json' }
      const response = await sendPlain(router, { method: 'PUT', path, headers, body })
      expect([400, 404, 422]).toContain(response.status)
    }
  })

  test('M8: PUT with Content-Range is 400, and replaces nothing', async () => {
    const router = await unchangingShop(kind)
    const headers = { 'content-range': 'bytes 0-3/10' }
    const response = await send(router, 'PUT', '/api/labels/l1', {
      headers,
      json: { label: { name: 'part' } },
    })
    expect(response.status).toBe(400)
    expect(response.json<Problems>().errors[0]?.source).toEqual({ header: 'Content-Range' })
  })

  test('M9: PUT replaces: absent members are removed, defaults are back, relations are as sent', async () => {
    const router = await shop(kind)
    await send(router, 'PATCH', item, { json: { book: { inStock: false } } })
    const response = await send(router, 'PUT', item, {
      json: { book: { title: 'Bare', price: 1, author: 'a2' } },
    })
    expect(response.status).toBe(200)
    const { hash, ...rest } = response.json().book!
    expect(hash).toBeTypeOf('string')
    expect(rest).toEqual({
      id: 'b1',
      title: 'Bare',
      price: 1,
      inStock: true,
      tags: [],
      author: 'a2',
      publisher: null,
      genres: [],
    })
  })

  test('M9: PUT twice gives the same text and the same ETag', async () => {
    const router = await shop(kind)
    const json = { book: { title: 'Bare', price: 1, author: 'a2', tags: ['x'] } }
    const first = await send(router, 'PUT', item, { json })
    const second = await send(router, 'PUT', item, { json })
    expect(second.text).toBe(first.text)
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  })

  test('M9: PUT keeps what a client cannot send: read-only and hidden members', async () => {
    const router = await shop(kind)
    const created = (await get(router, '/api/reviews/r1')).json().review?.createdAt
    const json = { review: { rating: 1, book: 'b1', createdAt: '1999-01-01T00:00:00Z' } }
    const response = await send(router, 'PUT', '/api/reviews/r1', { json })
    expect(response.status).toBe(200)
    expect(response.json().review).toEqual({ id: 'r1', rating: 1, createdAt: created, book: 'b1' })
  })

  test('M9: PUT accepts what a GET returned, and changes nothing', async () => {
    const router = await unchangingShop(kind)
    for (const target of [
      item,
      '/api/authors/a1',
      '/api/publishers/p1',
      '/api/reviews/r1',
      '/api/genres/gothic',
    ]) {
      const original = await get(router, target)
      const response = await send(router, 'PUT', target, { body: original.text })
      expect([target, response.status, response.text]).toEqual([target, 200, original.text])
      expect(response.headers.get('etag')).toBe(original.headers.get('etag'))
    }
  })

  test('M10: PATCH merges: null removes, arrays are replaced as a whole, structs are merged', async () => {
    const router = await shop(kind)
    const change = {
      pages: null,
      tags: ['sea'],
      dimensions: { width: 1, unit: null },
      genres: ['fiction'],
      isbn: null,
    }
    const response = await send(router, 'PATCH', item, {
      json: { book: change },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(response.status).toBe(200)
    const { hash: _, ...rest } = response.json().book!
    expect(rest).toEqual({
      id: 'b1',
      title: 'Frankenstein',
      price: 9.5,
      inStock: true,
      publishedAt: '1818-01-01',
      tags: ['sea'],
      dimensions: { width: 1, height: 180 },
      author: 'a1',
      publisher: 'p1',
      genres: ['fiction'],
    })
  })

  test('M10: PATCH validates the whole item, and is applied as a whole or not at all', async () => {
    const router = await unchangingShop(kind)
    const faulty: [unknown, string, string][] = [
      [{ price: 1, title: null }, 'invalid-member', '/book/title'],
      [{ price: 1, title: '' }, 'invalid-member', '/book/title'],
      [{ price: -1, title: 'Changed' }, 'invalid-member', '/book/price'],
      [{ title: 'Changed', author: null }, 'invalid-member', '/book/author'],
      [{ title: 'Changed', author: 'none' }, 'related-not-found', '/book/author'],
      [{ title: 'Changed', genres: ['gothic', 'none'] }, 'related-not-found', '/book/genres/1'],
      [{ title: 'Changed', author: { id: 'a1' } }, 'invalid-relation', '/book/author'],
      [
        { title: 'Changed', dimensions: { height: null } },
        'invalid-member',
        '/book/dimensions/height',
      ],
      [{ title: 'Changed', colour: 'red' }, 'unknown-member', '/book/colour'],
      [
        { title: 'Changed', dimensions: { colour: 'red' } },
        'unknown-member',
        '/book/dimensions/colour',
      ],
      [{ title: 'Changed', isbn: '9780000000002' }, 'value-taken', '/book/isbn'],
    ]
    for (const [book, code, pointer] of faulty) {
      const { errors } = (await send(router, 'PATCH', item, { json: { book } })).json<Problems>()
      expect([book, errors.map((error) => [error.code, error.source?.pointer])]).toEqual([
        book,
        [[code, pointer]],
      ])
    }
  })

  test('M13: a PATCH that changes nothing is 200 with the same ETag', async () => {
    const router = await shop(kind)
    const tag = await tagOf(router, item)
    for (const book of [
      {},
      { price: 9.5 },
      { tags: ['monster', 'ice'] },
      { dimensions: {} },
      { id: 'b1' },
    ]) {
      const response = await send(router, 'PATCH', item, { json: { book } })
      expect([book, response.status, response.headers.get('etag')]).toEqual([book, 200, tag])
    }
    expect(await tagOf(router, item)).toBe(tag)
  })

  test('M14: DELETE is 204 without a body or body headers, and the item is gone everywhere', async () => {
    const router = await shop(kind)
    const response = await send(router, 'DELETE', item)
    expect([response.status, response.text]).toEqual([204, ''])
    expect(response.headers.get('content-type')).toBeNull()
    expect(response.headers.get('content-length')).toBeNull()
    for (const [method, target] of [
      ['GET', item],
      ['HEAD', item],
      ['PATCH', item],
      ['PUT', item],
      ['DELETE', item],
      ['GET', '/api/reviews/r1'],
    ] as const) {
      const json = { book: { title: 'Back', price: 1, author: 'a1' } }
      const writes = method === 'PATCH' || method === 'PUT'
      expect([
        method,
        target,
        (await send(router, method, target, writes ? { json } : {})).status,
      ]).toEqual([method, target, 404])
    }
    expect((await get(router, collection)).text).not.toContain('"b1"')
    expect((await get(router, '/api/authors/a1?include=books')).text).not.toContain('"b1"')
  })

  test('M14: DELETE of an item that others require is 409, and deletes nothing', async () => {
    const router = await unchangingShop(kind)
    const response = await send(router, 'DELETE', '/api/authors/a1')
    expect([response.status, codesOf(response)]).toEqual([409, ['still-referenced']])
  })
})

test('M2: OPTIONS lists exactly the methods of an address, and the media types of PATCH', async () => {
  const router = await shop()
  for (const [target, methods] of Object.entries(allow)) {
    const response = await send(router, 'OPTIONS', target)
    expect([response.status, response.headers.get('allow'), response.text]).toEqual([
      204,
      methods,
      '',
    ])
    expect(response.headers.get('accept-patch')).toBe(target === item ? patchTypes : null)
  }
})

test('M2: OPTIONS is the same for a missing item, and is 404 at an unknown address', async () => {
  const router = await shop()
  expect((await send(router, 'OPTIONS', '/api/books/none')).headers.get('allow')).toBe(allow[item])
  expect((await send(router, 'OPTIONS', '/api/nowhere')).status).toBe(404)
  expect((await send(router, 'OPTIONS', '/api/books/b1/title')).status).toBe(404)
})

test('M3: every method that an address lists gets a response, and every other known one is 405 with the exact Allow', async () => {
  for (const [path, methods] of Object.entries(allow)) {
    for (const method of METHODS) {
      const router = await shop()
      const response = await sendPlain(router, { method, path })
      if (methods.split(', ').includes(method)) {
        expect([method, path, [404, 405, 501].includes(response.status)]).toEqual([
          method,
          path,
          false,
        ])
      } else {
        expect([method, path, response.status, response.headers.get('allow')]).toEqual([
          method,
          path,
          405,
          methods,
        ])
        expect(codesOf(response)).toEqual(['method-not-allowed'])
      }
    }
  }
})

test('M16: QUERY without a media type is 415 with Accept-Query, and 405 where there is no list', async () => {
  const router = await shop()
  const body = plainBody('filter[title]=Dune')
  const ofList = await sendPlain(router, { method: 'QUERY', path: collection, body })
  const formType = 'application/x-www-form-urlencoded'
  expect([ofList.status, ofList.headers.get('accept-query')]).toEqual([415, formType])
  expect((await send(router, 'OPTIONS', collection)).headers.get('accept-query')).toBe(formType)
  const ofItem = await sendPlain(router, { method: 'QUERY', path: item, body })
  expect([ofItem.status, ofItem.headers.get('accept-query')]).toEqual([405, null])
  expect(ofItem.headers.get('allow')).not.toContain('QUERY')
  expect((await send(router, 'OPTIONS', item)).headers.get('accept-query')).toBeNull()
})

test('M3: an unknown method is 501, and so is a known one in another case', async () => {
  const router = await unchangingShop()
  for (const method of [
    'FOO',
    'get',
    'delete',
    'Patch',
    'GETS',
    '__proto__',
    'constructor',
    'toString',
    '',
  ]) {
    for (const path of [collection, item, '/api/nowhere']) {
      const response = await sendPlain(router, { method, path })
      expect([method, path, response.status, codesOf(response)]).toEqual([
        method,
        path,
        501,
        ['method-not-implemented'],
      ])
    }
  }
  expect((await send(router, 'FOO', item)).status).toBe(501)
  expect((await send(router, 'patch', item, { json: { book: { price: 1 } } })).status).toBe(501)
})

test('M3: an unknown method is not reported as an error of the service', async () => {
  const reported: unknown[] = []
  const router = await shop('memory', { onError: (error) => reported.push(error) })
  expect((await send(router, 'FOO', item)).status).toBe(501)
  expect(reported).toEqual([])
})

test('M4: TRACE and CONNECT are 405 and send nothing back', async () => {
  const router = await shop()
  for (const method of ['TRACE', 'CONNECT']) {
    const response = await sendPlain(router, {
      method,
      path: item,
      headers: { cookie: 'session=verysecret', authorization: 'Bearer verysecret' },
      body: plainBody('verysecret'),
    })
    expect(response.status).toBe(405)
    expect(response.text + JSON.stringify([...response.headers])).not.toContain('verysecret')
  }
})

test('M5: the body of GET, HEAD, DELETE or OPTIONS is ignored, whatever its headers', async () => {
  const router = await shop()
  for (const type of ['application/json', 'text/plain', 'garbage', '']) {
    const headers = { 'content-type': type, 'content-length': '4', 'content-encoding': 'gzip' }
    const body = plainBody('{{{{')
    for (const [method, status] of [
      ['GET', 200],
      ['HEAD', 200],
      ['OPTIONS', 204],
    ] as const)
      expect((await sendPlain(router, { method, path: item, headers, body })).status).toBe(status)
  }
  expect((await send(router, 'DELETE', '/api/labels/l1', { body: '{{{{' })).status).toBe(204)
})

test('M6: a created item is at its Location, whatever its id', async () => {
  const router = await shop()
  const ids = [
    'plain',
    'a.b',
    '...',
    '.a',
    '~',
    ':',
    '@',
    '-',
    '_',
    'a:b@c~d.e-f_g',
    'x'.repeat(128),
    '0',
    'null',
    'A',
    'a',
  ]
  for (const id of [undefined, ...ids, 'constructor', 'hasOwnProperty', '__proto__']) {
    const created = await send(router, 'POST', '/api/authors', {
      json: { author: { id, name: 'Some' } },
    })
    expect([id, created.status]).toEqual([id, 201])
    const location = created.headers.get('location')!
    expect(location).toMatch(/^\/api\/authors\/[\x21-\x7e]+$/)
    const read = await get(router, location)
    expect([read.status, read.text]).toEqual([200, created.text])
    if (id !== undefined) expect(read.json().author?.id).toBe(id)
  }
})

test('M6: an id that no path or header can hold is 422 with a pointer', async () => {
  const router = await unchangingShop()
  const ids = [
    '',
    '.',
    '..',
    '日',
    '/',
    'a/b',
    'a b',
    '%41',
    'a\r\nX-Evil: 1',
    'é',
    '"',
    'x'.repeat(129),
    '../a1',
    '?',
    '#',
  ]
  for (const id of ids) {
    const response = await send(router, 'POST', '/api/authors', {
      json: { author: { id, name: 'Some' } },
    })
    expect([id, response.status, codesOf(response)]).toEqual([id, 422, ['invalid-id']])
    expect(response.json<Problems>().errors[0]?.source).toEqual({ pointer: '/author/id' })
  }
  for (const id of ['"\\ud800"', '"\\u0000"']) {
    const response = await send(router, 'POST', '/api/authors', {
      body: `{"author":{"id":${id},"name":"Some"}}`,
    })
    expect([id, response.status]).toEqual([id, 400])
  }
  for (const id of [1, true, {}, [], ['a']]) {
    const response = await send(router, 'POST', '/api/authors', {
      json: { author: { id, name: 'Some' } },
    })
    expect([id, response.status]).toEqual([id, 422])
  }
})

test('M6: Location is absolute with baseUrl, and never uses the Host of the request', async () => {
  const json = { author: { id: 'a9', name: 'Some' } }
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
  }
  const absolute = await shop('memory', { baseUrl: 'https://books.example' })
  expect(
    (await send(absolute, 'POST', '/api/authors', { json, headers })).headers.get('location'),
  ).toBe('https://books.example/api/authors/a9')
  const relative = await shop()
  expect(
    (await send(relative, 'POST', '/api/authors', { json, headers })).headers.get('location'),
  ).toBe('/api/authors/a9')
  const page = await get(relative, '/api/books?page[size]=1', headers)
  expect(page.headers.get('link')).not.toContain('evil')
})

test('M11, M12: PATCH with an unsupported media type is 415, and lists the supported ones', async () => {
  const router = await unchangingShop()
  const operations = '[{"op":"replace","path":"/title","value":"Changed"}]'
  for (const type of [
    'application/json-patch+json',
    'text/plain',
    'application/vnd.api+json',
    'application/xml',
  ]) {
    const response = await send(router, 'PATCH', item, {
      body: operations,
      headers: { 'content-type': type },
    })
    expect([type, response.status, codesOf(response)]).toEqual([
      type,
      415,
      ['unsupported-media-type'],
    ])
    expect(response.headers.get('accept-patch')).toBe(patchTypes)
  }
})

test('M15: no header, parameter or member changes the method', async () => {
  const router = await unchangingShop()
  for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', '_method']) {
    const headers = { [name]: 'DELETE' }
    expect((await get(router, item, headers)).status).toBe(200)
    expect((await send(router, 'POST', item, { headers, json: {} })).status).toBe(405)
    expect((await send(router, 'PATCH', item, { headers, json: { book: {} } })).status).toBe(200)
  }
  expect((await send(router, 'GET', `${item}?_method=DELETE`)).status).toBe(400)
  expect(
    (await send(router, 'PATCH', item, { json: { _method: 'DELETE', book: {} } })).status,
  ).toBe(400)
  expect(
    (await send(router, 'PATCH', item, { json: { book: { _method: 'DELETE' } } })).status,
  ).toBe(422)
})

test('addresses of features that this service does not use are 404: actions, binary resources, relationships, documents', async () => {
  const router = await shop()
  for (const below of [
    'discount',
    'cover',
    'cover/png/512',
    'relationships/author',
    'author',
    'hash',
    'title',
    '',
  ])
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
      expect((await send(router, method, `${item}/${below}`)).status).toBe(404)
  for (const target of [
    '/api',
    '/api/',
    '/',
    '/api/openapi.json',
    '/api/docs',
    '/api/operations',
    '/apibooks',
    '/api/book',
  ])
    expect((await get(router, target)).status).toBe(404)
})
