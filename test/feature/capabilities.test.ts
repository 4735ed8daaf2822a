import { action, createRouter, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accessRouter, as, loadAccessWorld } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

describe.each(stores)('What the caller may do ($name)', ({ make }) => {
  async function world(capabilities: 'none' | 'models' | 'items', policy = rest()) {
    const router = accessRouter(await make(), policy, { capabilities })
    await loadAccessWorld(router)
    return client(router)
  }

  it('is said for a model at its own address', async () => {
    const api = await world('models')
    const response = await api.get('/talks/capabilities', as('ann'))
    expect(response.body).toEqual({
      operations: { read: 'sometimes', create: 'sometimes', update: 'sometimes', delete: 'never' },
      actions: { accept: 'never' },
      fields: {
        title: { read: 'always', write: 'always' },
        status: { read: 'always', write: 'never' },
        notes: { read: 'sometimes', write: 'sometimes' },
        slot: { read: 'always', write: 'always' },
        speaker: { read: 'always', write: 'never' },
        reviewers: { read: 'always', write: 'always' },
        hash: { read: 'always', write: 'never' },
      },
    })
    expect(response.headers.get('cache-control')).toContain('private')
    const admin = await api.get('/talks/capabilities', as('x:admin'))
    expect(admin.at('/operations/delete')).toBe('always')
    expect(admin.at('/fields/score')).toEqual({ read: 'always', write: 'always' })
    expect((await api.get('/talks/capabilities')).at('/operations/create')).toBe('never')
  })

  it('has no field to write where items can be neither created nor updated', async () => {
    const Note = model('note', { title: z.string() })
    const writeOf = async (create: boolean, update: boolean) => {
      const router = createRouter({ policy: rest(), store: await make(), capabilities: 'models' })
      router.prepare(Note).access(({ anyone, nobody }) => ({
        create: create ? anyone : nobody,
        update: update ? anyone : nobody,
      }))
      return (await client(router).get('/notes/capabilities')).at('/fields/title/write')
    }
    expect(await writeOf(false, false)).toBe('never')
    expect(await writeOf(true, false)).toBe('always')
    expect(await writeOf(false, true)).toBe('always')
  })

  it('is said of each single item where the router says so', async () => {
    const api = await world('items')
    const can = async (id: string, token?: string) =>
      (await api.get(`/talks/${id}`, as(token))).at('/meta/can')
    expect(await can('t2', 'ann')).toEqual({
      update: true,
      delete: false,
      actions: { accept: false },
    })
    expect(await can('t3', 'ann')).toMatchObject({ update: false })
    expect(await can('t3', 'x:admin')).toEqual({
      update: false,
      delete: true,
      actions: { accept: true },
    })
    const changed = await api.patch('/talks/t2', { talk: { title: 'X' } }, as('ann'))
    expect(changed.at('/meta/can/update')).toBe(true)
    const tags = [await api.get('/talks/t1'), await api.get('/talks/t1', as('ann'))]
    expect(tags[0]?.etag).not.toBe(tags[1]?.etag)
  })

  it('is said of versions and the trash where the model keeps them', async () => {
    const Note = model(
      'note',
      { text: z.string(), isOpen: z.boolean().default(true) },
      { history: true, trash: true },
    )
    const router = createRouter({
      policy: rest(),
      store: await make(),
      capabilities: 'items',
    })
    router.prepare(Note).access(({ item, anyone, nobody }) => ({
      read: anyone,
      create: anyone,
      update: item.isOpen.equal(true),
      delete: anyone,
      readVersions: item.isOpen.equal(true),
      restoreVersion: anyone,
      restore: nobody,
    }))
    const api = client(router)
    const { operations } = (await api.get('/notes/capabilities')).body as { operations: object }
    expect(operations).toEqual({
      read: 'always',
      create: 'always',
      update: 'sometimes',
      delete: 'always',
      readVersions: 'sometimes',
      restoreVersion: 'sometimes',
      readTrash: 'always',
      restore: 'never',
      purge: 'always',
    })
    for (const isOpen of [true, false]) {
      const id = String(isOpen)
      await api.post('/notes', { note: { id, text: 'T', isOpen } })
      expect((await api.get(`/notes/${id}`)).at('/meta/can')).toEqual({
        update: isOpen,
        delete: true,
        readVersions: isOpen,
        restoreVersion: isOpen,
        actions: {},
      })
      expect((await api.post(`/notes/${id}/versions/1/restore`)).status).toBe(isOpen ? 200 : 403)
    }
    expect((await api.delete('/notes/true')).status).toBe(204)
    expect((await api.post('/notes/trash/true/restore')).status).toBe(403)
  })

  it('is meta of a JSON:API document', async () => {
    const api = await world('items', jsonApi())
    expect((await api.get('/talks/t2', as('ann'))).at('/meta/can/update')).toBe(true)
    const model = await api.get('/talks/capabilities', as('ann'))
    expect(model.at('/meta/operations/create')).toBe('sometimes')
  })

  it('takes the address from items, which cannot have the id', async () => {
    const api = await world('models')
    const item = { talk: { id: 'capabilities', title: 'X' } }
    const refused = await api.post('/talks', item, as('ann'))
    expect(refused.status).toBe(422)
    expect(refused.errors[0]?.source).toEqual({ pointer: '/talk/id' })
    const plain = await world('none')
    expect((await plain.get('/talks/capabilities')).status).toBe(404)
    expect((await plain.post('/talks', item, as('ann'))).status).toBe(201)
  })
})

describe('The document of a router with access rules', () => {
  it('says for whom each operation is, without names that its reader may not know', async () => {
    const router = accessRouter(memory())
    const api = client(router)
    const described = async (token?: string) => {
      const response = await api.get('/openapi.json', as(token))
      return JSON.stringify(response.body)
    }
    const text = await described('ann')
    expect(text).toContain(
      "Allowed where 'status' is \\\"accepted\\\", or 'speaker' is the caller's 'id'",
    )
    expect(text).toContain("the caller's 'roles' has \\\"admin\\\"")
  })

  it('says a condition once that two rules of an operation have', () => {
    class Note extends model('note', { isOpen: z.boolean() }) {
      static {
        action(this, 'close')
      }

      close() {
        this.isOpen = false
      }
    }
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(Note).access(({ item }) => ({
      read: item.isOpen.equal(true),
      update: item.isOpen.equal(true),
      actions: { close: item.isOpen.equal(true) },
    }))
    const { paths } = JSON.parse(JSON.stringify(router.toOpenApi()))
    for (const operation of [paths['/notes/{id}'].patch, paths['/notes/{id}/close'].post])
      expect(operation.description.split("'isOpen' is true")).toHaveLength(2)
  })

  it('has no operation that no caller may call; the service refuses it all the same', async () => {
    const router = accessRouter(memory())
    const { paths } = router.toOpenApi()
    expect(Object.keys(paths['/speakers']!)).toEqual(['get', 'x-resourcery-allow'])
    expect(paths['/speakers']!['x-resourcery-allow']).toBe('GET, HEAD, OPTIONS, QUERY, POST')
    const item = { speaker: { name: 'Ann' } }
    const refused = await client(router).post('/speakers', item, as('x:admin'))
    expect([refused.status, refused.headers.get('allow')]).toEqual([403, null])
  })
})
