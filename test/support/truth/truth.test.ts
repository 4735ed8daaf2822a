import { createRouter, field, hash, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Exchange, truthOf } from './truth.ts'

const Book = model('book', {
  title: z.string(),
  price: field(z.number(), { description: 'Euros' }),
  hash: hash(),
})
const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
router.prepare(Book)
const truth = truthOf(router.toOpenApi({ fields: false }), '/api')

const book = { id: '1', title: 'Dune', price: 9, hash: 'x' }
const headers = {
  'content-type': 'application/json',
  etag: '"x"',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
}

function exchange(changes: {
  method?: string
  path?: string
  status?: number
  headers?: Record<string, string | undefined>
  body?: unknown
  sent?: unknown
}): Exchange {
  const answered = Object.entries({ ...headers, ...changes.headers }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    request: {
      method: changes.method ?? 'GET',
      path: changes.path ?? '/api/books/1',
      query: '',
      headers: { 'content-type': 'application/json' },
    },
    response: {
      status: changes.status ?? 200,
      headers: Object.fromEntries(answered) as Record<string, string>,
    },
    text: JSON.stringify(changes.body ?? { book }),
    requestText: changes.sent === undefined ? undefined : JSON.stringify(changes.sent),
  }
}

const nothing = { answer: false, headers: new Set<string>() }
const errors = (changes: Parameters<typeof exchange>[0]) =>
  truth.violations(exchange(changes), nothing).join('\n')

describe('The check of every response against the document', () => {
  it('accepts a correct response', () => {
    expect(errors({})).toBe('')
    expect(errors({ path: '/api/%62ooks/1' })).toBe('')
    expect(
      errors({
        method: 'POST',
        path: '/api/books',
        status: 201,
        headers: { location: '/api/books/1' },
      }),
    ).toBe('')
  })

  it.each([
    ['another status', { status: 202 }, 'status 202'],
    ['another media type', { headers: { 'content-type': 'text/html' } }, "'text/html'"],
    ['a header too few', { headers: { etag: undefined } }, 'etag is missing'],
    ['a header too many', { headers: { 'x-secret': 'y' } }, 'x-secret is not documented'],
    ['a header of another form', { headers: { etag: 'x' } }, 'etag is'],
    ['a member too few', { body: { book: { ...book, title: undefined } } }, "'title'"],
    ['a member too many', { body: { book: { ...book, costPrice: 1 } } }, 'additional'],
    ['a member too many around it', { body: { book, more: 1 } }, 'additional'],
    ['a value of another type', { body: { book: { ...book, price: '9' } } }, 'number'],
    ['a response to what is not documented', { path: '/api/films' }, '/api/films'],
    [
      'a response to another method',
      { method: 'POST' },
      'POST gets a response that is not documented',
    ],
    [
      'another Allow',
      { method: 'OPTIONS', status: 204, headers: { allow: 'GET' } },
      "Allow is 'GET'",
    ],
    [
      'a request that is accepted, and should not be',
      {
        method: 'POST',
        path: '/api/books',
        status: 201,
        headers: { location: '/' },
        sent: { book: { title: 'Dune', prize: 1 } },
      },
      'was accepted',
    ],
  ])('finds %s', (_, changes, expected) => {
    expect(errors(changes as Parameters<typeof exchange>[0])).toContain(expected)
  })

  it('accepts partial items where fields can be selected', () => {
    const part = truthOf(router.toOpenApi(), '/api')
    expect(part.violations(exchange({ body: { book: { id: '1' } } }), nothing)).toEqual([])
    expect(
      part.violations(exchange({ body: { book: { id: '1', price: '9' } } }), nothing),
    ).not.toEqual([])
  })

  it('accepts any response of middleware that declares nothing', () => {
    const excused = { answer: true, headers: new Set<string>() }
    expect(truth.violations(exchange({ status: 418 }), excused)).toEqual([])
    const setHeader = { answer: false, headers: new Set(['x-request-id']) }
    expect(truth.violations(exchange({ headers: { 'x-request-id': '1' } }), setHeader)).toEqual([])
  })
})
