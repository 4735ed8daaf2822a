import { describe, expect, it } from 'vitest'
import { client } from '../support/client.ts'
import { keptRouter, Page, Tag } from '../support/kept-world.ts'
import { stores } from '../support/stores.ts'

const count = 12

describe.each(stores)('Writes at the same time ($name)', ({ make }) => {
  async function world() {
    const router = keptRouter(await make())
    router.prepare(Tag)
    router.prepare(Page)
    const api = client(router)
    await api.post('/pages', { page: { id: 'p', title: 'One' } })
    return api
  }
  const atOnce = <T>(work: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => work(index)))

  it('make a version each', async () => {
    const api = await world()
    const responses = await atOnce((index) =>
      api.patch('/pages/p', { page: { title: `Title ${index}` } }),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const { versions } = (await api.get('/pages/p/versions')).body as {
      versions: { number: number; item: { title: string } }[]
    }
    expect(versions.map(({ number }) => number)).toEqual(
      Array.from({ length: count + 1 }, (_, index) => count + 1 - index),
    )
    expect(new Set(versions.map(({ item }) => item.title)).size).toBe(count + 1)
    expect(versions[0]!.item).toEqual((await api.get('/pages/p')).at('/page'))
  })

  it('delete, restore and purge an item once', async () => {
    const api = await world()
    for (let round = 0; round < 3; round++) {
      const deleted = await atOnce(() => api.delete('/pages/p'))
      expect(deleted.filter(({ status }) => status === 204)).toHaveLength(1)
      expect(deleted.filter(({ status }) => status === 404)).toHaveLength(count - 1)
      const restored = await atOnce(() => api.post('/pages/trash/p/restore'))
      expect(restored.filter(({ status }) => status === 201)).toHaveLength(1)
      for (const { status } of restored) expect([201, 404, 409]).toContain(status)
    }
    await api.delete('/pages/p')
    const mixed = await atOnce((index) =>
      index % 2 === 0 ? api.delete('/pages/trash/p') : api.post('/pages/trash/p/restore'),
    )
    for (const { status } of mixed) expect([201, 204, 404, 409]).toContain(status)
    const isThere = (await api.get('/pages/p')).status === 200
    expect((await api.get('/pages/trash')).at('/trash')).toEqual([])
    expect(mixed.filter(({ status }) => status === 201)).toHaveLength(isThere ? 1 : 0)
  })
})
