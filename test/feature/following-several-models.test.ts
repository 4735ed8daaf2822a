import { createRouter, model, type RouterOptions, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { type ChangesPage, changesClient as client, pageOf } from '../support/change-pages.ts'
import { type Client, client as plainClient } from '../support/client.ts'
import { eventStream } from '../support/event-stream.ts'
import { Article, Desk, newsroom, Remark } from '../support/newsroom.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

async function changes(api: Client, query: string, caller = 'ann'): Promise<ChangesPage> {
  const response = await api.get(`/changes?${query}`, as(caller))
  expect(response.status, response.text).toBe(200)
  return pageOf(response)
}

const ready = { title: 'T', words: 1, owner: 'ann', status: 'ready' } as const
const both = 'models=articles,desks'

describe.each(stores)('Changes of several models ($name)', ({ make }) => {
  async function room(policy = rest()) {
    const world = newsroom(await make(), policy)
    const { router } = world
    const api = client(router)
    const items = { articles: router.items(Article), desks: router.items(Desk) }
    return { ...world, ...items, api, next: (await changes(api, both)).next }
  }

  it('are in one page, in their order, and each names its model', async () => {
    const { api, articles, desks, next } = await room()
    await desks.create({ id: 'd', name: 'D' })
    await articles.create({ id: 'a', ...ready })
    await desks.update('d', { name: 'E' })
    await articles.delete('a')
    const page = await changes(api, `${both}&since=${next}`)
    expect(page.changes).toMatchObject([
      { kind: 'create', type: 'desks', id: 'd', item: { id: 'd', name: 'D' } },
      { kind: 'create', type: 'articles', id: 'a', item: { id: 'a', title: 'T' } },
      { kind: 'update', type: 'desks', id: 'd', item: { name: 'E' } },
      { kind: 'delete', type: 'articles', id: 'a' },
    ])
    expect(page.isEnd).toBe(true)
    expect((await changes(api, `${both}&since=start`)).changes).toHaveLength(4)
  })

  it('have the form of the policy', async () => {
    const { api, articles, desks, next } = await room(jsonApi())
    await articles.create({ id: 'a', ...ready })
    await desks.create({ id: 'd', name: 'D' })
    const response = await api.get(`/changes?${both}&since=${next}`, as('ann'))
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json')
    expect(response.at('/meta/changes')).toMatchObject([
      { kind: 'create', item: { type: 'articles', id: 'a', attributes: { title: 'T' } } },
      { kind: 'create', item: { type: 'desks', id: 'd', attributes: { name: 'D' } } },
    ])
  })

  it('follow the filter and the fields of each list', async () => {
    const { api, articles, desks } = await room()
    const query = `${both}&filter[articles][words][gte]=10&filter[desks]=eq(name,'D')&fields[articles]=words&fields[desks]=name`
    const { next } = await changes(api, query)
    await articles.create({ id: 'a', ...ready })
    await articles.update('a', { words: 10 })
    await desks.create({ id: 'd', name: 'D' })
    await desks.update('d', { name: 'E' })
    expect((await changes(api, `${query}&since=${next}`)).changes).toEqual([
      { kind: 'create', type: 'articles', id: 'a', item: { id: 'a', words: 10 } },
      { kind: 'create', type: 'desks', id: 'd', item: { id: 'd', name: 'D' } },
      { kind: 'delete', type: 'desks', id: 'd' },
    ])
  })

  it('obey the access rules of each model, for rows and fields', async () => {
    const { api, articles, desks, next } = await room()
    await articles.create({ id: 'a', ...ready, owner: 'bob', notes: 'private' })
    await desks.create({ id: 'closed', name: 'C', isOpen: false })
    await desks.create({ id: 'd', name: 'D' })
    expect((await changes(api, `${both}&since=${next}`)).changes).toMatchObject([
      { kind: 'create', type: 'desks', id: 'd' },
    ])
    const { changes: all } = await changes(api, `${both}&since=start`, 'eve:editor')
    expect(all.map(({ type }) => type)).toEqual(['articles', 'desks', 'desks'])
    expect(JSON.stringify(all)).not.toContain('private')
  })

  it('of one transaction stand together', async () => {
    const { router, api, articles, desks, next } = await room()
    await desks.create({ id: 'd', name: 'D' })
    await router.transaction(async (items) => {
      await items(Desk).update('d', { name: 'E' })
      await items(Article).create({ id: 'a', ...ready })
      await items(Article).create({ id: 'b', ...ready })
    })
    const ids = ({ changes }: ChangesPage) => changes.map(({ id }) => id)
    const first = await changes(api, `${both}&limit=3&since=${next}`)
    expect([ids(first), first.isEnd]).toEqual([['d'], false])
    const whole = await changes(api, `${both}&limit=3&since=${first.next}`)
    expect([ids(whole).toSorted(), whole.isEnd]).toEqual([['a', 'b', 'd'], true])
    const part = await changes(api, `${both}&limit=2&since=${first.next}`)
    expect(part.isTransactionSplit).toBe(true)
    await articles.delete('a')
  })

  it('ask to read all lists again where nobody can say what changed in one of them', async () => {
    const { router, api, articles } = await room()
    await articles.create({ id: 'a', ...ready })
    await router.items(Remark).create({ id: 'r', text: 'R', article: 'a' })
    const { next } = await changes(api, 'models=remarks,desks')
    await articles.update('a', { status: 'draft' })
    const page = await changes(api, `models=remarks,desks&since=${next}`)
    expect(page.changes).toEqual([{ kind: 'reset' }])
    expect((await changes(api, `models=remarks,desks&since=${page.next}`)).changes).toEqual([])
  })

  it('ask to read all lists again when time or other rights move items', async () => {
    const { api, articles, tick } = await room()
    const publishAt = new Date(Date.UTC(2026, 0, 1) + 60_000).toISOString()
    await articles.create({ id: 'a', ...ready, owner: 'bob', publishAt })
    const { next } = await changes(api, both)
    tick(70_000)
    const later = await changes(api, `${both}&since=${next}`)
    expect(later.changes).toEqual([{ kind: 'reset' }])
    const promoted = await changes(api, `${both}&since=${later.next}`, 'ann:editor')
    expect(promoted.changes).toEqual([{ kind: 'reset' }])
  })

  it('begin before the lists are read, and lead to what they are later', async () => {
    const { api, articles, desks } = await room()
    await desks.create({ id: 'd', name: 'D' })
    const { next } = await changes(api, both)
    await articles.create({ id: 'a', ...ready })
    const listed = { articles: await api.get('/articles', as('ann')) }
    await desks.update('d', { name: 'E' })
    const lists = { ...listed, desks: await api.get('/desks', as('ann')) }
    await articles.update('a', { words: 9 })
    const known = new Map<string, Map<string, unknown>>()
    for (const [plural, list] of Object.entries(lists)) {
      const items = (list.body as Record<string, { readonly id: string }[]>)[plural]!
      known.set(plural, new Map(items.map((item) => [item.id, item])))
    }
    for (const { kind, type, id, item } of (await changes(api, `${both}&since=${next}`)).changes)
      if (kind === 'delete') known.get(type as string)!.delete(id as string)
      else known.get(type as string)!.set(id as string, item)
    for (const plural of ['articles', 'desks']) {
      const list = await api.get(`/${plural}`, as('ann'))
      expect([...known.get(plural)!.values()]).toEqual(
        (list.body as Record<string, unknown>)[plural],
      )
    }
  })

  it('have positions that are for these models, filters and this caller, in any order', async () => {
    const { api, next } = await room()
    expect((await changes(api, `models=desks,articles&since=${next}`)).isEnd).toBe(true)
    const refused = async (query: string, caller = 'ann') => {
      const response = await api.get(`/changes?${query}&since=${next}`, as(caller))
      expect(response.errors).toMatchObject([
        { code: 'invalid-position', source: { parameter: 'since' } },
      ])
    }
    await refused('models=articles')
    await refused('models=articles,desks,remarks')
    await refused(`${both}&filter[desks][name]=D`)
    await refused(both, 'bob')
    const list = await api.get('/articles', as('ann'))
    const ofList = list.headers.get('changes-position')
    const response = await api.get(`/changes?${both}&since=${ofList}`, as('ann'))
    expect(response.errors).toMatchObject([{ code: 'invalid-position' }])
    expect((await changes(api, `models=articles&since=${ofList}`)).isEnd).toBe(true)
    const stale = await api.get(`/changes?${both}`, { ...as('ann'), 'last-event-id': 'x' })
    expect(stale.errors).toMatchObject([{ source: { header: 'Last-Event-ID' } }])
  })

  it.each([
    ['none', '', [['invalid-value', undefined]]],
    ['no names', 'models=', [['invalid-value', 'models']]],
    ['one of them twice', 'models=desks,articles,desks', [['invalid-value', 'models']]],
    [
      'unknown ones',
      'models=desk,x',
      [
        ['invalid-value', 'models'],
        ['invalid-value', 'models'],
      ],
    ],
    ['one in brackets', 'models[desks]=1', [['invalid-value', 'models[desks]']]],
    [
      'filters of others, and more',
      'models=desks&filter[articles][words]=1&filter[desks][nam]=D&filter[name]=D&limit=0',
      [
        ['invalid-page', 'limit'],
        ['unknown-field', 'filter[desks][nam]'],
        ['unknown-parameter', 'filter[articles][words]'],
        ['unknown-parameter', 'filter[name]'],
      ],
    ],
    ['a filter for all', 'models=desks&filter=eq(name,%27D%27)', [['unknown-parameter', 'filter']]],
    [
      'what lists have',
      'models=desks&sort=name&include=articles',
      [
        ['unknown-parameter', 'include'],
        ['unknown-parameter', 'sort'],
      ],
    ],
    [
      'fields of unknown models',
      'models=desks&fields[x]=name',
      [['unknown-parameter', 'fields[x]']],
    ],
  ])('are refused for %s', async (_, query, problems) => {
    const { api } = await room()
    const response = await api.get(`/changes?${query}`, as('ann'))
    expect(response.status).toBe(400)
    expect(response.errors.map(({ code, source }) => [code, source?.parameter]).toSorted()).toEqual(
      problems,
    )
  })

  const Shelf = model('shelf', { name: z.string() }, { changes: false, ids: 'either' })
  const Book = model(
    'book',
    { title: z.string(), shelf: toOne('shelf', { optional: true }) },
    { ids: 'either' },
  )
  const Author = model('author', { name: z.string() }, { ids: 'either' })

  async function library(options: Partial<RouterOptions> = {}) {
    const router = createRouter({ policy: rest(), store: await make(), changes: true, ...options })
    router.prepare(Shelf)
    return {
      router,
      books: router.prepare(Book),
      authors: router.prepare(Author),
      api: client(router),
    }
  }

  it('are refused for models that are not logged, or that such models decide', async () => {
    const { api } = await library()
    const unlogged = await api.get('/changes?models=shelves')
    expect(unlogged.errors).toMatchObject([
      { code: 'invalid-value', source: { parameter: 'models' } },
    ])
    expect(unlogged.errors[0]?.detail).toMatch(/^Changes of 'shelves' cannot be followed; /)
    const undecidable = await api.get('/changes?models=books,authors&filter[books][shelf.name]=A')
    expect(undecidable.errors).toMatchObject([
      { code: 'changes-not-decidable', source: { parameter: 'models' } },
    ])
  })

  it('are of a limited number of models', async () => {
    const { api } = await library({ limits: { maxModelsPerFeed: 1 } })
    expect((await api.get('/changes?models=books')).status).toBe(200)
    const response = await api.get('/changes?models=books,authors')
    expect(response.errors).toMatchObject([
      { code: 'limit-exceeded', source: { parameter: 'models' } },
    ])
  })

  it('need the rights of each list, and name what is missing at once', async () => {
    const { books, authors, router, api } = await library({
      security: { authentication: [token], callerSchema: Caller },
    })
    books.access(({ signedIn }) => ({ read: signedIn }))
    authors.access(({ caller }) => ({ read: caller.roles.contains('editor') }))
    const status = async (query: string, caller?: string) =>
      (await api.get(`/changes?models=${query}`, as(caller))).status
    expect(await status('books')).toBe(401)
    expect(await status('books,authors')).toBe(401)
    expect(await status('authors,books', 'ann')).toBe((await api.get('/authors', as('ann'))).status)
    expect(await status('authors,books', 'eve:editor')).toBe(200)
    const anonymous = await api.get('/changes?models=books,authors')
    expect(anonymous.headers.get('www-authenticate')).toContain('Bearer')
    await router.close()
  })

  it('pass the request hooks of each model', async () => {
    const paths: string[] = []
    const { router, books, authors, api } = await library()
    for (const prepared of [books, authors])
      prepared.use({
        request: {
          getList: ({ request, rule }) => {
            paths.push(`${request.path} ${rule.operation}`)
            return undefined
          },
        },
      })
    await api.get('/changes?models=books,authors')
    expect(paths).toEqual(['/books/changes GetChanges', '/authors/changes GetChanges'])
    await router.close()
  })

  it('are refused where a hook shows a part of a list only', async () => {
    const { books, api } = await library()
    books.use({ query: { getList: (query) => query.limit(2) } })
    const response = await api.get('/changes?models=books,authors')
    expect(response.errors).toMatchObject([{ code: 'changes-not-decidable' }])
    expect(response.errors[0]?.detail).toContain("'books'")
  })

  it('keep their path free of models', async () => {
    const Change = model('change', { text: z.string() }, { ids: 'either' })
    const router = createRouter({ policy: rest(), store: await make(), changes: true })
    router.prepare(Change)
    await expect(router.open()).rejects.toThrow(/'\/changes' of the model/)
    const without = createRouter({
      policy: rest(),
      store: await make(),
      changes: { feed: false },
    })
    without.prepare(Change)
    expect((await plainClient(without).get('/changes')).status).toBe(200)
  })

  it('are events of one stream, which can be resumed', async () => {
    const { router } = await library()
    const stream = await eventStream(router, '/changes?models=books,authors')
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    await router.items(Book).create({ id: 'b', title: 'B' })
    await router.items(Author).create({ id: 'a', name: 'A' })
    const [first, second] = [await stream.next(), await stream.next()]
    expect(first).toMatchObject({ event: 'create', data: { type: 'books', id: 'b' } })
    expect(second).toMatchObject({ event: 'create', data: { type: 'authors', id: 'a' } })
    await stream.close()
    const resumed = await eventStream(router, '/changes?models=authors,books', {
      'last-event-id': first.id!,
    })
    expect(await resumed.next()).toMatchObject({ data: { type: 'authors' } })
    await router.close()
    await resumed.untilEnd()
  })

  it('count for the limits of clients that wait, together with those of one model', async () => {
    const feed = { maxSubscribers: 2, maxSubscribersPerCaller: 1 }
    const { router, api } = await library({ changes: { feed } })
    const stream = await eventStream(router, '/changes?models=books,authors')
    expect((await api.get('/books/changes?wait=1')).status).toBe(429)
    expect((await api.get('/changes?models=books&wait=1')).status).toBe(429)
    await stream.close()
    await router.close()
  })

  it('are gone where they are no longer kept', async () => {
    const store = await make()
    const { router, api } = await library({ store })
    const { next } = pageOf(await api.get('/changes?models=books,authors'))
    for (const id of ['a', 'b']) await router.items(Book).create({ id, title: 'B' })
    await transactionsEnded()
    await store.changes!.removeOldest({ beforeMs: 0, maxEntries: 0 }, 10)
    const response = await api.get(`/changes?models=books,authors&since=${next}`)
    expect([response.status, response.errors[0]?.code]).toEqual([410, 'changes-expired'])
  })
})
