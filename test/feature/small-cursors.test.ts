import { createRouter, field, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

class Shelf extends model('shelf', {
  name: z.string(),
  notes: toMany('note', { inverse: 'shelf' }),
}) {}
class Note extends model('note', {
  text: z.string(),
  rank: z.number(),
  secret: field(z.string().optional(), { hidden: true }),
  shelf: toOne('shelf', { optional: true }),
  hash: hash(),
}) {}

const long = 'a'.repeat(40_000)
/** Equal beyond the length of a cursor: only the whole texts decide their order. */
const notes = [1, 2, 3, 4, 5, 6].map((n) => ({
  id: `n-${n}`,
  text: `${long}${n}`,
  rank: 6 - n,
  secret: `${long}${7 - n}`,
  shelf: 's-1',
}))
const numbered = (...numbers: number[]) => numbers.map((n) => `n-${n}`)

describe.each(stores)('Cursors of a sort by long texts, on $name', ({ make }) => {
  const filled = async () => {
    const fixture = service(await make(), [Shelf, Note])
    await fixture.router.load(Shelf, [{ id: 's-1', name: 'One' }])
    await fixture.router.load(Note, notes)
    return fixture
  }
  const nextOf = async (api: Client, path: string) => (await api.get(path)).link('next') ?? ''

  it.each(['text', '-text'])('make links of at most 1 KB each: sort=%s', async (sort) => {
    const { api } = await filled()
    const second = await api.get(
      await nextOf(api, `/notes?sort=${sort}&page[size]=2&fields[notes]=rank`),
    )
    expect(second.headers.get('link')?.length).toBeLessThan(3_000)
    expect(second.ids('notes')).toEqual(numbered(...(sort === 'text' ? [3, 4] : [4, 3])))
  })

  it.each([
    ['text', [3, 4]],
    ['-text', [4, 3]],
  ])(
    'are exact while their item stays unchanged, whatever happens to others: sort=%s',
    async (sort, expected) => {
      const { api } = await filled()
      const next = await nextOf(api, `/notes?sort=${sort}&page[size]=2`)
      await api.delete(sort === 'text' ? '/notes/n-1' : '/notes/n-6')
      await api.patch('/notes/n-2', { note: { rank: 100 } })
      await api.patch('/notes/n-5', { note: { rank: 100 } })
      expect((await api.get(next)).ids('notes')).toEqual(numbered(...expected))
    },
  )

  it.each(['text', '-text'])(
    'skip nothing where their item is deleted, and reach the end: sort=%s',
    async (sort) => {
      const { api } = await filled()
      let next: string | undefined = await nextOf(api, `/notes?sort=${sort}&page[size]=2`)
      await api.delete(sort === 'text' ? '/notes/n-2' : '/notes/n-5')
      const seen = new Set<string>()
      while (next) {
        const page = await api.get(next)
        expect(page.status).toBe(200)
        for (const id of page.ids('notes')) seen.add(id)
        next = page.link('next')
      }
      for (const id of numbered(3, 4)) expect(seen).toContain(id)
      expect(seen).toContain(sort === 'text' ? 'n-6' : 'n-1')
    },
  )

  it.each(['text', '-text'])(
    'skip nothing backwards where their item has changed: sort=%s',
    async (sort) => {
      const { api } = await filled()
      const third = await nextOf(api, await nextOf(api, `/notes?sort=${sort}&page[size]=2`))
      const before = (await api.get(third)).link('prev') ?? ''
      await api.patch(sort === 'text' ? '/notes/n-5' : '/notes/n-2', { note: { text: 'changed' } })
      const seen = new Set<string>()
      for (let prev: string | undefined = before; prev; ) {
        const page = await api.get(prev)
        for (const id of page.ids('notes')) seen.add(id)
        prev = page.link('prev')
      }
      for (const id of sort === 'text' ? numbered(1, 2, 3, 4) : numbered(6, 5, 4, 3))
        expect(seen).toContain(id)
    },
  )

  it('are resolved for the caller, so that the store stops when the caller leaves', async () => {
    const store = await make()
    const callers: unknown[] = []
    const requests = {
      ...store,
      page: ((described, plan, caller) => {
        callers.push(caller)
        return store.page(described, plan, caller)
      }) as typeof store.page,
    }
    const { router, api } = service(requests, [Shelf, Note])
    await router.load(Shelf, [{ id: 's-1', name: 'One' }])
    await router.load(Note, notes)
    const next = await nextOf(api, '/notes?sort=text&page[size]=2')
    callers.length = 0
    expect((await api.get(next)).ids('notes')).toEqual(numbered(3, 4))
    expect(callers.length).toBeGreaterThan(0)
    expect(callers).not.toContain(undefined)
  })

  it('work as a range between two of them', async () => {
    const { api } = await filled()
    const cursor = (href: string, name: string) =>
      new URL(href, 'http://localhost').searchParams.get(`page[${name}]`)
    const next = await nextOf(api, '/notes?sort=text&page[size]=2')
    const third = await api.get(await nextOf(api, next))
    const between = `page[after]=${cursor(next, 'after')}&page[before]=${cursor(third.link('prev') ?? '', 'before')}`
    expect((await api.get(`/notes?sort=text&${between}`)).ids('notes')).toEqual(numbered(3, 4))
  })

  it('are encrypted, and as short, where middleware sorts by a hidden field', async () => {
    const store = await make()
    const { router, api } = service(store, [Shelf])
    router.prepare(Note).use({ query: { getList: (query) => query.sort('secret') } })
    await router.load(
      Note,
      notes.map(({ shelf: _, ...note }) => note),
    )
    const next = await nextOf(api, '/notes?page[size]=2')
    expect(next).toMatch(/page%5Bafter%5D=s/)
    expect(next.length).toBeLessThan(1_200)
    expect((await api.get(next)).ids('notes')).toEqual(numbered(4, 3))
  })

  it('page relationships, related items and included relations', async () => {
    const router = createRouter({ policy: jsonApi(), store: await make() })
    for (const model of [Shelf, Note]) router.prepare(model)
    await router.load(Shelf, [{ id: 's-1', name: 'One' }])
    await router.load(Note, notes)
    const api = client(router, 'http://localhost', 'application/vnd.api+json')
    const document = await api.get(
      '/shelves/s-1?include=notes&sortIncluded[notes]=-text&pageIncluded[notes][size]=2&fields[notes]=rank',
    )
    const next = String(document.at('/data/relationships/notes/links/next'))
    expect(next.length).toBeLessThan(1_300)
    const page = await api.get(next)
    expect(page.ids('data')).toEqual(numbered(4, 3))
    expect((await api.get(String(page.at('/links/next')))).ids('data')).toEqual(numbered(2, 1))
    const related = await api.get('/shelves/s-1/notes?sort=text&page[size]=4')
    expect((await api.get(String(related.at('/links/next')))).ids('data')).toEqual(numbered(5, 6))
  })

  it('reveal nothing about an item that the list does not show', async () => {
    const store = await make()
    const { router, api } = service(store, [Shelf])
    router.prepare(Note).use({ query: { any: (query) => query.where('rank').notEqual(0) } })
    await router.load(
      Note,
      notes.map(({ shelf: _, ...note }) => note),
    )
    const other = service(store, [Shelf, Note])
    // A cursor of the hidden item, made where it is visible.
    const next = await nextOf(other.api, '/notes?sort=-text&page[size]=1')
    // It works as if the item were deleted: from where the truncated values begin.
    expect((await api.get(next)).ids('notes')).toEqual(numbered(5))
  })
})

describe.each(stores)('Cursors of a model with a mapper, on $name', ({ make }) => {
  class Person extends model('person', {
    email: z.string(),
    notes: toMany('memo', { inverse: 'author' }),
  }) {}
  class Memo extends model('memo', { text: z.string(), author: toOne('person') }) {}
  const masked = (person: { id: string; email: string }) => ({
    ...person,
    email: `${person.email[0]}***`,
  })

  const filled = async (secret?: string) => {
    const router = createRouter({
      policy: (await import('resourcery/rest')).rest(),
      store: await make(),
      ...(secret !== undefined && { security: { cursorSecret: secret } }),
    })
    router.prepare(Person).map(masked)
    router.prepare(Memo)
    await router.load(Person, [
      { id: 'p-1', email: 'ann@secret.example' },
      { id: 'p-2', email: 'bob@secret.example' },
    ])
    await router.load(Memo, [
      { id: 'm-1', text: 'x', author: 'p-1' },
      { id: 'm-2', text: 'y', author: 'p-2' },
    ])
    return client(router)
  }

  it.each(['/people?sort=email', '/people?sort=-email', '/memos?sort=author.email'])(
    'are encrypted, because the mapper may change the sort value: %s',
    async (path) => {
      const api = await filled()
      const next = (await api.get(`${path}&page[size]=1`)).link('next') ?? ''
      const cursor = new URL(next, 'http://localhost').searchParams.get('page[after]') ?? ''
      expect(cursor).toMatch(/^s/)
      expect(Buffer.from(cursor.slice(1), 'base64url').toString('latin1')).not.toContain('secret')
      const page = await api.get(next)
      expect([page.status, Object.values(page.body as object)[0].length]).toEqual([200, 1])
    },
  )

  it('must be encrypted: a made-up readable cursor is refused', async () => {
    const api = await filled()
    const plain = await service(await make(), [Person, Memo])
    await plain.router.load(Person, [
      { id: 'p-1', email: 'a' },
      { id: 'p-2', email: 'b' },
    ])
    const next = (await plain.api.get('/people?sort=email&page[size]=1')).link('next') ?? ''
    expect(next).toMatch(/page%5Bafter%5D=p/)
    expect((await api.get(next)).status).toBe(400)
  })

  it('are readable where the list is sorted by id, which mappers cannot change', async () => {
    const next = (await (await filled()).get('/people?page[size]=1')).link('next') ?? ''
    expect(next).toMatch(/page%5Bafter%5D=p/)
  })
})
