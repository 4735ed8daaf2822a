import { Action, createRouter, file, image, list, model, struct } from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { png } from '../support/resources.ts'
import { stores } from '../support/stores.ts'

class Album extends model('album', {
  title: z.string(),
  cover: image(),
  notes: file({ hidden: true }),
  pages: list(struct({ caption: z.string(), photo: image() })),
}) {
  @Action()
  rename(): void {
    this.title = `${this.title} again`
  }

  @Action()
  uncover(): void {
    this.cover = null
  }

  @Action()
  reverse(): void {
    this.pages = this.pages.toReversed().map((page) => ({ ...page, caption: `${page.caption}!` }))
  }

  @Action()
  tear(): void {
    this.pages.pop()
  }

  @Action()
  copy(): void {
    this.pages = structuredClone(this.pages.map((page) => ({ ...page, photo: page.photo && { ...page.photo } })))
  }
}

interface Shown {
  readonly title: string
  readonly cover: { readonly size: number } | null
  readonly pages: readonly { readonly caption: string }[]
}

describe.each(stores)('Actions on items with binary resources, on $name', ({ make }) => {
  async function album() {
    const blobs = memoryBlobs()
    const faults: unknown[] = []
    const router = createRouter({ policy: rest(), store: await make(), blobs, onError: (error) => faults.push(error) })
    router.prepare(Album)
    await router.load(Album, [{ id: 'a', title: 'x', pages: [{ caption: 'one' }, { caption: 'two' }] }])
    for (const [number, place] of ['cover', 'notes', 'pages/0/photo', 'pages/1/photo'].entries())
      await router.loadResource(Album, { id: 'a', place }, { bytes: png(number), contentType: 'image/png' })
    const ask = async (method: string, path = '') => router.handle(new Request(`http://h/albums/a${path}`, { method }))
    const act = async (name: string) => {
      const response = await ask('POST', `/${name}`)
      return { status: response.status, item: ((await response.json()) as { album: Shown }).album }
    }
    const bytes = async (place: string) => Buffer.from(await (await ask('GET', `/${place}`)).arrayBuffer())
    const count = async () => {
      let found = 0
      for await (const _ of blobs.list()) found++
      return found
    }
    return { act, bytes, count, faults }
  }

  it('keep them, hidden ones too', async () => {
    const { act, bytes, count } = await album()
    const { status, item } = await act('rename')
    expect([status, item.title, item.cover?.size]).toEqual([200, 'x again', 200])
    expect(await bytes('cover')).toEqual(Buffer.from(png(0)))
    expect(await count()).toBe(4)
  })

  it('can clear them, and move them within their list', async () => {
    const { act, bytes, count } = await album()
    expect((await act('uncover')).item.cover).toBeNull()
    expect(await count()).toBe(3)
    const { item } = await act('reverse')
    expect(item.pages.map((page) => page.caption)).toEqual(['two!', 'one!'])
    expect(await bytes('pages/0/photo')).toEqual(Buffer.from(png(3)))
    expect((await act('tear')).item.pages).toHaveLength(1)
    expect(await count()).toBe(2)
    expect(await bytes('pages/0/photo')).toEqual(Buffer.from(png(3)))
  })

  it('cannot pass a copy for one: that is a fault of the service, and changes nothing', async () => {
    const { act, bytes, count, faults } = await album()
    expect((await act('copy')).status).toBe(500)
    expect(String(faults[0])).toMatch(/pages/)
    expect(await count()).toBe(4)
    expect(await bytes('pages/1/photo')).toEqual(Buffer.from(png(3)))
  })
})
