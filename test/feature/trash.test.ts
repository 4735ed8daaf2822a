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
    expect(trash.trash.map(({ item }) => item.title)).toEqual(['Two', 'Qu'])
    expect((await api.post('/pages', { page: { id: 'trash', title: 'Tr' } })).status).toBe(422)
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
