import { AuthenticationUnavailable, type Authenticator, createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Book = model('book', {
  title: z.string(),
  price: z.number().optional(),
})
const token: Authenticator<{ id: string }> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: async ({ headers }) => {
    if (headers.authorization === 'Bearer away') throw new AuthenticationUnavailable('Away.')
    if (headers.authorization === 'Bearer ada') return { caller: { id: 'ada' } }
    return headers.authorization === undefined ? undefined : { refused: 'Unknown token.' }
  },
}

function open(hasVariants: boolean) {
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    security: { authentication: [token], callerSchema: z.object({ id: z.string() }) },
    docsPage: true,
    startPage: true,
    onError: () => undefined,
  })
  router.prepare(Book).access(({ anyone, signedIn }) => ({
    read: anyone,
    create: signedIn,
    ...(hasVariants && { fields: { price: { read: signedIn } } }),
  }))
  return async (path: string, authorization?: string, init: RequestInit = {}) => {
    const headers = { ...(authorization && { authorization }), ...init.headers }
    return router.handle(new Request(`http://localhost${path}`, { ...init, headers }))
  }
}

const json = { 'content-type': 'application/json' }
const body = '{"book":{"title":"Dune"}}'

describe.each([
  ['where all callers see the same fields', false],
  ['where a field depends on the caller', true],
])('A credential that is refused, %s', (_, hasVariants) => {
  it.each<[string, string, RequestInit, number, number]>([
    ['a list', '/api/books', {}, 401, 503],
    ['an item that does not exist', '/api/books/none', {}, 401, 503],
    ['a creation', '/api/books', { method: 'POST', headers: json, body }, 401, 503],
    ['HEAD', '/api/books', { method: 'HEAD' }, 401, 503],
    [
      'a write from another site',
      '/api/books',
      {
        method: 'POST',
        headers: { ...json, origin: 'https://evil.example' },
        body,
      },
      403,
      403,
    ],
    ['OPTIONS', '/api/books', { method: 'OPTIONS' }, 204, 204],
    ['another method', '/api/books', { method: 'DELETE' }, 405, 405],
    ['an unknown path', '/api/boks', {}, 404, 404],
    ['a malformed path', '/api/books/%ff', {}, 400, 400],
    ['the document of a caller', '/api/openapi.json', {}, 401, 503],
    ['the documentation', '/api/docs', {}, 200, 200],
    ['the script of the documentation', '/api/docs/start.js', {}, 200, 200],
    ['the start page', '/api', { headers: { accept: 'text/html' } }, 200, 200],
  ])('at %s', async (_, path, init, refused, unavailable) => {
    const send = open(hasVariants)
    const response = await send(path, 'Bearer wrong', init)
    expect(response.status).toBe(refused)
    if (refused === 401) {
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
    expect((await send(path, 'Bearer away', init)).status).toBe(unavailable)
    // What it does not reach is what an anonymous caller gets.
    if (refused === 200)
      expect(await (await send(path, 'Bearer wrong', init)).text()).toBe(
        await (await send(path, undefined, init)).text(),
      )
  })
})

it('does not tell which fields others see', async () => {
  const send = open(true)
  const price = async (credential?: string) =>
    (await (await send('/api/openapi.json', credential)).text()).includes('"price"')
  expect([await price(), await price('Bearer wrong'), await price('Bearer ada')]).toEqual([
    false,
    false,
    true,
  ])
})

it('counts for nothing at a document that is the same for all callers', async () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: { authentication: [token], callerSchema: z.object({ id: z.string() }) },
    docsPage: true,
  })
  router.prepare(Book)
  const headers = { authorization: 'Bearer wrong' }
  const response = await router.handle(new Request('http://localhost/openapi.json', { headers }))
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
})
