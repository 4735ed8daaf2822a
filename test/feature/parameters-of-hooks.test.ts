import {
  type Authenticator,
  createRouter,
  type Middleware,
  model,
  stateKey,
  toMany,
  toOne,
} from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string(), shareToken: z.string().optional() })
const linkToken: Authenticator<{ id: string }> = {
  name: 'link',
  scheme: { type: 'apiKey', in: 'query', name: 'accessToken' },
  authenticate: ({ query }) => {
    const token = new URLSearchParams(query).get('accessToken')
    if (token === null) return undefined
    return token === 'secret of ada' ? { caller: { id: 'ada' } } : { refused: 'Unknown token.' }
  },
}
const credential = 'accessToken=secret%20of%20ada'

/** Whoever has the link of an item may read it. */
const sharedByLink: Middleware = {
  request: {
    read: ({ request, state }) =>
      void state.set(share, new URLSearchParams(request.query).get('shareToken') ?? undefined),
  },
  query: {
    read: (query, { state, caller }) =>
      caller ? query : query.where('shareToken').equal(state.get(share) ?? 'none'),
  },
  declares: { parameters: { shareToken: 'The token of a link that somebody shared.' } },
}
const share = stateKey<string | undefined>('share')

async function open(policy = rest()) {
  const router = createRouter({
    policy,
    basePath: '/api',
    store: memory(),
    security: { authentication: [linkToken], callerSchema: z.object({ id: z.string() }) },
  })
  router.prepare(Book).use(sharedByLink)
  await router.load(
    Book,
    [1, 2, 3, 4].map((id) => ({
      id: String(id),
      title: `Book ${id}`,
      ...(id < 3 && { shareToken: 'shared with bob' }),
    })),
  )
  const get = async (query: string, path = '/api/books') => {
    const response = await router.handle(new Request(`http://localhost${path}?${query}`))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { router, get }
}

it.each([
  ['REST', rest()],
  ['JSON:API', jsonApi()],
])('a credential in the query is known, and in no link: %s', async (_, policy) => {
  const { get } = await open(policy)
  for (const query of [credential, `${credential}&page[size]=1`, `page[size]=1&${credential}`]) {
    const first = await get(query)
    expect(first.status).toBe(200)
    const all = first.text + (first.headers.get('link') ?? '')
    expect(all).toContain('Book 1')
    expect(all).not.toMatch(/secret|accessToken/)
    if (query.includes('page')) expect(all).toContain('page%5Bsize%5D=1')
  }
  expect((await get('accessToken=wrong')).status).toBe(401)
  expect((await get(credential, '/api/books/4')).status).toBe(200)
  expect((await get('accesToken=x')).text).toContain("Did you mean 'accessToken'?")
  expect((await get(`${credential}&${credential}`)).status).toBe(400)
})

it('a link with a token leads to the items that were shared, and to further pages', async () => {
  const { get } = await open(jsonApi())
  expect(JSON.parse((await get('')).text).data).toEqual([])
  expect((await get('shareToken=wrong', '/api/books/1')).status).toBe(404)
  expect((await get('shareToken=shared%20with%20bob', '/api/books/1')).status).toBe(200)
  expect((await get('shareToken=shared%20with%20bob', '/api/books/3')).status).toBe(404)
  const page = JSON.parse((await get('shareToken=shared%20with%20bob&page[size]=1')).text)
  expect(page.data).toHaveLength(1)
  const next = new URL(page.links.next, 'http://localhost')
  expect(next.searchParams.get('shareToken')).toBe('shared with bob')
  expect(JSON.parse((await get(next.search.slice(1))).text).data).toMatchObject([{ id: '2' }])
})

it.each([
  ['REST', rest()],
  ['JSON:API', jsonApi()],
])('a parameter is known at the addresses of its model only: %s', async (_, policy) => {
  const Author = model('author', {
    name: z.string(),
    novels: toMany('novel', { inverse: 'author' }),
    best: toOne('novel', { optional: true }),
  })
  const Novel = model('novel', {
    title: z.string(),
    shareToken: z.string().optional(),
    author: toOne('author', { optional: true }),
  })
  const router = createRouter({ policy, store: memory() })
  router.prepare(Author)
  router.prepare(Novel).use(sharedByLink)
  await router.load(Author, [{ id: 'a', name: 'Ann' }])
  await router.load(Novel, [{ id: '1', title: 'One', shareToken: 'x', author: 'a' }])
  const api = client(router)
  const statusOf = async (path: string) => (await api.get(`${path}shareToken=x`)).status
  const isJsonApi = policy.name === 'json-api'
  const known = [
    '/novels?',
    '/novels/1?',
    '/novels/1?include=author&',
    ...(isJsonApi
      ? ['/authors/a/novels?', '/authors/a/relationships/novels?', '/novels/1/author?']
      : []),
  ]
  for (const path of known) expect([path, await statusOf(path)]).toEqual([path, 200])
  for (const path of ['/authors?', '/authors/a?', '/authors/a?include=novels,best&'])
    expect([path, await statusOf(path)]).toEqual([path, 400])
  const document = JSON.parse(JSON.stringify(router.toOpenApi()))
  const namesAt = (path: string) => JSON.stringify(document.paths[path].get.parameters)
  expect(namesAt('/novels/{id}')).toContain('shareToken')
  expect(namesAt('/authors/{id}')).not.toContain('"shareToken"')
})

it('the document has both: one as a parameter, and one as a security scheme', async () => {
  const { router } = await open()
  const document = JSON.parse(JSON.stringify(router.toOpenApi()))
  const { parameters, security } = document.paths['/books'].get
  expect(parameters).toContainEqual(
    expect.objectContaining({
      name: 'shareToken',
      in: 'query',
      description: 'The token of a link that somebody shared.',
    }),
  )
  expect(JSON.stringify(parameters)).not.toContain('accessToken')
  expect(security).toContainEqual({ link: [] })
  expect(document.components.securitySchemes.link).toEqual(linkToken.scheme)
})

it.each([
  ['page', "The query parameter 'page'"],
  ['a b', "The query parameter 'a b'"],
])('the parameter %s cannot be declared', (name, message) => {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(Book).use({
    request: { any: () => undefined },
    declares: { parameters: { [name]: 'Mine.' } },
  })
  expect(() => router.rules).toThrow(message)
})

it('a link shows an item that is closed to its reader otherwise', async () => {
  const token = 'a token of twenty characters'
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: {
      defaultAccess: 'closed',
      authentication: [basic({ users: { ann: 'secret' }, caller: (id) => ({ id }) })],
      callerSchema: z.object({ id: z.string() }),
    },
  })
  class Draft extends model('draft', {
    title: z.string(),
    owner: z.string(),
    shareToken: z.string().min(20).optional(),
  }) {}
  const ownOrShared: Middleware<Draft, { id: string }> = {
    ...sharedByLink,
    query: {
      read: (query, { caller, state }) => {
        const sent = state.get(share)
        return query.or(
          (own) => (caller ? own.where('owner').equal(caller.id) : own.none()),
          (shared) => (sent ? shared.where('shareToken').equal(sent) : shared.none()),
        )
      },
    },
  }
  router
    .prepare(Draft)
    .access(({ item, caller, anyone, signedIn }) => {
      const own = item.owner.equal(caller.id)
      return {
        read: anyone,
        create: signedIn,
        update: own,
        set: { owner: caller.id },
        fields: { shareToken: { read: own } },
      }
    })
    .use(ownOrShared)
  await router.load(Draft, [
    { id: 'shared', title: 'A', owner: 'bob', shareToken: token },
    { id: 'own', title: 'B', owner: 'ann' },
    { id: 'other', title: 'C', owner: 'bob' },
  ])
  const api = client(router)
  const ann = { authorization: `Basic ${btoa('ann:secret')}` }
  const link = `shareToken=${encodeURIComponent(token)}`
  expect((await api.get('/drafts')).ids('drafts')).toEqual([])
  expect((await api.get(`/drafts?${link}`)).ids('drafts')).toEqual(['shared'])
  expect((await api.get('/drafts/shared')).status).toBe(404)
  expect((await api.get(`/drafts/shared?${link}`)).body).toEqual({
    draft: { id: 'shared', title: 'A', owner: 'bob' },
  })
  expect((await api.get('/drafts', ann)).ids('drafts')).toEqual(['own'])
  expect((await api.get(`/drafts?${link}`, ann)).ids('drafts')).toEqual(['own', 'shared'])
  const change = { draft: { title: 'Mine' } }
  expect((await api.patch(`/drafts/shared?${link}`, change, ann)).status).toBe(403)
  expect((await api.patch('/drafts/own', change, ann)).status).toBe(200)
})
