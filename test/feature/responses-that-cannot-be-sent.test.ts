import { type ApiResponse, createRouter, model, type RequestHook, respond } from 'resourcery'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { leaveRoutersUnwatched } from '../support/truth/watching.ts'

// Unwatched routers: the watched ones of other tests wrap their responses.
leaveRoutersUnwatched()

const Book = model('book', { title: z.string() })

function library(any: RequestHook) {
  const reportedErrors: unknown[] = []
  const router = createRouter({
    policy: rest(),
    store: memory(),
    onError: (error) => reportedErrors.push(error),
  })
  router.prepare(Book).use({ request: { any } })
  return { router, errors: reportedErrors }
}

const odd = (response: object) => () => response as ApiResponse

describe('A response of a hook that cannot be sent is reported once', () => {
  it.each([
    ['a header with a line break', odd(respond(200, { 'x-u': 'a\r\nb' })), /x-u/],
    [
      'a header without a value',
      odd({ status: 200, headers: { 'x-u': undefined }, body: { kind: 'empty' } }),
      /x-u/,
    ],
    ['a header with a name that is none', odd(respond(200, { 'x u': 'a' })), /x u/],
    ['a status that ends nothing', odd(respond(99)), /must be 200 to 599; got 99/],
    ['a status that is no number of HTTP', odd(respond(200.5)), /got 200.5/],
    [
      'a text that is none',
      odd({ status: 200, headers: {}, body: { kind: 'text', text: 42 } }),
      /text/,
    ],
    ['an unknown kind of body', odd({ status: 200, headers: {}, body: { kind: 'web' } }), /web/],
  ])('%s', async (_, any, message) => {
    const { router, errors } = library(any)
    const response = await router.handle(new Request('http://localhost/books'))
    expect(response.status).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
    const serviceErrors: unknown[] = []
    const server = await serve(router, { onError: (error) => serviceErrors.push(error) })
    const { status, statusText } = await fetch(`${server.address}/books`)
    expect([status, statusText]).toEqual([500, 'Internal Server Error'])
    await server.close()
    expect([...serviceErrors, ...errors.slice(1)]).toEqual([
      expect.objectContaining({ message: expect.stringMatching(message) }),
    ])
  })
})

describe('A header that cannot be sent throws where it is set', () => {
  it.each([
    ['x-u', undefined, /'x-u'.*undefined/],
    ['x-u', 42, /'x-u'.*42/],
    ['x-u', 'a\r\nset-cookie: b', /'x-u'.*control characters/],
    ['x-u', 'a\0', /'x-u'/],
    ['x-u', '日', /'x-u'/],
    ['x u', 'a', /"x u"/],
    ['', 'a', /""/],
  ])('%j: %j', async (name, value, message) => {
    for (const set of ['setHeader', 'appendHeader'] as const) {
      const { router, errors } = library((context) => {
        expect(() => context[set](name, value as string)).toThrow(TypeError)
        context[set](name, value as string)
      })
      expect((await router.handle(new Request('http://localhost/books'))).status).toBe(500)
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
    }
  })

  it('a header named like a member of Object.prototype is like any other', async () => {
    const { router, errors } = library(({ setHeader, appendHeader }) => {
      for (const name of ['__proto__', 'constructor']) {
        setHeader(name, 'a')
        appendHeader(name, 'b')
      }
      appendHeader('toString', 'c')
    })
    const { status, headers } = await router.handle(new Request('http://localhost/books'))
    expect(errors).toEqual([])
    expect([
      status,
      headers.get('__proto__'),
      headers.get('constructor'),
      headers.get('tostring'),
    ]).toEqual([200, 'a, b', 'a, b', 'c'])
  })
})
