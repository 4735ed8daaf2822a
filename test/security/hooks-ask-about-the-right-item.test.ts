import {
  type Context,
  createRouter,
  type Middleware,
  model,
  type QueryHook,
  type Router,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const User = model('user', {
  name: z.string(),
  open: z.boolean().default(true),
  boss: toOne('user', { optional: true }),
  staff: toMany('user', { inverse: 'boss' }),
  friends: toMany('user'),
  posts: toMany('post', { inverse: 'author' }),
})
const Post = model('post', { title: z.string(), author: toOne('user', { optional: true }) })

interface Guarded {
  readonly user?: Middleware
  readonly post?: Middleware
  readonly shared?: Middleware
}

async function service({ user, post, shared }: Guarded): Promise<Router> {
  const router = createRouter({ policy: jsonApi(), store: memory(), onError: () => undefined })
  if (shared) router.use(shared)
  const users = router.prepare(User)
  const posts = router.prepare(Post)
  if (user) users.use(user)
  if (post) posts.use(post)
  await router.load(User, [
    { id: 'other', name: 'Secret', open: false },
    { id: 'third', name: 'Third', boss: 'me' },
    { id: 'me', name: 'Me', boss: 'other', friends: ['other'] },
  ])
  await router.load(Post, [
    { id: 'mine', title: 'Mine', author: 'me' },
    { id: 'theirs', title: 'Theirs', author: 'other' },
    { id: 'other', title: 'Of the same id', author: 'other' },
  ])
  return router
}

async function send(
  router: Router,
  method: string,
  path: string,
  body?: unknown,
): Promise<[number, string]> {
  const response = await router.handle(
    new Request(`http://localhost${path}`, {
      method,
      headers: { 'content-type': 'application/vnd.api+json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  return [response.status, await response.text()]
}

const users = (...ids: readonly string[]) => ids.map((id) => ({ type: 'users', id }))
const patch = (id: string, relationships: object, type = 'users') => ({
  data: { type, id, relationships },
})
const asRefused = ({ id }: Context): undefined => {
  if (id !== 'me') throw refuse('forbidden', 'Only yourself.')
}

describe('Who may change one item changes no other of the same model through a relation', () => {
  const writes: readonly (readonly [string, string, unknown])[] = [
    ['POST', '/users/me/relationships/staff', { data: users('other') }],
    ['PATCH', '/users/me/relationships/staff', { data: [] }],
    ['DELETE', '/users/me/relationships/staff', { data: users('third') }],
    ['PATCH', '/users/me', patch('me', { staff: { data: [] } })],
    ['PATCH', '/users/me', patch('me', { staff: { data: users('third', 'other') } })],
  ]
  const guards: readonly (readonly [string, Guarded])[] = [
    ['update of the model', { user: { request: { update: asRefused } } }],
    ['patch of the model', { user: { request: { patch: asRefused } } }],
    ['any of the model', { user: { request: { any: asRefused } } }],
    ['update of the router', { shared: { request: { update: asRefused } } }],
    ['the same function under any of the router and update of the model', both()],
  ]
  function both(): Guarded {
    const hook = (context: Context) =>
      context.rule.operation === 'UpdateItem' ? asRefused(context) : undefined
    return { shared: { request: { any: hook } }, user: { request: { update: hook } } }
  }

  describe.each(guards)('guarded by %s', (_, guarded) => {
    let router: Router
    beforeEach(async () => {
      router = await service(guarded)
    })

    it.each(writes)('%s %s with %j', async (method, path, body) => {
      expect((await send(router, method, path, body))[0]).toBe(403)
    })
  })

  it('a function that guards updates of all models runs for the items of each', async () => {
    const calls: unknown[] = []
    const update = ({ id, rule }: Context) =>
      void calls.push('view' in rule && `${rule.view.model.name} ${id}`)
    const router = await service({ shared: { request: { update } } })
    const body = patch('me', { posts: { data: [{ type: 'posts', id: 'theirs' }] } })
    expect((await send(router, 'PATCH', '/users/me', body))[0]).toBe(200)
    expect(calls).toEqual(['user me', 'post theirs', 'post mine'])
  })
})

describe('Who may read one item reads no other of the same model through a relation', () => {
  const paths = [
    '/users/me?include=boss',
    '/users/me?include=friends',
    '/users/me/boss',
    '/users/me/friends',
    '/users/me/friends?filter[name][startsWith]=S',
    '/users/me/relationships/staff',
    '/users/me?include=posts.author',
    '/users/me/posts?include=author',
    '/users/me/posts?filter[author.boss.name]=Secret',
    '/users/me/posts?sort=author.name',
  ]
  it.each(paths)('GET %s', async (path) => {
    for (const guarded of [
      { user: { request: { getItem: asRefused } } },
      { user: { request: { any: asRefused } } },
    ])
      expect((await send(await service(guarded), 'GET', path))[0]).toBe(403)
  })

  it('a body that names another item is refused too', async () => {
    const router = await service({ user: { request: { getItem: asRefused } } })
    expect(
      (
        await send(router, 'PATCH', '/users/me', patch('me', { boss: { data: users('third')[0] } }))
      )[0],
    ).toBe(403)
  })

  it('relations that the item itself stores are read', async () => {
    const narrowed: Middleware = {
      request: { getItem: asRefused },
      query: { getItem: (query) => query },
    }
    for (const user of [{ request: { getItem: asRefused } }, narrowed]) {
      const router = await service({ user })
      for (const path of ['/users/me', '/users/me/posts', '/users/me?include=posts'])
        expect((await send(router, 'GET', path))[0], path).toBe(200)
      expect(
        (await send(router, 'PATCH', '/users/me', patch('me', { boss: { data: null } })))[0],
      ).toBe(200)
    }
  })

  it('hooks of the model run once more, without an id; any hooks of the router run once', async () => {
    const seen: string[] = []
    const tell =
      (who: string) =>
      ({ rule, id, params }: Context) =>
        void seen.push(`${who} ${rule.operation} ${id} ${params.id}`)
    const router = await service({
      user: { request: { any: tell('any'), getItem: tell('getItem') } },
      shared: { request: { any: tell('router') } },
    })
    await send(router, 'GET', '/users/me?include=boss,friends,staff')
    expect(seen).toEqual([
      'router GetItem me me',
      'any GetItem me me',
      'getItem GetItem me me',
      'any GetItem undefined undefined',
      'getItem GetItem undefined undefined',
    ])
    seen.length = 0
    await send(router, 'GET', '/users?include=boss')
    expect(seen).toHaveLength(3)
  })
})

describe('Cursors do not reveal the sort values of hooks that other hooks hide', () => {
  const cursorOf = (text: string) =>
    new URL(JSON.parse(text).links.next, 'http://localhost').searchParams.get('page[after]')
  it.each(['any', 'getItem'] as const)(
    'where a request hook of %s guards the model sorted through',
    async (name) => {
      const router = await service({
        user: { request: { [name]: () => refuse('forbidden', 'Nobody.') as never } },
        post: { query: { getList: (query) => query.sort('author.name') } },
      })
      const [status, text] = await send(router, 'GET', '/posts?page[size]=1')
      expect(status).toBe(200)
      const cursor = cursorOf(text)!
      expect(Buffer.from(cursor.slice(1), 'base64url').toString('latin1')).not.toMatch(/Me|Secret/)
      const open = await service({
        post: { query: { getList: (query) => query.sort('author.name') } },
      })
      const forged = cursorOf((await send(open, 'GET', '/posts?page[size]=1'))[1])!
      expect(Buffer.from(forged.slice(1), 'base64url').toString('latin1')).toMatch(/Me/)
      const pageAfter = (value: string) =>
        `/posts?page[size]=1&page[after]=${encodeURIComponent(value)}`
      expect((await send(router, 'GET', pageAfter(cursor)))[0]).toBe(200)
      expect((await send(router, 'GET', pageAfter(forged)))[0]).toBe(400)
    },
  )
})

describe("Query hooks of related items do not see the id and the rule of the request's item", () => {
  const byId: Middleware = {
    query: { getItem: (query, { id }) => (id === 'other' ? query : query.none()) },
  }
  it.each([
    '/posts/other?include=author',
    '/posts/other/author',
    '/posts/other/relationships/author',
    '/posts/other',
  ])('by the id: GET %s', async (path) => {
    const [, text] = await send(await service({ user: byId }), 'GET', path)
    expect(text).not.toMatch(/Secret|"type":"users"/)
  })

  it('also for related items of the same model', async () => {
    const router = await service({
      user: { query: { getItem: (query, { id }) => (id === 'me' ? query : query.none()) } },
    })
    for (const path of [
      '/users/me?include=boss',
      '/users/me/boss',
      '/users/me/friends',
      '/users/me',
    ]) {
      const [status, text] = await send(router, 'GET', path)
      expect([status, text.includes('Secret'), /"id":"(other|third)"/.test(text)], path).toEqual([
        200,
        false,
        false,
      ])
    }
  })

  const byModel: Middleware = {
    query: {
      any: (query, { rule }) =>
        'view' in rule && rule.view.model.name === 'user' ? query.where('open').equal(true) : query,
    },
  }
  it.each([
    '/posts/theirs?include=author',
    '/posts?include=author',
    '/posts/theirs/author',
    '/posts/theirs',
    '/posts?filter[author.name]=Secret',
    '/users/other/posts',
    '/users/other/relationships/posts',
  ])('by the model: GET %s', async (path) => {
    const [status, text] = await send(await service({ shared: byModel }), 'GET', path)
    expect(status).toBeLessThan(500)
    expect(text).not.toMatch(/"Secret"|"type":"users","id":"other"|Theirs","author/)
    if (path.startsWith('/users')) expect(status).toBe(404)
    if (path.includes('filter')) expect(JSON.parse(text).data).toEqual([])
  })

  it('hooks get the own id of items that are changed from the inverse side', async () => {
    for (const name of ['update', 'create'] as const) {
      const seen: string[] = []
      const hook: QueryHook = (query, { id, rule }) => {
        seen.push(`${rule.operation} ${'view' in rule && rule.view.model.name} ${id}`)
        return id === 'other' ? query.none() : query
      }
      const router = await service({ user: { query: { [name]: hook } } })
      expect(
        (await send(router, 'POST', '/users/me/relationships/staff', { data: users('other') }))[0],
        name,
      ).toBe(403)
      expect(seen).toContain('UpdateItem user other')
      expect(
        (
          await send(router, 'DELETE', '/users/me/relationships/staff', { data: users('third') })
        )[0],
      ).toBe(204)
    }
  })
})
