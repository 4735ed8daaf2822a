import { describe, expect, it } from 'vitest'
import { atomicType, atomicUri } from './atomic.ts'
import { expectLawful } from './lawful.ts'

describe('the checks on every response', () => {
  const person = { type: 'people', id: '9' }
  const article = { type: 'articles', id: '1', relationships: { author: { data: person } } }
  const jsonapi = { version: '1.1' }
  const headers = { 'content-type': 'application/vnd.api+json', vary: 'Accept' }

  const extended = { ...jsonapi, ext: [atomicUri] }
  const atomic = {
    headers: { 'content-type': atomicType },
    requestText: '{"atomic:operations":[1,2,3]}',
  }

  interface Case {
    readonly document?: unknown
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly url?: string
    readonly requestText?: string
  }

  const check = (exchange: Case) =>
    expectLawful({
      method: 'GET',
      url: `http://localhost${exchange.url ?? '/articles'}`,
      requestText: exchange.requestText,
      response: new Response(null, {
        status: exchange.status ?? 200,
        headers: { ...headers, ...exchange.headers },
      }),
      text: exchange.document === undefined ? '' : JSON.stringify(exchange.document),
    })

  it.each<Case>([
    { document: { jsonapi, data: [] } },
    { document: { jsonapi, data: null } },
    { document: { jsonapi, meta: {} } },
    { document: { jsonapi, data: article, included: [person] } },
    {
      document: { jsonapi, data: { type: 'articles', id: '1' }, included: [person] },
      url: '/x?fields[articles]=title',
    },
    {
      document: { jsonapi, data: person, included: [person] },
      url: '/articles/1/relationships/author',
    },
    { document: { jsonapi, data: [], links: { self: '/a', next: null, prev: { href: '/b' } } } },
    { document: { jsonapi, errors: [{ status: '404' }] }, status: 404 },
    {
      document: { jsonapi, errors: [{ status: '422', source: { pointer: '/a' } }] },
      status: 422,
      requestText: '{"a":null}',
    },
    { status: 204 },
    { headers: { 'content-type': 'application/jsonl' } },
    {
      document: { jsonapi, errors: [{ status: '400', source: { parameter: 'long…' } }] },
      status: 400,
      url: '/a?longer=1',
    },
    {
      document: { jsonapi: extended, 'atomic:results': [{ data: article }, {}, { data: article }] },
      ...atomic,
    },
  ])('accept a valid response: %j', (exchange) => {
    expect(() => check(exchange)).not.toThrow()
  })

  const { vary: _, ...unvaried } = headers
  const related = (link: unknown) => ({
    document: { jsonapi, data: { ...article, relationships: { tags: { links: link } } } },
  })
  const linked = (link: unknown) => ({ document: { jsonapi, data: [], links: { self: link } } })

  it.each<readonly [row: string, Case]>([
    ['DS2, ER3', {}],
    ['DS2, ER3', { status: 400, headers: { 'content-type': 'application/jsonl' } }],
    ['CN13', { status: 204, headers: { vary: 'Origin' } }],
    ['CN13', { document: { jsonapi, data: [] }, headers: { ...unvaried, vary: '' } }],
    ['CN1', { document: { jsonapi, data: [] }, headers: { 'content-type': 'application/json' } }],
    [
      'CN2',
      {
        document: { jsonapi, data: [] },
        headers: { 'content-type': 'application/vnd.api+json; charset=utf-8' },
      },
    ],
    [
      'CN3',
      {
        document: { jsonapi, data: [] },
        headers: { 'content-type': 'application/vnd.api+json; profile=x' },
      },
    ],
    ['CN5', { document: { jsonapi: { ...jsonapi, profile: ['https://x.example/'] }, data: [] } }],
    ['CN17', { document: { jsonapi, data: [] }, status: 204 }],
    ['DS1', { document: [] }],
    ['DS46', { document: { data: [] } }],
    ['DS46', { document: { jsonapi: '1.1', data: [] } }],
    ['DS45', { document: { jsonapi: { version: '1.0' }, data: [] } }],
    ['DS45', { document: { jsonapi: { ...jsonapi, ext: 'x' }, data: [] } }],
    ['DS45', { document: { jsonapi, errors: [{ status: '400' }] }, status: 400, ...atomic }],
    [
      'DS45',
      {
        document: { jsonapi, data: [] },
        headers: { 'content-type': `application/vnd.api+json; profile="https://x.example/"` },
      },
    ],
    ['DS2', { document: { jsonapi } }],
    ['DS3', { document: { jsonapi, data: [], errors: [{ status: '400' }] }, status: 400 }],
    ['DS4', { document: { jsonapi, data: [], junk: 1 } }],
    ['DS4', { document: { jsonapi: { ...jsonapi, junk: 1 }, data: [] } }],
    ['DS4', { document: { jsonapi, data: { ...article, junk: 1 } } }],
    [
      'DS4',
      {
        document: {
          jsonapi,
          data: { ...article, relationships: { author: { data: null, junk: 1 } } },
        },
      },
    ],
    ['DS4', { document: { jsonapi, data: { ...article, links: { other: '/x' } } } }],
    ['DS51', { document: { jsonapi, data: [], version: 1 } }],
    ['DS51', { document: { jsonapi, data: [], 'other:name': 1 } }],
    ['DS7', { document: { jsonapi, meta: {}, included: [] } }],
    ['DS7', { document: { jsonapi, errors: [{ status: '404' }], included: [] }, status: 404 }],
    ['DS39', { document: { jsonapi, meta: [] } }],
    ['DS39', { document: { jsonapi, data: { ...person, meta: 'x' } } }],
    ['DS39', { document: { jsonapi, data: null, meta: null } }],
    ['CP13', { document: { jsonapi, data: [], meta: { page: 1 } } }],
    ['CP13', { document: { jsonapi, data: { ...person, meta: { page: [] } } } }],
    ['DS13', { document: { jsonapi, data: { type: 'articles', id: 1 } } }],
    ['DS13', { document: { jsonapi, data: { id: '1' } } }],
    ['DS21', { document: { jsonapi, data: { ...article, attributes: { author: '9' } } } }],
    ['DS21', { document: { jsonapi, data: { ...article, attributes: { type: 'x' } } } }],
    ['DS22', { document: { jsonapi, data: { ...article, attributes: [] } } }],
    ['DS25', { document: { jsonapi, data: { ...article, relationships: { author: '9' } } } }],
    ['DS26', { document: { jsonapi, data: { ...article, relationships: { author: {} } } } }],
    ['DS26', related({})],
    [
      'RE5',
      {
        document: {
          jsonapi,
          data: { ...article, relationships: { tags: { data: [person, person] } } },
        },
      },
    ],
    [
      'DS30',
      { document: { jsonapi, data: { ...article, relationships: { tags: { data: ['9'] } } } } },
    ],
    [
      'DS32',
      {
        document: {
          jsonapi,
          data: { ...article, relationships: { tags: { data: [{ type: 'a' }] } } },
        },
      },
    ],
    ['DS27', related({ self: '/a', next: '/b' })],
    ['DS47', { document: { jsonapi, data: { ...article, attributes: { a_: 1 } } } }],
    ['DS48', { document: { jsonapi, data: { ...article, attributes: { 'a+b': 1 } } } }],
    ['DS38', { document: { jsonapi, data: [article, article] } }],
    ['DS38', { document: { jsonapi, data: article, included: [person, person] } }],
    ['DS38', { document: { jsonapi, data: article, included: [article] } }],
    ['DS35', { document: { jsonapi, data: article, included: person } }],
    ['DS36', { document: { jsonapi, data: { type: 'articles', id: '1' }, included: [person] } }],
    [
      'DS36',
      { document: { jsonapi, data: [article], included: [person, { type: 'tags', id: '1' }] } },
    ],
    ['QP7', linked('/a?page[size]=1')],
    ['DS42', linked({})],
    ['DS40', linked(1)],
    ['DS40', { document: { jsonapi, data: [], links: [] } }],
    ['DS43', linked({ href: '/a', rel: 'not a relation' })],
    ['DS43', linked({ href: '/a', hreflang: 'not a language' })],
    ['DS43', linked({ href: '/a', hreflang: ['en', ''] })],
    ['DS44', linked({ href: '/a', method: 'POST' })],
    ['DS4, DS8', { document: { jsonapi, data: [], links: { other: '/a' } } }],
    ['ER3', { document: { jsonapi, errors: [] }, status: 400 }],
    ['ER3', { document: { jsonapi, errors: [{ status: '404' }] } }],
    ['ER5', { document: { jsonapi, errors: [{ status: 400 }] }, status: 400 }],
    ['ER2', { document: { jsonapi, errors: [{ status: '404' }] }, status: 400 }],
    ['ER4', { document: { jsonapi, errors: [{ status: '400', junk: 1 }] }, status: 400 }],
    ['ER8', { document: { jsonapi, errors: [{ status: '400', source: {} }] }, status: 400 }],
    [
      'ER8',
      {
        document: { jsonapi, errors: [{ status: '400', source: { parameter: 'sort' } }] },
        status: 400,
      },
    ],
    [
      'ER9',
      {
        document: { jsonapi, errors: [{ status: '422', source: { pointer: '/b' } }] },
        status: 422,
        requestText: '{"a":1}',
      },
    ],
    [
      'ER9',
      {
        document: { jsonapi, errors: [{ status: '400', source: { pointer: '/b' } }] },
        status: 400,
        requestText: '{',
      },
    ],
    [
      'ER9',
      {
        document: { jsonapi, errors: [{ status: '400', source: { pointer: '/b' } }] },
        status: 400,
      },
    ],
    [
      'AO22',
      { document: { jsonapi, 'atomic:results': [{}, {}, {}] }, requestText: atomic.requestText },
    ],
    ['AO11', { document: { jsonapi: extended, 'atomic:results': [{}, {}] }, ...atomic }],
    [
      'DS4',
      { document: { jsonapi: extended, 'atomic:results': [{}, {}, { junk: 1 }] }, ...atomic },
    ],
    [
      'DS13',
      {
        document: { jsonapi: extended, 'atomic:results': [{}, {}, { data: person.id }] },
        ...atomic,
      },
    ],
    [
      'AO4',
      { document: { jsonapi: extended, 'atomic:results': [{}, {}, {}], data: [] }, ...atomic },
    ],
  ])('refuse an invalid response, and name the rule %s: %j', (row, exchange) => {
    expect(() => check(exchange)).toThrow(new RegExp(row.replaceAll(', ', '.*|')))
  })
})
