import { createRouter, type Middleware, model, refuse } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Declaration } from 'resourcery/types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })
const Author = model('author', { name: z.string() })
const bearer = { type: 'http', scheme: 'bearer' } as const

const serviceOf = (...middleware: Middleware[]) => {
  const router = createRouter({ policy: rest(), store: memory() })
  for (const each of middleware) router.use(each)
  router.prepare(Book)
  router.prepare(Author)
  return router
}

const documentOf = (...middleware: Middleware[]) =>
  serviceOf(...middleware).toOpenApi({ info: { title: 'Books', version: '1' } }) as unknown as {
    readonly components: { readonly securitySchemes?: object }
    readonly paths: Record<string, Record<string, { readonly security: unknown }>>
  }

const declared = (security: Declaration['security'], name: 'any' | 'write' = 'any') =>
  ({ request: { [name]: () => undefined }, declares: { security } }) as Middleware

describe('Authentication that is optional', () => {
  const signIn = declared([{ token: bearer }, {}])
  const needsToken: Middleware = {
    request: {
      write: ({ request }) => {
        if (!request.headers.authorization) refuse('unauthorized', 'Send a token.')
      },
    },
    declares: { security: { token: [] }, errors: ['unauthorized'] },
  }

  it('stands in the document, and is required where other middleware says so', () => {
    const { paths, components } = documentOf(signIn, needsToken)
    expect(paths['/books']!.get!.security).toEqual([{ token: [] }, {}])
    expect(paths['/books']!.post!.security).toEqual([{ token: [] }])
    expect(paths['/authors/{id}']!.delete!.security).toEqual([{ token: [] }])
    expect(components.securitySchemes).toEqual({ token: bearer })
  })

  it('is what the service then does', async () => {
    const api = client(serviceOf(signIn, needsToken))
    expect((await api.get('/books')).status).toBe(200)
    const refused = await api.post('/books', { book: { title: 'x' } })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('may be one of several ways, with scopes', () => {
    const key = { type: 'apiKey', in: 'header', name: 'X-Key' } as const
    const oauth = { type: 'oauth2', flows: {} } as const
    const { paths } = documentOf(
      declared([{ oauth: { ...oauth, scopes: ['read'] } }, { key }]),
      declared([{ oauth: ['write'] }, { key: [] }], 'write'),
    )
    expect(paths['/books']!.get!.security).toEqual([{ oauth: ['read'] }, { key: [] }])
    expect(paths['/books']!.post!.security).toEqual([
      { oauth: ['read', 'write'] },
      { key: [], oauth: ['read'] },
      { key: [], oauth: ['write'] },
      { key: [] },
    ])
  })

  it('leaves out what asks for nothing', () => {
    expect(documentOf(declared([{}])).paths['/books']!.get!.security).toEqual([])
  })

  it.each([
    [[], "The option 'security' of a declaration has no alternative."],
    [[{ token: [] }], "No middleware describes the security scheme 'token'"],
    [{ token: 'bearer' }, "The security scheme 'token' must be a scheme"],
    [[null], "Each alternative of the option 'security' must be an object"],
  ])('is checked at registration: %j', (security, message) => {
    expect(() => serviceOf(declared(security as never)).rules).toThrow(message)
  })

  it('suggests the name of a scheme that was meant', () => {
    expect(
      () => serviceOf(declared([{ token: bearer }, {}]), declared({ tokn: [] }, 'write')).rules,
    ).toThrow("Did you mean 'token'?")
  })
})
