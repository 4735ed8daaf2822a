import { createRouter, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { keptRouter, Page, Tag } from '../support/kept-world.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

describe.each(stores)('The trash of a model ($name)', ({ make, makeData }) => {
  async function world() {
    let now = Date.parse('2026-03-01T10:00:00Z')
    const router = keptRouter(await make(), { now: () => new Date(now++) })
    router.prepare(Tag)
    router.prepare(Page)
    return { router, api: client(router) }
  }

  const idsIn = (body: unknown) =>
    (body as { trash: { item: { id: string } }[] }).trash.map(({ item }) => item.id)

  it('has deleted items, which are gone for all else, the last deleted first', async () => {
    const { api } = await world()
    await api.post('/tags', { tag: { id: 't', name: 'T' } })
    for (const id of ['a', 'b', 'c'])
      await api.post('/pages', { page: { id, title: `Page ${id}`, slug: id } })
    for (const id of ['a', 'c'])
      expect((await api.delete(`/pages/${id}`, as('ann'))).status).toBe(204)
    for (const path of ['a', 'a/versions', 'a/versions/1', 'a/photo'])
      expect((await api.get(`/pages/${path}`)).status).toBe(404)
    expect((await api.get('/pages')).ids('pages')).toEqual(['b'])
    const trash = await api.get('/pages/trash')
    expect(trash.body).toMatchObject({
      trash: [
        { caller: 'ann', item: { id: 'c', title: 'Page c' } },
        { time: expect.stringMatching(/^2026-03-01T10:00:00\.\d{3}Z$/), item: { id: 'a' } },
      ],
      next: null,
    })
    expect(trash.text).not.toContain('secret')
    const first = await api.get('/pages/trash?page[size]=1')
    expect(idsIn(first.body)).toEqual(['c'])
    const second = await api.get(first.at('/next') as string)
    expect(second.body).toMatchObject({ trash: [{ item: { id: 'a' } }], next: null })
  })

  it('has the address of each item, with `deletedAt` where several had its id', async () => {
    for (const policy of [rest(), jsonApi()]) {
      let now = Date.parse('2026-03-01T10:00:00Z')
      const router = keptRouter(await make(), { policy, now: () => new Date(now++) })
      router.prepare(Tag)
      router.prepare(Page)
      const api = client(router)
      for (const title of ['One', 'Two']) {
        await router.items(Page).create({ id: 'p', title })
        expect((await api.delete('/pages/p', as('ann'))).status).toBe(204)
      }
      const list = await api.get('/pages/trash')
      const [last, former] = (list.at('/trash') ?? list.at('/meta/trash')) as { time: string }[]
      const one = async (query = '') => {
        const response = await api.get(`/pages/trash/p${query}`)
        expect(response.status).toBe(200)
        expect(response.headers.get('cache-control')).toContain('private')
        return response.at('/meta') ?? response.body
      }
      expect(await one()).toEqual(last)
      expect(await one(`?deletedAt=${former!.time}`)).toEqual(former)
      expect(last).toMatchObject({ caller: 'ann' })
      expect((await api.get('/pages/trash/p?deletedAt=2020-01-01T00:00:00Z')).status).toBe(404)
      expect((await api.get('/pages/trash/q')).status).toBe(404)
      expect((await api.get('/pages/trash/p?deletedAt=x')).status).toBe(400)
      expect((await api.get('/pages/trash/p?fields=title')).status).toBe(400)
      const refused = await api.patch('/pages/trash/p', {})
      expect(refused.status).toBe(405)
      expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS, DELETE')
      await router.items(Page).create({ id: 'p', title: 'Three' })
      expect(await one()).toEqual(last)
    }
  })

  it('gives an item back, with its id, hidden values, relations, versions and file', async () => {
    const { router, api } = await world()
    await api.post('/tags', { tag: { id: 't', name: 'T' } })
    await router
      .items(Page)
      .create({ id: 'p', title: 'One', secret: 'x', tags: ['t'], lead: 't' } as never)
    await api.post('/pages/p/photo', 'bytes', { 'content-type': 'text/plain' })
    const before = await api.get('/pages/p')
    await api.delete('/pages/p')
    const restored = await api.post('/pages/trash/p/restore')
    expect(restored.status).toBe(201)
    expect(restored.headers.get('location')).toBe('/pages/p')
    const { hash: _, ...values } = before.at('/page') as { hash: string }
    expect((await api.get('/pages/p')).at('/page')).toMatchObject(values)
    expect((await router.items(Page).get('p'))!.secret).toBe('x')
    expect((await api.get('/pages/p/photo')).text).toBe('bytes')
    expect((await api.get('/pages/trash')).at('/trash')).toEqual([])
    const versions = (await api.get('/pages/p/versions')).body as { versions: { number: number }[] }
    expect(versions.versions.map(({ number }) => number)).toEqual([3, 2, 1])
    expect((await api.post('/pages/trash/p/restore')).status).toBe(404)
  })

  it('treats related items that were deleted meanwhile as their deletion does', async () => {
    const { api } = await world()
    for (const id of ['t', 'u']) await api.post('/tags', { tag: { id, name: id } })
    await api.post('/pages', { page: { id: 'p', title: 'One', tags: ['t', 'u'], lead: 't' } })
    await api.delete('/pages/p')
    await api.delete('/tags/t')
    const restored = await api.post('/pages/trash/p/restore')
    expect(restored.at('/page')).toMatchObject({ tags: ['u'], lead: null })
  })

  it('keeps what was deleted with another item, and refuses it without that', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(model('shelf', { name: z.string() }, { plural: 'shelves', trash: true }))
    router.prepare(
      model(
        'volume',
        { title: z.string(), shelf: toOne('shelf', { onDelete: 'cascade' }) },
        { trash: true },
      ),
    )
    const api = client(router)
    await api.post('/shelves', { shelf: { id: 's', name: 'S' } })
    await api.post('/volumes', { volume: { id: 'v', title: 'V', shelf: 's' } })
    await api.delete('/shelves/s')
    expect(idsIn((await api.get('/volumes/trash')).body)).toEqual(['v'])
    const refused = await api.post('/volumes/trash/v/restore')
    expect(refused.status).toBe(422)
    expect(refused.errors[0]!.detail).toContain("'shelf' leads to a shelf that was deleted too")
    expect((await api.post('/shelves/trash/s/restore')).status).toBe(201)
    expect((await api.post('/volumes/trash/v/restore')).status).toBe(201)
  })

  it('leaves the id and unique values to others, which refuses the item', async () => {
    const { api } = await world()
    await api.post('/pages', { page: { id: 'p', title: 'One', slug: 's' } })
    await api.delete('/pages/p')
    expect((await api.post('/pages', { page: { id: 'q', title: 'Qu', slug: 's' } })).status).toBe(
      201,
    )
    const taken = await api.post('/pages/trash/p/restore')
    expect([taken.status, taken.errors[0]!.code]).toEqual([409, 'value-taken'])
    await api.delete('/pages/q')
    expect((await api.post('/pages', { page: { id: 'p', title: 'Two' } })).status).toBe(201)
    const exists = await api.post('/pages/trash/p/restore')
    expect([exists.status, exists.errors[0]!.code]).toEqual([409, 'already-exists'])
    const { versions } = (await api.get('/pages/p/versions')).body as { versions: unknown[] }
    expect(versions).toHaveLength(1)
    await api.delete('/pages/p')
    const trash = (await api.get('/pages/trash')).body as { trash: { item: { title: string } }[] }
    expect(trash.trash.map(({ item }) => item.title)).toEqual(['Two', 'Qu', 'One'])
    expect((await api.post('/pages', { page: { id: 'trash', title: 'Tr' } })).status).toBe(422)
  })

  it('keeps all items that had an id, each named by the time of its deletion', async () => {
    const { api } = await world()
    for (const title of ['One', 'Two', 'Three']) {
      await api.post('/pages', { page: { id: 'p', title } })
      await api.post('/pages/p/photo', `photo of ${title}`, { 'content-type': 'text/plain' })
      expect((await api.delete('/pages/p')).status).toBe(204)
    }
    const { trash } = (await api.get('/pages/trash')).body as {
      trash: { time: string; item: { title: string } }[]
    }
    expect(trash.map(({ item }) => item.title)).toEqual(['Three', 'Two', 'One'])
    const [three, two, one] = trash.map(({ time }) => `deletedAt=${time}`)
    expect((await api.delete('/pages/trash/p?deletedAt=2020-01-01T00:00:00Z')).status).toBe(404)
    expect((await api.delete(`/pages/trash/p?${two}`)).status).toBe(204)
    expect((await api.delete(`/pages/trash/p?${two}`)).status).toBe(404)
    const oldest = await api.post(`/pages/trash/p/restore?${one}`)
    expect([oldest.status, oldest.at('/page/title')]).toEqual([201, 'One'])
    expect((await api.get('/pages/p/photo')).text).toBe('photo of One')
    const numbers = async () =>
      (
        (await api.get('/pages/p/versions')).body as { versions: { number: number }[] }
      ).versions.map(({ number }) => number)
    // The versions were those of the item that was deleted last.
    expect(await numbers()).toEqual([1])
    expect((await api.post(`/pages/trash/p/restore?${three}`)).status).toBe(409)
    await api.delete('/pages/p')
    const last = await api.post('/pages/trash/p/restore')
    expect([last.status, last.at('/page/title')]).toEqual([201, 'One'])
    expect(await numbers()).toEqual([2, 1])
    await api.delete('/pages/p')
    await api.delete('/pages/trash/p')
    const former = await api.post('/pages/trash/p/restore')
    expect([former.status, former.at('/page/title')]).toEqual([201, 'Three'])
    expect((await api.get('/pages/p/photo')).text).toBe('photo of Three')
    expect(await numbers()).toEqual([1])
  })

  it.each([
    'deletedAt=yesterday',
    'deletedAt=2026-02-30T00:00:00Z',
    'deletedAt[gte]=x',
    'deletedAt=',
  ])('refuses %s', async (query) => {
    const { api } = await world()
    for (const response of [
      await api.delete(`/pages/trash/p?${query}`),
      await api.post(`/pages/trash/p/restore?${query}`),
    ]) {
      expect(response.status).toBe(400)
      expect(response.errors).toMatchObject([
        { code: 'invalid-value', source: { parameter: query.split('=')[0] } },
      ])
    }
  })

  it('is erased too where a model has given it up, while another one has it', async () => {
    const open = await makeData()
    const other = model('card', { text: z.string() }, { trash: true, history: true })
    const routerWith = (options: { history?: boolean; trash?: boolean }) => {
      const Note = model('note', { text: z.string() }, options)
      const router = createRouter({ policy: rest(), store: open() })
      router.prepare(Note)
      router.prepare(other)
      return { Note, router, api: client(router) }
    }
    const first = routerWith({ history: true, trash: true })
    for (const text of ['One', 'Two']) {
      await first.api.post('/notes', { note: { id: 'n', text } })
      await first.api.delete('/notes/n')
    }
    await first.router.close()
    const second = routerWith({})
    // Two in the trash, and the version of the last one.
    expect(await second.router.erase(second.Note, 'n')).toBe(3)
    await second.router.close()
    const third = routerWith({ history: true, trash: true })
    expect((await third.api.get('/notes/trash')).at('/trash')).toEqual([])
    await third.router.close()
  })

  it('is restored without a body', async () => {
    const { api } = await world()
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    const asVersion = await api.post('/pages/p/versions/1/restore', { page: { title: 'Two' } })
    expect([asVersion.status, asVersion.errors]).toMatchObject([
      422,
      [{ code: 'unknown-member', source: { pointer: '/page' } }],
    ])
    expect((await api.post('/pages/p/versions/1/restore', {})).status).toBe(200)
    await api.delete('/pages/p')
    const refused = await api.post('/pages/trash/p/restore', { page: { title: 'Two' } })
    expect([refused.status, refused.errors]).toMatchObject([
      422,
      [{ code: 'unknown-member', source: { pointer: '/page' } }],
    ])
    expect((await api.post('/pages/trash/p/restore', [])).status).toBe(400)
    expect((await api.post('/pages/trash/p/restore', {})).status).toBe(201)
  })

  it('refuses values that no longer fit, and fills in defaults of new fields', async () => {
    const open = await makeData()
    const first = createRouter({ policy: rest(), store: open() })
    first.prepare(model('note', { text: z.string() }, { trash: true }))
    for (const [id, text] of Object.entries({ n: 'much too long', m: 'ok' })) {
      await client(first).post('/notes', { note: { id, text } })
      await client(first).delete(`/notes/${id}`)
    }
    await first.close()
    const second = createRouter({ policy: rest(), store: open() })
    second.prepare(
      model('note', { text: z.string().max(5), kind: z.string().default('k') }, { trash: true }),
    )
    const api = client(second)
    const refused = await api.post('/notes/trash/n/restore')
    expect([refused.status, refused.errors[0]!.code]).toEqual([422, 'invalid-member'])
    expect((await api.post('/notes/trash/m/restore')).at('/note')).toMatchObject({
      text: 'ok',
      kind: 'k',
    })
  })

  it('deletes an item for good', async () => {
    const { api } = await world()
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    expect((await api.delete('/pages/trash/p')).status).toBe(404)
    await api.delete('/pages/p')
    expect((await api.delete('/pages/trash/p')).status).toBe(204)
    expect((await api.get('/pages/trash')).at('/trash')).toEqual([])
    expect((await api.post('/pages/trash/p/restore')).status).toBe(404)
    await api.post('/pages', { page: { id: 'p', title: 'Two' } })
    expect((await api.get('/pages/p/versions')).at('/versions/0/number')).toBe(1)
  })

  it('is for those who may read and delete the item, and may create it again', async () => {
    const router = keptRouter(await make())
    router.prepare(Tag)
    router.prepare(Page).access(({ item, caller, anyone }) => ({
      read: anyone,
      create: item.owner.equal(caller.id).and(caller.roles.contains('author')),
      update: item.owner.equal(caller.id),
      delete: item.owner.equal(caller.id),
      fields: { remark: { read: caller.roles.contains('chief') } },
    }))
    const api = client(router)
    for (const owner of ['ann', 'bob']) {
      const page = { id: owner, title: 'One', owner }
      await api.post('/pages', { page }, as(`${owner}:author`))
      await api.delete(`/pages/${owner}`, as(owner))
    }
    expect((await api.get('/pages/trash')).status).toBe(401)
    expect(idsIn((await api.get('/pages/trash', as('ann'))).body)).toEqual(['ann'])
    expect((await api.post('/pages/trash/bob/restore', undefined, as('ann:author'))).status).toBe(
      404,
    )
    expect((await api.delete('/pages/trash/bob', as('ann'))).status).toBe(404)
    expect((await api.post('/pages/trash/ann/restore', undefined, as('ann'))).status).toBe(403)
    expect((await api.post('/pages/trash/ann/restore', undefined, as('ann:author'))).status).toBe(
      201,
    )
    expect((await api.delete('/pages/trash/bob', as('bob'))).status).toBe(204)
  })

  it('has rules of its own', async () => {
    const router = keptRouter(await make())
    router.prepare(Tag)
    router.prepare(Page).access(({ caller, anyone, nobody }) => ({
      read: anyone,
      create: anyone,
      delete: anyone,
      readTrash: caller.roles.contains('keeper'),
      restore: caller.roles.contains('chief'),
      purge: nobody,
    }))
    const api = client(router)
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    await api.delete('/pages/p')
    expect(idsIn((await api.get('/pages/trash', as('bob'))).body)).toEqual([])
    expect(idsIn((await api.get('/pages/trash', as('k:keeper'))).body)).toEqual(['p'])
    expect((await api.get('/pages/trash/p', as('bob'))).status).toBe(404)
    expect((await api.get('/pages/trash/p', as('k:keeper'))).status).toBe(200)
    const restore = (token: string) => api.post('/pages/trash/p/restore', undefined, as(token))
    expect((await restore('c:chief')).status).toBe(404)
    expect((await restore('k:keeper')).status).toBe(403)
    expect((await api.delete('/pages/trash/p', as('k:keeper'))).status).toBe(403)
    expect((await restore('k:keeper,chief')).status).toBe(201)
  })

  it('runs hooks when an item comes back, as when one is created', async () => {
    const router = keptRouter(await make())
    router.prepare(Tag)
    const kinds: string[] = []
    router.prepare(Page).use({
      write: {
        before: (write) => {
          kinds.push(write.kind)
          if (write.kind === 'create' && write.next.title === 'Bad') write.refuse('title', 'is bad')
        },
      },
    })
    const api = client(router)
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    await api.delete('/pages/p')
    await api.post('/pages/trash/p/restore')
    expect(kinds).toEqual(['create', 'delete', 'create'])
  })

  it('is the same in JSON:API', async () => {
    const router = keptRouter(await make(), { policy: jsonApi() })
    router.prepare(Tag)
    router.prepare(Page)
    const api = client(router, 'http://localhost', 'application/vnd.api+json')
    const data = { type: 'pages', id: 'p', attributes: { title: 'One' } }
    await api.post('/pages', { data })
    await api.delete('/pages/p')
    expect((await api.get('/pages/trash')).body).toMatchObject({
      meta: { trash: [{ item: { type: 'pages', id: 'p', attributes: { title: 'One' } } }] },
    })
    expect((await api.post('/pages/trash/p/restore')).at('/data/id')).toBe('p')
  })

  it('is restored once by a repeated request, and the log of changes has a create', async () => {
    const store = await make()
    const router = keptRouter(store, { idempotency: true, changes: true })
    router.prepare(Tag)
    router.prepare(Page)
    const api = client(router)
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    await api.delete('/pages/p')
    const headers = { 'idempotency-key': '"k-1"' }
    const first = await api.post('/pages/trash/p/restore', undefined, headers)
    const again = await api.post('/pages/trash/p/restore', undefined, headers)
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    await api.post('/pages/p/versions/1/restore', undefined, { 'idempotency-key': '"k-2"' })
    await transactionsEnded()
    const read = await store.changes!.read(undefined, 10)
    const kinds =
      read.kind === 'changes' ? read.entries.map(({ kind, model }) => [model, kind]) : []
    expect(kinds).toEqual([
      ['page', 'create'],
      ['page', 'delete'],
      ['page', 'create'],
    ])
  })
})
