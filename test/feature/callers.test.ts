import {
  type Authenticator,
  type Context,
  createRouter,
  field,
  type Middleware,
  model,
  type RouterOptions,
  refuse,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { client } from '../support/client.ts'

const Book = model('book', {
  title: z.string(),
  addedBy: field(z.string().optional(), { from: ({ caller }) => (caller as User | undefined)?.id }),
})
const User = z.object({ id: z.string(), isEditor: z.boolean().default(false) })
type User = z.infer<typeof User>

/** The token is the name of the caller; `editor` is one. */
const token: Authenticator<z.input<typeof User>> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: ({ headers }) => {
    const name = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (name === undefined) return undefined
    if (name === 'wrong') return { refused: 'Unknown token.' }
    return { caller: { id: name, ...(name === 'editor' && { isEditor: true }) } }
  },
}

const cookie: Authenticator<z.input<typeof User>> = {
  name: 'session',
  scheme: { type: 'apiKey', in: 'cookie', name: 'sid' },
  authenticate: async ({ headers }) => {
    const id = /\bsid=(\w+)/.exec(headers.cookie ?? '')?.[1]
    if (id === undefined) return undefined
    return id === 'wrong' ? { refused: 'Unknown session.' } : { caller: { id: `${id}-of-cookie` } }
  },
}

function routerWith(
  authentication: readonly Authenticator<z.input<typeof User>>[],
  options: Partial<RouterOptions> = {},
) {
  const seen: (User | undefined)[] = []
  const router = createRouter({
    policy: rest(),
    store: memory(),
    ...options,
    security: { ...options.security, authentication, callerSchema: User },
  })
  router.use({
    request: {
      any: ({ caller }) => {
        seen.push(caller)
      },
    },
  })
  const books = router.prepare(Book)
  return { router, books, seen, api: client(router) }
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

const authorization = (value: string) => ({ authorization: value })

describe('The caller of a request', () => {
  it('is what its credential says, validated by the schema', async () => {
    const { api, seen } = routerWith([token])
    expect((await api.get('/books', authorization('Bearer jane'))).status).toBe(200)
    await api.get('/books', authorization('Bearer editor'))
    expect(seen).toEqual([
      { id: 'jane', isEditor: false },
      { id: 'editor', isEditor: true },
    ])
  })

  it('is undefined without a credential', async () => {
    const { api, seen } = routerWith([token, cookie])
    expect((await api.get('/books')).status).toBe(200)
    expect(seen).toEqual([undefined])
  })

  it.each([
    ['refused by its authenticator', 'Bearer wrong', 'Unknown token.'],
    [
      'of no scheme that the router knows',
      'Basic eDp5',
      "Unknown credential in 'Authorization'; expected one for 'token'.",
    ],
    ['empty', '', "Expected a credential for 'token' in 'Authorization'."],
  ])('is not anonymous where the credential is %s', async (_, value, detail) => {
    const { api, seen } = routerWith([token, cookie])
    const response = await api.get('/books', authorization(value))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.errors).toMatchObject([
      { code: 'invalid-credentials', detail: expect.stringContaining(detail) },
    ])
    expect(seen).toEqual([])
  })

  it('is refused where the schema does not accept it, and told what is wrong', async () => {
    const number: Authenticator = {
      ...token,
      authenticate: () => ({ caller: { id: 7 } }),
    }
    const { api } = routerWith([number as Authenticator<User>])
    const response = await api.get('/books', authorization('Bearer x'))
    expect(response.status).toBe(401)
    expect(response.errors[0]?.detail).toBe(
      'The credential is valid, but describes no caller of this service: expected other values of id.',
    )
  })

  it('is that of the Authorization header where a cookie names another one', async () => {
    const { api, seen } = routerWith([cookie, token])
    const both = (value: string) => api.get('/books', { authorization: value, cookie: 'sid=tom' })
    await both('Bearer jane')
    expect((await both('Bearer wrong')).status).toBe(401)
    expect((await both('Digest x')).status).toBe(401)
    await api.get('/books', { cookie: 'sid=tom' })
    expect(seen.map((caller) => caller?.id)).toEqual(['jane', 'tom-of-cookie'])
  })

  it('is asked for in vain by a wrong cookie, with a challenge', async () => {
    const { api } = routerWith([cookie])
    const response = await api.get('/books', { cookie: 'sid=wrong' })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('is known to hooks around requests, mappers, actions, and values from requests', async () => {
    const { router, books, api } = routerWith([token])
    const ids: unknown[] = []
    router.use({
      around: ({ caller }, next) => {
        ids.push(caller?.id)
        return next()
      },
    })
    books.map((book, { caller }) => ({ ...book, reader: caller?.id ?? 'nobody' }), {
      adds: { reader: z.string() },
    })
    books.itemOperation('sign', ({ item, caller }) => {
      if (!caller?.isEditor) refuse('forbidden', 'Only editors sign.')
      item.title = `${item.title}, signed by ${caller.id}`
    })
    const created = await api.post(
      '/books',
      { book: { id: 'emma', title: 'Emma' } },
      authorization('Bearer jane'),
    )
    expect(created.at('/book')).toMatchObject({ addedBy: 'jane', reader: 'jane' })
    expect((await api.post('/books/emma/sign', undefined)).status).toBe(403)
    const signed = await api.post('/books/emma/sign', undefined, authorization('Bearer editor'))
    expect(signed.status).toBe(200)
    expect((await api.get('/books/emma')).at('/book')).toMatchObject({
      title: 'Emma, signed by editor',
      reader: 'nobody',
    })
    expect(ids).toEqual(['jane', undefined, 'editor', undefined])
  })

  it('is shared by the operations of a batch, and by code that acts for the request', async () => {
    const { router, books: prepared, api, seen } = routerWith([token], { policy: jsonApi() })
    const ofCode: unknown[] = []
    prepared.use({
      query: {
        update: (query, { caller }) => {
          ofCode.push(caller?.id)
          return query
        },
      },
    })
    let context: Context | undefined
    router.use({
      request: {
        create: async (current) => {
          context = current
        },
      },
    })
    const operation = (title: string) => ({
      op: 'add',
      data: { type: 'books', attributes: { title } },
    })
    const response = await api.post(
      '/operations',
      { 'atomic:operations': [operation('Emma'), operation('Persuasion')] },
      { authorization: 'Bearer jane', 'content-type': atomicType },
    )
    expect(response.status).toBe(200)
    expect(seen.map((caller) => caller?.id)).toEqual(['jane', 'jane', 'jane'])
    const books = await listed(router.query(Book).exec())
    expect(books.map(({ addedBy }) => addedBy)).toEqual(['jane', 'jane'])
    await router.items(Book, { as: context! }).update(books[0]!.id, { title: 'Emma!' })
    expect(ofCode).toEqual(['jane'])
  })

  it('is found once for a request, and before hooks run', async () => {
    const log: string[] = []
    const logging: Authenticator<User> = {
      ...(token as Authenticator<User>),
      authenticate: () => {
        log.push('authenticate')
        return undefined
      },
    }
    const { router, api } = routerWith([logging])
    const around: Middleware = {
      around: (_, next) => {
        log.push('around')
        return next()
      },
    }
    router.use(around)
    await api.get('/books/1')
    await api.get('/unknown')
    expect(log).toEqual(['authenticate', 'around'])
  })
})

describe('An authenticator that fails', () => {
  const failing = (authenticate: Authenticator['authenticate']) => {
    const errors: unknown[] = []
    const { api } = routerWith([{ ...token, authenticate } as Authenticator<User>], {
      onError: (error) => errors.push(error),
    })
    return { api, errors }
  }

  it.each([
    ['throws', () => Promise.reject(new TypeError('No database.')), 'No database.'],
    [
      'returns something else',
      () => true as never,
      "The authenticator 'token' must return { caller }, { refused } or undefined.",
    ],
  ])('and %s makes a 500 that is reported', async (_, authenticate, message) => {
    const { api, errors } = failing(authenticate)
    const response = await api.get('/books')
    expect(response.status).toBe(500)
    expect(JSON.stringify(response.body)).not.toContain('database')
    expect(errors).toMatchObject([{ message }])
  })

  it('and refuses with an error of its own answers with it', async () => {
    const { api, errors } = failing(() =>
      refuse('overloaded', 'Try again later.', undefined, { headers: { 'retry-after': '3' } }),
    )
    const response = await api.get('/books')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3'])
    expect(errors).toEqual([])
  })

  it('never makes an anonymous caller of a schema that drops the caller', async () => {
    const errors: unknown[] = []
    const router = createRouter({
      policy: rest(),
      store: memory(),
      security: { authentication: [token], callerSchema: User.transform(() => undefined) },
      onError: (error) => errors.push(error),
    })
    router.prepare(Book)
    const response = await client(router).get('/books', authorization('Bearer jane'))
    expect(response.status).toBe(500)
    expect(errors).toMatchObject([
      { message: expect.stringContaining('that would be an anonymous caller') },
    ])
  })
})

describe('Caches', () => {
  const headersOf = async (use: (parts: ReturnType<typeof routerWith>) => void, router = true) => {
    const parts = routerWith([token, cookie])
    if (!router) use(parts)
    const plain = createRouter({
      policy: rest(),
      store: memory(),
      security: { authentication: [token, cookie], callerSchema: User },
    })
    const books = plain.prepare(Book)
    use({ ...parts, router: plain, books } as ReturnType<typeof routerWith>)
    const { headers } = await client(plain).get('/books')
    return [headers.get('cache-control'), headers.get('vary')]
  }

  it('may share responses that depend on nobody', async () => {
    expect(await headersOf(() => undefined)).toEqual([null, 'Accept'])
  })

  it.each([
    ['hooks', ({ books }) => books.use({ request: { getList: () => undefined } })],
    ['mappers', ({ books }) => books.map((book) => book)],
    ['hooks around requests', ({ router }) => router.use({ around: (_, next) => next() })],
  ] as [string, (parts: ReturnType<typeof routerWith>) => void][])(
    'keep responses apart that depend on the caller through %s',
    async (_, use) => {
      expect(await headersOf(use)).toEqual(['private, no-cache', 'Accept, Authorization, Cookie'])
    },
  )

  it('keep the headers of Vary that middleware sets', async () => {
    const [, vary] = await headersOf(({ router }) =>
      router.use({ request: { any: ({ setHeader }) => setHeader('vary', 'X-Tenant, Cookie') } }),
    )
    expect(vary).toBe('Accept, Authorization, X-Tenant, Cookie')
  })
})

describe('Registration of authentication', () => {
  const register = (options: object) => () =>
    createRouter({ policy: rest(), store: memory(), security: options } as RouterOptions)

  it.each([
    [
      'authenticators without a schema',
      { authentication: [token] },
      "The option 'security.callerSchema' of createRouter() must be the schema",
    ],
    [
      'a schema without authenticators',
      { callerSchema: User },
      "The option 'security.authentication' of createRouter() must be a list",
    ],
    [
      'no authenticator',
      { authentication: [], callerSchema: User },
      "The option 'security.authentication' of createRouter() must be",
    ],
    [
      'an authenticator without a name',
      { authentication: [{}], callerSchema: User },
      'Each authenticator of createRouter() must be',
    ],
    [
      'an authenticator without a scheme',
      { authentication: [{ ...token, scheme: 'bearer' }], callerSchema: User },
      "The scheme of the authenticator 'token' must be an OpenAPI security scheme",
    ],
    [
      'two authenticators of one name',
      { authentication: [token, { ...cookie, name: 'token' }], callerSchema: User },
      "Two authenticators have the name 'token'.",
    ],
    [
      'credentials that browsers send to all sites',
      { authentication: [token, cookie], callerSchema: User, trustedOrigins: 'any' },
      "Browsers send the credential of the authenticator 'session' by themselves",
    ],
  ])('refuses %s', (_, options, message) => {
    expect(register(options)).toThrow(message)
  })

  it('allows any origin where browsers send no credential by themselves', () => {
    expect(
      register({ authentication: [token], callerSchema: User, trustedOrigins: 'any' }),
    ).not.toThrow()
  })
})

describe('The OpenAPI document of a router with authentication', () => {
  const documentOf = ({ router }: ReturnType<typeof routerWith>) =>
    router.toOpenApi() as unknown as {
      readonly components: { readonly securitySchemes?: object }
      readonly paths: Record<string, Record<string, { security: unknown; responses: object }>>
    }

  it('has its schemes, which are optional until a hook requires one', () => {
    const parts = routerWith([token, cookie])
    parts.books.use({ request: { write: () => undefined }, declares: { security: { token: [] } } })
    const { components, paths } = documentOf(parts)
    expect(components.securitySchemes).toEqual({ token: token.scheme, session: cookie.scheme })
    expect(paths['/books']!.get!.security).toEqual([{ token: [] }, { session: [] }, {}])
    expect(paths['/books']!.post!.security).toEqual([{ token: [] }])
    expect(Object.keys(paths['/books']!.get!.responses)).toContain('401')
  })
})
