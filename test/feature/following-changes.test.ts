import {
  createRouter,
  field,
  model,
  type RouterOptions,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { type ChangesPage, changesClient as client, pageOf } from '../support/change-pages.ts'
import type { Client } from '../support/client.ts'
import { eventStream } from '../support/event-stream.ts'
import { Article, Desk, newsroom, Remark } from '../support/newsroom.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

async function changes(api: Client, query: string, caller?: string): Promise<ChangesPage> {
  const response = await api.get(`/articles/changes?${query}`, as(caller))
  expect(response.status, response.text).toBe(200)
  return pageOf(response)
}

const ready = { title: 'T', words: 1, owner: 'ann', status: 'ready' } as const

describe.each(stores)('What changed in a list ($name)', ({ make, makeData }) => {
  async function room(policy = rest()) {
    const world = newsroom(await make(), policy)
    const { router } = world
    const { next } = pageOf(await client(router).get('/articles/changes', as('ann')))
    return {
      ...world,
      api: client(router),
      articles: router.items(Article),
      desks: router.items(Desk),
      next,
    }
  }

  it('begins now, or as far back as changes are kept', async () => {
    const { api, articles, next } = await room()
    expect(await changes(api, `since=${next}`, 'ann')).toMatchObject({ changes: [], isEnd: true })
    await articles.create({ id: 'a', ...ready })
    expect((await changes(api, '', 'ann')).changes).toEqual([])
    expect((await changes(api, `since=${next}`, 'ann')).changes).toMatchObject([
      { kind: 'create', type: 'articles', id: 'a', item: { id: 'a', title: 'T' } },
    ])
    expect((await changes(api, 'since=start', 'ann')).changes).toHaveLength(1)
  })

  it('is decided by what the caller sees before and after', async () => {
    const { api, articles, next } = await room()
    await articles.create({ id: 'a', ...ready, owner: 'bob' })
    await articles.update('a', { owner: 'ann' })
    await articles.update('a', { words: 2 })
    await articles.update('a', { owner: 'bob' })
    await articles.update('a', { words: 3 })
    await articles.delete('a')
    const page = await changes(api, `since=${next}`, 'ann')
    expect(page.changes).toMatchObject([
      { kind: 'create', item: { words: 1 } },
      { kind: 'update', item: { words: 2 } },
      { kind: 'delete', type: 'articles', id: 'a' },
    ])
    expect(Object.keys(page.changes[2]!)).toEqual(['kind', 'type', 'id'])
  })

  it('follows the filter and the fields of the client', async () => {
    const { api, articles } = await room()
    const query = 'filter[words][gte]=10&fields[articles]=words'
    const { next } = await changes(api, query, 'ann')
    await articles.create({ id: 'a', ...ready })
    await articles.update('a', { words: 10 })
    await articles.update('a', { title: 'Other' })
    await articles.update('a', { words: 1 })
    expect((await changes(api, `${query}&since=${next}`, 'ann')).changes).toEqual([
      { kind: 'create', type: 'articles', id: 'a', item: { id: 'a', words: 10 } },
      { kind: 'delete', type: 'articles', id: 'a' },
    ])
  })

  it('shows no field that a rule hides, on either side', async () => {
    const { api, articles } = await room()
    await articles.create({ id: 'a', ...ready, notes: 'n1' })
    const { next } = await changes(api, '', 'eve:editor')
    await articles.update('a', { notes: 'n2' })
    await articles.update('a', { notes: 'n3', words: 2 })
    const page = await changes(api, `since=${next}`, 'eve:editor')
    expect(page.changes).toMatchObject([{ kind: 'update', item: { words: 2 } }])
    expect(JSON.stringify(page.changes)).not.toContain('n3')
  })

  it('asks to read the list again when a related item moves items', async () => {
    const { router, api, articles } = await room()
    const remarks = router.items(Remark)
    await articles.create({ id: 'a', ...ready })
    await remarks.create({ id: 'r', text: 'R', article: 'a' })
    const { next } = pageOf(await api.get('/remarks/changes'))
    const sinceThen = async () => pageOf(await api.get(`/remarks/changes?since=${next}`)).changes
    await articles.update('a', { words: 7 })
    expect(await sinceThen()).toEqual([])
    await remarks.update('r', { text: 'S' })
    expect(await sinceThen()).toMatchObject([{ kind: 'update', item: { text: 'S' } }])
    await articles.update('a', { status: 'draft' })
    expect(await sinceThen()).toEqual([{ kind: 'reset' }])
  })

  it('asks for nothing when a related item moves only what the caller does not see', async () => {
    const { router, api, articles } = await room()
    const [desks, remarks] = [router.items(Desk), router.items(Remark)]
    await desks.create({ id: 'd', name: 'D' })
    await articles.createMany([
      { id: 'a', ...ready },
      { id: 'hidden', ...ready, status: 'draft', owner: 'bob', desk: 'd' },
    ])
    await remarks.create({ id: 'r', text: 'R', article: 'hidden' })
    const query = 'filter[desk.name]=D'
    const { next } = await changes(api, query, 'ann')
    const ofRemarks = pageOf(await api.get('/remarks/changes')).next
    await desks.update('d', { name: 'E' })
    await articles.update('hidden', { words: 3 })
    await articles.delete('hidden')
    const page = await changes(api, `${query}&since=${next}`, 'ann')
    expect(page).toMatchObject({ changes: [], isEnd: true })
    expect(pageOf(await api.get(`/remarks/changes?since=${ofRemarks}`)).changes).toEqual([])
    await desks.update('d', { name: 'D' })
    await articles.update('a', { desk: 'd' })
    await desks.update('d', { name: 'E' })
    const moved = await changes(api, `${query}&since=${page.next}`, 'ann')
    expect(moved.changes).toEqual([{ kind: 'reset' }])
  })

  it('sends what a related item hid meanwhile', async () => {
    const { router, api, articles } = await room()
    const desks = router.items(Desk)
    await desks.createMany(['d', 'e'].map((id) => ({ id, name: 'D' })))
    await articles.create({ id: 'a', ...ready, desk: 'd' })
    const query = 'filter[desk.name]=D'
    const { next } = await changes(api, query, 'ann')
    await desks.update('e', { isOpen: false })
    await articles.update('a', { desk: 'e' })
    await desks.update('d', { isOpen: false })
    const page = await changes(api, `${query}&since=${next}`, 'ann')
    expect(page.changes).toEqual([{ kind: 'delete', type: 'articles', id: 'a' }])
    const all = await changes(api, '', 'ann')
    await desks.update('d', { name: 'Other' })
    expect((await changes(api, `since=${all.next}`, 'ann')).changes).toEqual([])
  })

  it('asks to read the list again when time or other rights move items', async () => {
    const { api, articles, tick } = await room()
    const publishAt = new Date(Date.UTC(2026, 0, 1) + 60_000).toISOString()
    await articles.create({ id: 'a', ...ready, owner: 'bob', publishAt })
    const { next } = await changes(api, '', 'ann')
    expect((await changes(api, `since=${next}`, 'ann')).changes).toEqual([])
    tick(30_000)
    expect((await changes(api, `since=${next}`, 'ann')).changes).toEqual([])
    tick(40_000)
    const later = await changes(api, `since=${next}`, 'ann')
    expect(later.changes).toEqual([{ kind: 'reset' }])
    expect((await changes(api, `since=${later.next}`, 'ann')).changes).toEqual([])
    const promoted = await changes(api, `since=${later.next}`, 'ann:editor')
    expect(promoted.changes).toEqual([{ kind: 'reset' }])
  })

  /** A room in which the time of these items has come since the position. */
  async function roomLater(...ids: readonly string[]) {
    const { api, articles, tick } = await room()
    const publishAt = new Date(Date.UTC(2026, 0, 1) + 60_000).toISOString()
    await articles.createMany(ids.map((id) => ({ id, ...ready, owner: 'bob', publishAt })))
    const { next } = await changes(api, '', 'ann')
    tick(120_000)
    return { api, articles, next }
  }

  it('shows what time had moved into the list before it changed', async () => {
    const { api, articles, next } = await roomLater('a', 'b')
    // Whatever the time, it is in the list from here on.
    for (const id of ['a', 'b']) await articles.update(id, { owner: 'ann' })
    const later = await changes(api, `fields[articles]=title&since=${next}`, 'ann')
    expect(later.changes).toMatchObject(['a', 'b'].map((id) => ({ kind: 'create', id })))
    expect((await changes(api, `since=${later.next}`, 'ann')).changes).toEqual([])
  })

  it('shows it too where pages of other changes come before', async () => {
    const { api, articles, next } = await roomLater('a')
    for (let count = 0; count < 600; count += 100)
      await articles.createMany(Array.from({ length: 100 }, () => ready))
    await articles.update('a', { owner: 'ann' })
    let last = await changes(api, `fields[articles]=title&limit=100&since=${next}`, 'ann')
    expect(last.changes).toHaveLength(100)
    const all = [...last.changes]
    while (!last.isEnd) {
      last = await changes(api, `fields[articles]=title&limit=100&since=${last.next}`, 'ann')
      all.push(...last.changes)
    }
    expect(all.at(-1)).toMatchObject({ kind: 'create', id: 'a' })
    expect(all).toHaveLength(601)
  })

  it('asks to read the list again where time had moved an item out before it changed', async () => {
    const Offer = model('offer', { until: z.iso.datetime(), price: z.int() }, { ids: 'either' })
    let nowMs = Date.UTC(2026, 0, 1)
    const now = () => new Date(nowMs)
    const router = createRouter({ policy: rest(), store: await make(), changes: true, now })
    router.prepare(Offer).access(({ item, now }) => ({ read: item.until.greaterThan(now) }))
    const api = client(router)
    const until = new Date(nowMs + 60_000).toISOString()
    const offers = router.items(Offer)
    await offers.create({ id: 'o', until, price: 1 })
    const since = (await api.get('/offers')).headers.get('changes-position')
    nowMs += 120_000
    await offers.update('o', { price: 2 })
    const { body } = await api.get(`/offers/changes?since=${since}`)
    expect(body).toMatchObject({ changes: [{ kind: 'reset' }] })
    await router.close()
  })

  it('says nothing of an item that changed before its time came', async () => {
    const { api, articles, tick } = await room()
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString()
    const hidden = { ...ready, owner: 'bob', publishAt: at(60) }
    await articles.createMany(['postponed', 'deleted'].map((id) => ({ id, ...hidden })))
    const { next } = await changes(api, '', 'ann')
    tick(30_000)
    await articles.update('postponed', { publishAt: at(3_600) })
    await articles.delete('deleted')
    tick(90_000)
    expect(await changes(api, `since=${next}`, 'ann')).toMatchObject({ changes: [], isEnd: true })
  })

  it('shows from the beginning no state that was replaced before its time came', async () => {
    const { api, articles, tick } = await room()
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString()
    await articles.create({ id: 'a', ...ready, title: 'Draft', owner: 'bob', publishAt: at(60) })
    tick(30_000)
    await articles.update('a', { title: 'Postponed', publishAt: at(3_600) })
    tick(90_000)
    expect(await changes(api, 'since=start', 'ann')).toMatchObject({ changes: [], isEnd: true })
    tick(3_600_000)
    expect((await changes(api, 'since=start', 'ann')).changes).toEqual([{ kind: 'reset' }])
  })

  it('sends one who waits nothing of what time has closed meanwhile', async () => {
    const Offer = model('offer', { until: z.iso.datetime(), price: z.int() }, { ids: 'either' })
    let nowMs = Date.UTC(2026, 0, 1)
    const now = () => new Date(nowMs)
    const router = createRouter({ policy: rest(), store: await make(), changes: true, now })
    router.prepare(Offer).access(({ item, now }) => ({ read: item.until.greaterThan(now) }))
    const api = client(router)
    const offers = router.items(Offer)
    await offers.create({ id: 'o', until: new Date(nowMs + 60_000).toISOString(), price: 1 })
    const since = (await api.get('/offers')).headers.get('changes-position')
    const stream = await eventStream(router, `/offers/changes?since=${since}`)
    const page = api.get(`/offers/changes?since=${since}&wait=20`)
    // Both wait by now.
    await offers.create({ id: 'p', until: new Date(nowMs + 1_000).toISOString(), price: 1 })
    expect(await stream.next()).toMatchObject({ event: 'create', data: { id: 'p' } })
    expect((await page).body).toMatchObject({ changes: [{ kind: 'create', id: 'p' }] })
    nowMs += 120_000
    await offers.update('o', { price: 2 })
    expect(await stream.next()).toMatchObject({ event: 'reset' })
    expect(stream.text()).not.toContain('"price":2')
    await router.close()
    await stream.untilEnd()
  })

  it('asks to read the list again when time shows what items link to', async () => {
    const { router, api, articles, tick } = await room()
    const publishAt = new Date(Date.UTC(2026, 0, 1) + 60_000).toISOString()
    await articles.create({ id: 'a', ...ready, owner: 'bob', publishAt })
    await router.items(Remark).create({ id: 'r', text: 'R', article: 'a' })
    const list = await api.get('/remarks', as('ann'))
    expect(list.at('/remarks/0/article')).toBeNull()
    const since = list.headers.get('changes-position')
    const sinceThen = async () =>
      pageOf(await api.get(`/remarks/changes?since=${since}`, as('ann'))).changes
    expect(await sinceThen()).toEqual([])
    tick(120_000)
    expect((await api.get('/remarks', as('ann'))).at('/remarks/0/article')).toBe('a')
    expect(await sinceThen()).toEqual([{ kind: 'reset' }])
  })

  it('keeps the changes of one transaction together', async () => {
    const { api, articles, next } = await room()
    await articles.createMany([1, 2, 3].map((number) => ({ id: `a${number}`, ...ready })))
    await articles.create({ id: 'b', ...ready })
    const page = async (query: string) => changes(api, query, 'ann')
    const ids = ({ changes }: ChangesPage) => changes.map(({ id }) => id)
    const whole = await page(`limit=3&since=${next}`)
    expect([ids(whole), whole.isEnd]).toEqual([['a1', 'a2', 'a3'], false])
    const rest = await page(`limit=3&since=${whole.next}`)
    expect([ids(rest), rest.isEnd]).toEqual([['b'], true])
    const part = await page(`limit=2&since=${next}`)
    expect([ids(part), part.isTransactionSplit]).toEqual([['a1', 'a2'], true])
    const others = await page(`limit=2&since=${part.next}`)
    expect([ids(others), others.isTransactionSplit]).toEqual([['a3', 'b'], undefined])
  })

  it('says nothing of hidden changes in the length of pages', async () => {
    const { api, articles, next } = await room()
    await articles.create({ id: 'a', ...ready })
    for (let index = 0; index < 3; index++)
      await articles.create({ id: `hidden${index}`, ...ready, owner: 'bob' })
    const full = await changes(api, `limit=1&since=${next}`, 'ann')
    expect(full.changes).toHaveLength(1)
    expect(full.isEnd).toBe(true)
    const [one, other] = [await changes(api, '', 'ann'), await changes(api, '', 'ann')]
    expect(one.next).not.toBe(other.next)
    expect(one.next.length).toBe(other.next.length)
  })

  it('is sent in the form of the policy', async () => {
    const { router, api, articles } = await room(jsonApi())
    const { next } = pageOf(await api.get('/articles/changes', as('ann')))
    await articles.create({ id: 'a', ...ready })
    const response = await api.get(`/articles/changes?since=${next}`, as('ann'))
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json')
    expect(response.at('/meta/changes/0')).toMatchObject({
      kind: 'create',
      item: { type: 'articles', id: 'a', attributes: { title: 'T' } },
    })
    await router.close()
  })

  it('has a position before each list and item', async () => {
    const { api, articles } = await room()
    await articles.create({ id: 'a', ...ready })
    const list = await api.get('/articles?filter[words][gte]=0', as('ann'))
    const item = await api.get('/articles/a', as('ann'))
    const positions = [list, item].map(({ headers }) => headers.get('changes-position'))
    const tag = { 'if-none-match': item.etag }
    const unmodified = await api.get('/articles/a', { ...as('ann'), ...tag })
    expect([unmodified.status, unmodified.headers.has('changes-position')]).toEqual([304, true])
    const missing = await api.get('/articles/none', as('ann'))
    expect([missing.status, missing.headers.has('changes-position')]).toEqual([404, false])
    await articles.update('a', { words: 5 })
    const ofList = await changes(api, `filter[words][gte]=0&since=${positions[0]}`, 'ann')
    expect(ofList.changes.at(-1)).toMatchObject({ kind: 'update', item: { words: 5 } })
    const ofItem = await changes(api, `since=${positions[1]}`, 'ann')
    expect(ofItem.changes.at(-1)).toMatchObject({ kind: 'update', item: { words: 5 } })
  })

  it.each([
    ['malformed', 'ann', 'since=abc', 400, 'invalid-position'],
    ['of another caller', 'bob', '', 400, 'invalid-position'],
    ['of another filter', 'ann', 'filter[words]=1', 400, 'invalid-position'],
    ['empty', 'ann', 'since=', 400, 'invalid-value'],
  ])('refuses a position that is %s', async (_, caller, query, status, code) => {
    const { api, next } = await room()
    const since = query.startsWith('since') ? query : `${query}&since=${next}`
    const response = await api.get(`/articles/changes?${since}`, as(caller))
    expect(response.status).toBe(status)
    expect(response.errors).toMatchObject([{ code, source: { parameter: 'since' } }])
  })

  it('refuses other invalid parameters, all at once', async () => {
    const { api } = await room()
    const query = 'limit=0&wait=61&sort=title&filter[words]=x'
    const response = await api.get(`/articles/changes?${query}`, as('ann'))
    expect(response.status).toBe(400)
    expect(response.errors.map(({ source }) => source?.parameter).toSorted()).toEqual([
      'filter[words]',
      'limit',
      'sort',
      'wait',
    ])
  })

  it.each([
    ['an editor, who sees all', 'eve:editor'],
    ['a caller whose rules ask for related items', 'ann'],
  ])('says what happens to items because another one is deleted, for %s', async (_, caller) => {
    const { api, articles, desks, router } = await room()
    const list = '/remarks/changes'
    await desks.create({ id: 'd', name: 'D', isOpen: true })
    await articles.create({ id: 'a', ...ready, desk: 'd' })
    for (const id of ['r1', 'r2'])
      await router.items(Remark).create({ id, text: 'R', article: 'a' })
    const positions = await Promise.all([
      api.get('/articles/changes', as(caller)),
      api.get(list, as(caller)),
    ])
    const [ofArticles, ofRemarks] = positions.map((response) => pageOf(response).next)
    await desks.delete('d')
    await articles.delete('a')
    const page = await changes(api, `since=${ofArticles}`, caller)
    expect(page.changes.map(({ kind, id }) => [kind, id])).toEqual([
      ['update', 'a'],
      ['delete', 'a'],
    ])
    const remarks = pageOf(await api.get(`${list}?since=${ofRemarks}`, as(caller)))
    expect(new Set(remarks.changes.map(({ kind, id }) => `${kind} ${id}`))).toEqual(
      new Set(['delete r1', 'delete r2']),
    )
  })

  it('is not read on for a client that has left', async () => {
    const store = await make()
    const router = createRouter({ policy: rest(), store, changes: true })
    const Note = model('note', { text: z.string() })
    router.prepare(Note)
    for (let count = 0; count < 4; count++)
      await router.items(Note).createMany(Array.from({ length: 400 }, () => ({ text: 'N' })))
    await transactionsEnded()
    const leaving = new AbortController()
    const { read } = store.changes!
    const reads = vi.spyOn(store.changes!, 'read').mockImplementation((...page) => {
      leaving.abort()
      return read.apply(store.changes, page)
    })
    const path = 'http://localhost/notes/changes?since=start&filter[text]=absent'
    await router.handle(new Request(path, { signal: leaving.signal })).catch(() => undefined)
    expect(reads).toHaveBeenCalledOnce()
    await router.close()
  })

  it('is gone where changes are no longer kept', async () => {
    const store = await make()
    const { router } = newsroom(store, rest())
    const api = client(router)
    const { next } = pageOf(await api.get('/desks/changes'))
    const desks = router.items(Desk)
    for (const id of ['d1', 'd2']) await desks.create({ id, name: 'D' })
    await transactionsEnded()
    await store.changes!.removeOldest({ beforeMs: 0, maxEntries: 0 }, 10)
    const response = await api.get(`/desks/changes?since=${next}`)
    expect(response.status).toBe(410)
    expect(response.errors).toMatchObject([
      { code: 'changes-expired', source: { parameter: 'since' } },
    ])
  })

  it('asks to read the list again where an item was erased', async () => {
    const store = await make()
    const { router } = newsroom(store, rest())
    const api = client(router)
    const { next } = pageOf(await api.get('/desks/changes'))
    await router.items(Desk).create({ id: 'd1', name: 'D' })
    await store.changes!.erase('desk', 'd1')
    const page = pageOf(await api.get(`/desks/changes?since=${next}`))
    expect(page.changes).toEqual([{ kind: 'reset' }])
  })

  it('is refused where another model decides whose changes are not logged', async () => {
    const Shelf = model('shelf', { name: z.string() }, { changes: false, ids: 'either' })
    const Book = model(
      'book',
      { title: z.string(), shelf: toOne('shelf', { optional: true }) },
      { ids: 'either' },
    )
    const router = createRouter({ policy: rest(), store: await make(), changes: true })
    router.prepare(Shelf)
    router.prepare(Book)
    const api = client(router)
    expect((await api.get('/shelves/changes')).status).toBe(404)
    const response = await api.get('/books/changes?filter[shelf.name]=A')
    expect(response.errors).toMatchObject([
      { code: 'changes-not-decidable', source: { parameter: 'filter' } },
    ])
    expect((await api.get('/books/changes?filter[shelf]=A')).status).toBe(200)
  })

  it('is refused where a hook shows a part of the list only', async () => {
    const Book = model('book', { title: z.string() }, { ids: 'either' })
    const router = createRouter({ policy: rest(), store: await make(), changes: true })
    router.prepare(Book).use({ query: { getList: (query) => query.limit(2) } })
    const response = await client(router).get('/books/changes')
    expect(response.errors).toMatchObject([{ code: 'changes-not-decidable' }])
  })

  it('sends nothing of what an older model showed', async () => {
    const data = await makeData()
    const old = model('book', { title: z.string(), margin: z.int() }, { ids: 'either' })
    const first = createRouter({ policy: rest(), store: data(), changes: true })
    first.prepare(old)
    await first.items(old).create({ id: 'b', title: 'Dune', margin: 4_711 })
    await first.close()
    const hiding = model(
      'book',
      { title: z.string(), margin: field(z.int(), { hidden: true }) },
      { ids: 'either' },
    )
    const second = createRouter({ policy: rest(), store: data(), changes: true })
    second.prepare(hiding)
    const response = await client(second).get('/books/changes?since=start')
    expect(response.text).toContain('Dune')
    expect(response.text).not.toContain('4711')
  })

  it('is there only where changes are logged, and where clients may follow', async () => {
    const Book = model('book', { title: z.string() }, { ids: 'either' })
    const withOptions = async (changes: RouterOptions['changes'], store: Store) => {
      const router = createRouter({ policy: rest(), store, ...(changes && { changes }) })
      router.prepare(Book)
      const api = client(router)
      const list = await api.get('/books')
      return [(await api.get('/books/changes')).status, list.headers.has('changes-position')]
    }
    expect(await withOptions(undefined, await make())).toEqual([404, false])
    expect(await withOptions({ feed: false }, await make())).toEqual([404, false])
    expect(await withOptions(true, await make())).toEqual([200, true])
  })

  it('keeps its address free of items', async () => {
    const { api } = await room()
    const response = await api.put('/desks/changes', { desk: { name: 'D' } })
    expect([response.status, response.errors[0]?.code]).toEqual([405, 'method-not-allowed'])
    const created = await api.post('/desks', { desk: { id: 'changes', name: 'D' } })
    expect(created.errors).toMatchObject([{ code: 'invalid-id' }])
  })

  it('needs the rights of the list', async () => {
    const Note = model('note', { text: z.string() }, { ids: 'either' })
    const router = createRouter({
      policy: rest(),
      store: await make(),
      changes: true,
      security: { authentication: [token], callerSchema: Caller },
    })
    router.prepare(Note).access(({ signedIn }) => ({ read: signedIn }))
    const api = client(router)
    expect((await api.get('/notes/changes')).status).toBe(401)
    expect((await api.get('/notes/changes', as('ann'))).status).toBe(200)
  })

  it('follows filters over relations to many', async () => {
    const Tag = model('tag', { name: z.string() }, { ids: 'either' })
    const Book = model('book', { title: z.string(), tags: toMany('tag') }, { ids: 'either' })
    const router = createRouter({ policy: rest(), store: await make(), changes: true })
    router.prepare(Tag)
    router.prepare(Book)
    const api = client(router)
    const [tags, books] = [router.items(Tag), router.items(Book)]
    await tags.create({ id: 't', name: 'T' })
    const query = '/books/changes?filter[tags][any]=t'
    const { next } = pageOf(await api.get(query))
    await books.create({ id: 'b', title: 'B', tags: [] })
    await books.update('b', { tags: ['t'] })
    await books.update('b', { tags: [] })
    const page = pageOf(await api.get(`${query}&since=${next}`))
    expect(page.changes.map(({ kind }) => kind)).toEqual(['create', 'delete'])
  })
})
