import { describe, expect, it } from 'vitest'
import { atomicType } from './atomic.ts'
import { expectLawful } from './lawful.ts'

describe('the checks on every answer', () => {
  const person = { type: 'people', id: '9' }
  const article = { type: 'articles', id: '1', relationships: { author: { data: person } } }
  const jsonapi = { version: '1.1' }
  const headers = { 'content-type': 'application/vnd.api+json', vary: 'Accept' }

  const atomic = { headers: { 'content-type': atomicType }, sent: '{"atomic:operations":[1,2,3]}' }

  interface Case {
    readonly document?: unknown
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly url?: string
    readonly sent?: string
  }

  const check = (given: Case) =>
    expectLawful({
      method: 'GET',
      url: `http://localhost${given.url ?? '/articles'}`,
      sent: given.sent,
      response: new Response(null, { status: given.status ?? 200, headers: { ...headers, ...given.headers } }),
      text: given.document === undefined ? '' : JSON.stringify(given.document),
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
    { document: { jsonapi, data: person, included: [person] }, url: '/articles/1/relationships/author' },
    { document: { jsonapi, data: [], links: { self: '/a', next: null, prev: { href: '/b' } } } },
    { document: { jsonapi, errors: [{ status: '404' }] }, status: 404 },
    { document: { jsonapi, errors: [{ status: '422', source: { pointer: '/a' } }] }, status: 422, sent: '{"a":null}' },
    { status: 204 },
    { document: { jsonapi, 'atomic:results': [{ data: article }, {}, { data: article }] }, ...atomic },
  ])('pass what is lawful: %j', (given) => {
    expect(() => check(given)).not.toThrow()
  })

  it.each<Case>([
    {},
    { status: 204, headers: { vary: 'Origin' } },
    { document: { jsonapi, data: [] }, headers: { 'content-type': 'application/vnd.api+json; charset=utf-8' } },
    { document: { jsonapi, data: [] }, headers: { 'content-type': 'application/vnd.api+json; profile=x' } },
    { document: { jsonapi, data: [] }, status: 204 },
    { document: [] },
    { document: { data: [] } },
    { document: { jsonapi: { version: '1.0' }, data: [] } },
    { document: { jsonapi } },
    { document: { jsonapi, data: [], errors: [{ status: '400' }] }, status: 400 },
    { document: { jsonapi, data: [], junk: 1 } },
    { document: { jsonapi, meta: {}, included: [] } },
    { document: { jsonapi, meta: [] } },
    { document: { jsonapi, data: { type: 'articles', id: 1 } } },
    { document: { jsonapi, data: { id: '1' } } },
    { document: { jsonapi, data: { ...article, junk: 1 } } },
    { document: { jsonapi, data: { ...article, attributes: { author: '9' } } } },
    { document: { jsonapi, data: { ...article, attributes: { type: 'x' } } } },
    { document: { jsonapi, data: { ...article, relationships: { author: {} } } } },
    { document: { jsonapi, data: { ...article, relationships: { tags: { data: [person, person] } } } } },
    { document: { jsonapi, data: { ...article, relationships: { tags: { data: ['9'] } } } } },
    { document: { jsonapi, data: { ...article, relationships: { tags: { links: { self: '/a', next: '/b' } } } } } },
    { document: { jsonapi, data: { ...article, links: { other: '/x' } } } },
    { document: { jsonapi, data: [article, article] } },
    { document: { jsonapi, data: article, included: [person, person] } },
    { document: { jsonapi, data: article, included: [article] } },
    { document: { jsonapi, data: { type: 'articles', id: '1' }, included: [person] } },
    { document: { jsonapi, data: [article], included: [person, { type: 'tags', id: '1' }] } },
    { document: { jsonapi, data: [], links: { self: '/a?page[size]=1' } } },
    { document: { jsonapi, data: [], links: { self: {} } } },
    { document: { jsonapi, data: [], links: { self: 1 } } },
    { document: { jsonapi, data: [], links: { other: '/a' } } },
    { document: { jsonapi, errors: [] }, status: 400 },
    { document: { jsonapi, errors: [{ status: 400 }] }, status: 400 },
    { document: { jsonapi, errors: [{ status: '404' }] }, status: 400 },
    { document: { jsonapi, errors: [{ status: '404' }] } },
    { document: { jsonapi, errors: [{ status: '400', junk: 1 }] }, status: 400 },
    { document: { jsonapi, errors: [{ status: '400', source: {} }] }, status: 400 },
    { document: { jsonapi, errors: [{ status: '400', source: { parameter: 'sort' } }] }, status: 400 },
    { document: { jsonapi, errors: [{ status: '422', source: { pointer: '/b' } }] }, status: 422, sent: '{"a":1}' },
    { document: { jsonapi, errors: [{ status: '400', source: { pointer: '/b' } }] }, status: 400, sent: '{' },
    { document: { jsonapi, errors: [{ status: '400', source: { pointer: '/b' } }] }, status: 400 },
    { document: { jsonapi, 'atomic:results': [{}, {}, {}] }, sent: atomic.sent },
    { document: { jsonapi, 'atomic:results': [{}, {}] }, ...atomic },
    { document: { jsonapi, 'atomic:results': [{}, {}, { junk: 1 }] }, ...atomic },
    { document: { jsonapi, 'atomic:results': [{}, {}, { data: person.id }] }, ...atomic },
    { document: { jsonapi, 'atomic:results': [{}, {}, {}], data: [] }, ...atomic },
  ])('stop what is not: %j', (given) => {
    expect(() => check(given)).toThrow()
  })
})
