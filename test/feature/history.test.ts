import { createRouter, hash, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { keptRouter, Page, Tag } from '../support/kept-world.ts'
import { stores } from '../support/stores.ts'

interface Listed {
  readonly number: number
  readonly time: string | null
  readonly item: Readonly<Record<string, unknown>>
}

describe.each(stores)('The history of an item ($name)', ({ make }) => {
  async function world() {
    const router = keptRouter(await make(), {
      now: () => new Date('2026-03-01T10:00:00Z'),
    })
    router.prepare(Tag)
    router.prepare(Page)
    return { router, api: client(router) }
  }

  it('has a version for each write, the newest first, with its time and its caller', async () => {
    const { router, api } = await world()
    await api.post('/pages', { page: { id: 'p', title: 'One' } }, as('ann'))
    await api.patch('/pages/p', { page: { title: 'Two' } }, as('bob'))
    await router.items(Page).update('p', { title: 'Three' })
    const { body } = await api.get('/pages/p/versions')
    expect(body).toMatchObject({
      versions: [
        { number: 3, time: '2026-03-01T10:00:00Z', caller: null, item: { title: 'Three' } },
        { number: 2, caller: 'bob', item: { id: 'p', title: 'Two' } },
        { number: 1, caller: 'ann', item: { title: 'One' } },
      ],
      next: null,
    })
    const current = await api.get('/pages/p')
    expect(current.at('/page')).toEqual(
      (body as { versions: { item: object }[] }).versions[0]!.item,
    )
    const one = await api.get('/pages/p/versions/1')
    expect(one.status).toBe(200)
    expect(one.at('/item/title')).toBe('One')
    expect(one.headers.get('cache-control')).toContain('private')
    expect(one.text).not.toContain('secret')
  })

  it('comes in pages', async () => {
    const { api } = await world()
    await api.post('/pages', { page: { id: 'p', title: 'T1' } })
    for (let number = 2; number <= 5; number++)
      await api.patch('/pages/p', { page: { title: `T${number}` } })
    const numbers: unknown[] = []
    let path: string | null = '/pages/p/versions?page[size]=2'
    let pages = 0
    while (path !== null) {
      const response = await api.get(path)
      expect(response.status).toBe(200)
      const { versions, next } = response.body as {
        versions: { number: number }[]
        next: string | null
      }
      numbers.push(...versions.map(({ number }) => number))
      path = next
      pages++
    }
    expect(numbers).toEqual([5, 4, 3, 2, 1])
    expect(pages).toBe(3)
    for (const query of ['page[number]=1', 'page[size]=0', 'page[after]=x', 'sort=title'])
      expect((await api.get(`/pages/p/versions?${query}`)).status).toBe(400)
  })

  it('is not found where there is none', async () => {
    const { api } = await world()
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    for (const path of [
      'q/versions',
      'q/versions/1',
      'p/versions/2',
      'p/versions/x',
      'p/versions/0',
    ])
      expect((await api.get(`/pages/${path}`)).status).toBe(404)
    for (const number of ['2', '-1', '1e1', '99999999999999999999'])
      expect((await api.post(`/pages/p/versions/${number}/restore`)).status).toBe(404)
  })

  it('begins with the item as it was, where nobody kept its history', async () => {
    const store = await make()
    const Note = (options: object) =>
      model(
        'note',
        { text: z.string(), list: z.array(z.string()).optional(), hash: hash() },
        options,
      )
    const before = createRouter({ policy: rest(), store })
    before.prepare(Note({}))
    await client(before).post('/notes', { note: { id: 'n', text: 'old', list: ['b', 'a'] } })
    const router = createRouter({ policy: rest(), store })
    router.prepare(Note({ history: true }))
    const api = client(router)
    expect((await api.get('/notes/n/versions')).at('/versions')).toEqual([])
    await api.patch('/notes/n', { note: { text: 'new' } })
    await api.patch('/notes/n', { note: { text: 'newer' } })
    const { versions } = (await api.get('/notes/n/versions')).body as {
      versions: { number: number; time: string | null; item: { text: string } }[]
    }
    expect(versions.map(({ item }) => item.text)).toEqual(['newer', 'new', 'old'])
    expect(versions[2]).toMatchObject({ number: 1, time: null, caller: null })
  })

  it('restores a version as a new one, with If-Match', async () => {
    const { api } = await world()
    await api.post('/tags', { tag: { id: 't', name: 'T' } })
    const page = { id: 'p', title: 'One', remark: 'first', tags: ['t'], lead: 't' }
    await api.post('/pages', { page })
    const { etag } = await api.get('/pages/p')
    await api.patch('/pages/p', { page: { title: 'Two', remark: null, tags: [], lead: null } })
    const stale = await api.post('/pages/p/versions/1/restore', undefined, { 'if-match': etag })
    expect(stale.status).toBe(412)
    const current = (await api.get('/pages/p')).etag
    const restored = await api.post('/pages/p/versions/1/restore', undefined, {
      'if-match': current,
    })
    expect(restored.status).toBe(200)
    expect(restored.at('/page')).toMatchObject(page)
    expect(restored.etag).not.toBe(current)
    expect((await api.get('/pages/p')).at('/page')).toMatchObject(page)
    expect((await api.get('/pages/p/versions')).at('/versions/0/number')).toBe(3)
  })

  it('leaves out related items that are gone', async () => {
    const { api } = await world()
    for (const id of ['t', 'u']) await api.post('/tags', { tag: { id, name: id } })
    await api.post('/pages', { page: { id: 'p', title: 'One', tags: ['t', 'u'], lead: 't' } })
    await api.delete('/tags/t')
    const restored = await api.post('/pages/p/versions/1/restore')
    expect(restored.at('/page')).toMatchObject({ tags: ['u'], lead: null })
  })

  it('shows values that no longer fit, and restores none of them', async () => {
    const store = await make()
    const noteOf = (max: number) =>
      model(
        'note',
        { text: z.string().max(max), number: z.int().max(max * 10), hash: hash() },
        { history: true },
      )
    const old = createRouter({ policy: rest(), store })
    old.prepare(noteOf(100))
    const note = { id: 'n', text: 'a long text', number: 999 }
    await client(old).post('/notes', { note })
    await client(old).patch('/notes/n', { note: { text: 'short', number: 1 } })
    const router = createRouter({ policy: rest(), store })
    router.prepare(noteOf(5))
    const api = client(router)
    expect((await api.get('/notes/n/versions/1')).at('/item')).toMatchObject(note)
    const refused = await api.post('/notes/n/versions/1/restore')
    expect(refused.status).toBe(422)
    expect(refused.errors.map(({ source }) => source?.pointer)).toEqual([
      '/item/text',
      '/item/number',
    ])
  })

  it('ends with the item, and begins anew with the next one of the same id', async () => {
    const store = await make()
    const router = createRouter({ policy: rest(), store })
    router.prepare(model('note', { text: z.string() }, { history: true }))
    const api = client(router)
    await api.post('/notes', { note: { id: 'n', text: 'one' } })
    await api.delete('/notes/n')
    expect((await api.get('/notes/n/versions')).status).toBe(404)
    await api.post('/notes', { note: { id: 'n', text: 'two' } })
    const { body } = await api.get('/notes/n/versions')
    expect(body).toMatchObject({ versions: [{ number: 1, item: { text: 'two' } }] })
    expect((body as { versions: unknown[] }).versions).toHaveLength(1)
  })

  it('is shown under the rules of today for rows and fields', async () => {
    const router = keptRouter(await make())
    router.prepare(Tag).access(({ anyone }) => ({ read: anyone, create: anyone }))
    router.prepare(Page).access(({ item, caller, anyone, signedIn }) => ({
      read: item.status.equal('public').or(item.owner.equal(caller.id)),
      create: signedIn,
      update: item.owner.equal(caller.id),
      delete: signedIn,
      fields: { remark: { read: item.owner.equal(caller.id) }, title: { write: anyone } },
    }))
    const api = client(router)
    const page = { id: 'p', title: 'Draft', status: 'draft', owner: 'ann', remark: 'mine' }
    await api.post('/pages', { page }, as('ann'))
    expect((await api.get('/pages/p/versions', as('bob'))).status).toBe(404)
    await api.patch('/pages/p', { page: { status: 'public', title: 'Public' } }, as('ann'))
    const ofBob = await api.get('/pages/p/versions', as('bob'))
    expect(ofBob.body).toMatchObject({ versions: [{ number: 2, item: { title: 'Public' } }] })
    expect(ofBob.at('/versions/1')).toBeUndefined()
    expect(ofBob.text).not.toContain('mine')
    expect((await api.get('/pages/p/versions/1', as('bob'))).status).toBe(404)
    expect((await api.get('/pages/p/versions/1', as('ann'))).at('/item/remark')).toBe('mine')
    expect((await api.post('/pages/p/versions/2/restore', undefined, as('bob'))).status).toBe(403)
    expect((await api.post('/pages/p/versions/1/restore', undefined, as('ann'))).status).toBe(200)
    expect((await api.get('/pages/p/versions', as('bob'))).status).toBe(404)
  })

  it('leaves out versions that differ only in what the caller does not see', async () => {
    let nowMs = Date.parse('2026-03-01T10:00:00Z')
    const router = keptRouter(await make(), { now: () => new Date(nowMs) })
    router.prepare(Tag)
    router.prepare(Page).access(({ item, caller, anyone }) => ({
      read: anyone,
      create: anyone,
      update: anyone,
      delete: anyone,
      fields: { remark: { read: item.owner.equal(caller.id) } },
    }))
    const api = client(router)
    const change = async (page: object) => {
      nowMs += 60_000
      await api.patch('/pages/p', { page }, as('ann'))
    }
    await api.post('/pages', { page: { id: 'p', title: 'One', owner: 'ann' } }, as('ann'))
    await change({ remark: 'first' })
    await change({ title: 'Two' })
    await change({ remark: 'second' })
    await router.items(Page).update('p', { secret: 'new' })
    const list = async (token: string) =>
      (await api.get('/pages/p/versions', as(token))).at('/versions') as Listed[]
    expect((await list('ann')).map(({ number }) => number)).toEqual([4, 3, 2, 1])
    const ofBob = await list('bob')
    expect(ofBob.map(({ number, time }) => [number, time])).toEqual([
      [3, '2026-03-01T10:02:00Z'],
      [1, '2026-03-01T10:00:00Z'],
    ])
    // As the item itself shows it, although hidden members have changed since.
    expect(ofBob[0]!.item).toEqual((await api.get('/pages/p', as('bob'))).at('/page'))
    expect((await list('ann'))[0]!.item).toEqual((await api.get('/pages/p', as('ann'))).at('/page'))
    for (const number of [2, 4, 5, 6]) {
      const path = `/pages/p/versions/${number}`
      expect((await api.get(path, as('bob'))).status).toBe(404)
      expect((await api.post(`${path}/restore`, undefined, as('bob'))).status).toBe(404)
    }
    expect((await api.get('/pages/p/versions/3', as('bob'))).body).toEqual(ofBob[0])
    expect((await api.post('/pages/p/versions/1/restore', undefined, as('bob'))).status).toBe(200)
    expect((await list('bob')).map(({ number }) => number)).toEqual([6, 3, 1])
    expect((await list('ann'))[0]!.item.remark).toBe('second')
  })

  it('does not say when and by whom hidden members changed once former versions are gone', async () => {
    const router = keptRouter(await make())
    router.prepare(Tag)
    router.prepare(Page).access(({ item, caller, anyone }) => ({
      read: anyone,
      create: anyone,
      update: anyone,
      delete: anyone,
      fields: { remark: { read: item.owner.equal(caller.id) } },
    }))
    const api = client(router)
    const last = async (token: string) =>
      (await api.get('/pages/p/versions', as(token))).at('/versions')
    await api.post('/pages', { page: { id: 'p', title: 'One', owner: 'ann' } }, as('ann'))
    await api.patch('/pages/p', { page: { remark: 'mine' } }, as('ann'))
    await router.erase(Page, 'p')
    expect(await last('ann')).toMatchObject([{ number: 2, caller: 'ann' }])
    expect(await last('bob')).toMatchObject([{ number: 2, time: null, caller: null }])
    await api.patch('/pages/p', { page: { title: 'Two' } }, as('eve'))
    await router.erase(Page, 'p')
    expect(await last('bob')).toMatchObject([{ number: 3, caller: 'eve' }])
  })

  it('compares what mappers send, and leaves out what they cannot handle', async () => {
    const errors: unknown[] = []
    const router = createRouter({
      policy: rest(),
      store: await make(),
      onError: (error) => errors.push(error),
    })
    const Note = model('note', { text: z.string(), hash: hash() }, { history: true })
    router.prepare(Note).map((note) => {
      if (note.text === 'broken') throw new Error('no')
      return { ...note, text: note.text.toLowerCase() }
    })
    const api = client(router)
    await api.post('/notes', { note: { id: 'n', text: 'One' } })
    for (const text of ['ONE', 'Two', 'broken', 'TWO', 'two'])
      await router.items(Note).update('n', { text })
    const { versions } = (await api.get('/notes/n/versions')).body as { versions: Listed[] }
    expect(versions.map(({ number, item }) => [number, item.text])).toEqual([
      [5, 'two'],
      [3, 'two'],
      [1, 'one'],
    ])
    expect(errors.map(String)).toContain('Error: no')
    for (const number of [2, 4, 6])
      expect((await api.get(`/notes/n/versions/${number}`)).status).toBe(404)
  })

  it('reads a bounded number of versions for a page, however many are hidden', async () => {
    const store = await make()
    const Note = model('note', { text: z.string(), hash: hash() }, { history: true })
    const router = createRouter({ policy: rest(), store })
    router.prepare(Note).access(({ anyone, nobody }) => ({
      read: anyone,
      create: anyone,
      update: anyone,
      delete: nobody,
      fields: { text: { read: nobody } },
    }))
    const api = client(router)
    await router.items(Note).create({ id: 'n', text: '0' })
    for (let index = 1; index < 1_010; index += 1)
      await router.items(Note).update('n', { text: String(index) })
    const first = await api.get('/notes/n/versions?page[size]=5')
    expect(first.at('/versions')).toEqual([])
    const second = await api.get(first.at('/next') as string)
    expect(second.at('/versions')).toMatchObject([{ number: 1 }])
    expect(second.at('/next')).toBeNull()
  })

  it('has rules of its own', async () => {
    const router = keptRouter(await make())
    router.prepare(Tag)
    router.prepare(Page).access(({ caller, anyone, nobody }) => ({
      read: anyone,
      create: anyone,
      update: anyone,
      delete: nobody,
      readVersions: caller.roles.contains('editor').or(caller.roles.contains('chief')),
      restoreVersion: caller.roles.contains('chief'),
    }))
    const api = client(router)
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    await api.patch('/pages/p', { page: { title: 'Two' } })
    expect((await api.get('/pages/p/versions')).status).toBe(401)
    expect((await api.get('/pages/p/versions', as('bob'))).status).toBe(403)
    expect((await api.get('/pages/p/versions', as('ed:editor'))).status).toBe(200)
    const restore = (token: string) => api.post('/pages/p/versions/1/restore', undefined, as(token))
    const refused = await restore('ed:editor')
    expect(refused.status).toBe(403)
    expect(refused.errors.map(({ detail }) => detail)).toEqual([
      'You may see this page, but not restore its versions.',
    ])
    expect((await restore('bob')).status).toBe(403)
    expect((await restore('eve:chief')).status).toBe(200)
  })

  it('keeps the files of versions, and restores them', async () => {
    const { api } = await world()
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    const upload = (text: string) =>
      api.post('/pages/p/photo', text, { 'content-type': 'text/plain' })
    expect((await upload('first')).status).toBe(200)
    await upload('second')
    await api.patch('/pages/p', { page: { title: 'Two' } })
    expect((await api.get('/pages/p/photo')).text).toBe('second')
    const restored = await api.post('/pages/p/versions/2/restore')
    expect(restored.status).toBe(200)
    expect((await api.get('/pages/p/photo')).text).toBe('first')
    await api.post('/pages/p/versions/3/restore')
    expect((await api.get('/pages/p/photo')).text).toBe('second')
    await api.post('/pages/p/versions/1/restore')
    expect((await api.get('/pages/p/photo')).status).toBe(404)
  })

  it('is the same in JSON:API, with resource objects', async () => {
    const router = keptRouter(await make(), { policy: jsonApi() })
    router.prepare(Tag)
    router.prepare(Page)
    const api = client(router, 'http://localhost', 'application/vnd.api+json')
    const data = { type: 'pages', id: 'p', attributes: { title: 'One' } }
    expect((await api.post('/pages', { data })).status).toBe(201)
    await api.patch('/pages/p', { data: { ...data, attributes: { title: 'Two' } } })
    const { body } = await api.get('/pages/p/versions')
    expect(body).toMatchObject({
      meta: {
        versions: [
          { number: 2 },
          { item: { type: 'pages', id: 'p', attributes: { title: 'One' } } },
        ],
        next: null,
      },
    })
    const restored = await api.post('/pages/p/versions/1/restore')
    expect(restored.at('/data/attributes/title')).toBe('One')
  })
})
