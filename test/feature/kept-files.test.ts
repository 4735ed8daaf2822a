import { type BlobStore, createRouter, file, model, type Store } from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const dayMs = 24 * 60 * 60 * 1_000

describe.each(stores)('Files of versions and of deleted items ($name)', ({ make, makeData }) => {
  function world(store: Store, options: object, blobs: BlobStore = memoryBlobs()) {
    let now = Date.parse('2026-03-01T10:00:00Z')
    const router = createRouter({ policy: rest(), store, blobs, now: () => new Date(now) })
    const Page = model(
      'page',
      {
        title: z.string(),
        photo: file({ types: ['text/plain'] }),
        parts: z.array(z.object({ name: z.string() })).optional(),
      },
      options,
    )
    router.prepare(Page)
    const api = client(router)
    return {
      router,
      Page,
      api,
      blobs,
      wait: (days: number) => {
        now += days * dayMs
      },
      upload: (text: string, id = 'p') =>
        api.post(`/pages/${id}/photo`, text, { 'content-type': 'text/plain' }),
      create: (id = 'p') => api.post('/pages', { page: { id, title: 'One' } }),
    }
  }

  async function countOf(blobs: BlobStore): Promise<number> {
    let count = 0
    for await (const _ of blobs.list()) count++
    return count
  }

  it('stay as long as a version has them, and go with the item', async () => {
    const { api, blobs, upload, create, router } = world(await make(), { history: true })
    await create()
    for (const text of ['one', 'two', 'three']) await upload(text)
    expect(await countOf(blobs)).toBe(3)
    expect(await router.sweep(0)).toBe(0)
    await api.post('/pages/p/versions/2/restore')
    expect(await countOf(blobs)).toBe(3)
    await api.delete('/pages/p/photo')
    expect(await countOf(blobs)).toBe(3)
    await api.delete('/pages/p')
    expect(await countOf(blobs)).toBe(0)
  })

  it('stay in the trash, until the item is deleted for good', async () => {
    const { api, blobs, upload, create, router } = world(await make(), { trash: true })
    await create()
    await upload('one')
    await upload('two')
    expect(await countOf(blobs)).toBe(1)
    await api.delete('/pages/p')
    expect(await router.sweep(0)).toBe(0)
    expect(await countOf(blobs)).toBe(1)
    await api.post('/pages/trash/p/restore')
    expect((await api.get('/pages/p/photo')).text).toBe('two')
    await api.delete('/pages/p')
    await create()
    await upload('other')
    expect(await countOf(blobs)).toBe(2)
    await api.delete('/pages/p')
    // Both items that had the id are in the trash.
    expect(await countOf(blobs)).toBe(2)
    expect(await router.sweep(0)).toBe(0)
    await api.delete('/pages/trash/p')
    expect(await countOf(blobs)).toBe(1)
    await api.delete('/pages/trash/p')
    expect(await countOf(blobs)).toBe(0)
  })

  it('stay with both, and go with both', async () => {
    const { api, blobs, upload, create } = world(await make(), { history: true, trash: true })
    await create()
    await upload('one')
    await upload('two')
    await api.delete('/pages/p')
    expect(await countOf(blobs)).toBe(2)
    await api.post('/pages/trash/p/restore')
    await api.post('/pages/p/versions/2/restore')
    expect((await api.get('/pages/p/photo')).text).toBe('one')
    await api.delete('/pages/p')
    await create()
    // Versions of the former item end; its last file stays in the trash.
    expect(await countOf(blobs)).toBe(1)
    await api.delete('/pages/trash/p')
    expect(await countOf(blobs)).toBe(0)
    expect((await api.get('/pages/p/versions')).at('/versions')).toHaveLength(1)
  })

  it('go where the former states of an item are erased', async () => {
    const { api, blobs, upload, create, router, Page } = world(await make(), {
      history: true,
      trash: true,
    })
    await create()
    for (const text of ['one', 'two']) await upload(text)
    expect(await router.erase(Page, 'p')).toBe(2)
    expect(await countOf(blobs)).toBe(1)
    expect((await api.get('/pages/p/photo')).text).toBe('two')
    await api.patch('/pages/p', { page: { title: 'Two' } })
    const { versions } = (await api.get('/pages/p/versions')).body as {
      versions: { number: number }[]
    }
    expect(versions.map(({ number }) => number)).toEqual([4, 3])
    await api.delete('/pages/p')
    expect(await router.erase(Page, 'p')).toBe(3)
    expect((await api.get('/pages/trash')).at('/trash')).toEqual([])
    expect(await countOf(blobs)).toBe(0)
    await create()
    expect((await api.get('/pages/p/versions')).at('/versions/0/number')).toBe(1)
  })

  it('go at the age of their version or of the deletion', async () => {
    const open = await makeData()
    const options = { history: { keepDays: 10 }, trash: { keepDays: 20 } }
    const blobs = memoryBlobs()
    const first = world(open(), options, blobs)
    for (const id of ['p', 'q']) {
      await first.create(id)
      await first.upload('one', id)
      await first.upload('two', id)
    }
    await first.api.delete('/pages/q')
    expect(await countOf(blobs)).toBe(4)
    await first.router.close()
    const restart = async (days: number) => {
      const next = world(open(), options, blobs)
      next.wait(days)
      await next.router.open()
      await next.router.close()
      return world(open(), options, blobs)
    }
    const early = await restart(9)
    expect((await early.api.get('/pages/p/versions')).at('/versions')).toHaveLength(3)
    expect(await countOf(blobs)).toBe(4)
    await early.router.close()
    const later = await restart(11)
    const { versions } = (await later.api.get('/pages/p/versions')).body as {
      versions: { number: number }[]
    }
    expect(versions.map(({ number }) => number)).toEqual([3])
    expect((await later.api.get('/pages/trash')).at('/trash')).toHaveLength(1)
    expect((await later.api.get('/pages/p/photo')).text).toBe('two')
    expect(await countOf(blobs)).toBe(2)
    await later.router.close()
    const last = await restart(21)
    expect((await last.api.get('/pages/trash')).at('/trash')).toEqual([])
    expect(await countOf(blobs)).toBe(1)
    expect((await last.upload('three')).status).toBe(200)
    expect((await last.api.get('/pages/p/versions')).at('/versions/0/number')).toBe(4)
  })
})
