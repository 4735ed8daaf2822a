import {
  Action,
  type BinaryResource,
  file,
  hash,
  list,
  model,
  type Router,
  struct,
  toOne,
} from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { policies } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string(),
  letter: file({ types: ['text/plain'] }),
}) {}

class Book extends model('book', {
  title: z.string(),
  text: file({ types: ['text/plain'] }),
  draft: file({ types: ['text/plain'] }),
  editions: list(struct({ year: z.int(), text: file({ types: ['text/plain'] }) })),
  author: toOne<{ id: string; letter?: BinaryResource | null }>('author'),
  hash: hash(),
}) {
  @Action({ input: z.object({ title: z.string() }) })
  rename({ title }: { title: string }): void {
    this.title = title
    for (const edition of this.editions) edition.year += 1
  }

  @Action
  withdraw(): void {
    this.text = null
  }

  @Action
  publish(): void {
    this.text = this.draft
    this.draft = null
  }

  @Action
  duplicate(): void {
    this.text = this.draft
  }

  @Action
  borrow(): void {
    this.text = this.author.letter ?? null
  }

  @Action
  invent(): void {
    this.text = { contentType: 'text/plain', size: 1, hash: 'x', fileName: null }
  }
}

describe.each(policies)('Under $name,', (kind) => {
  describe.each(stores)('on $name, an action on an item with binary resources', ({ make }) => {
    let router: Router
    let reported: unknown[]

    const send = async (method: string, path: string, body?: string, type = 'text/plain') => {
      const init = {
        method,
        ...(body !== undefined && { body, headers: { 'content-type': type } }),
      }
      const response = await router.handle(new Request(`http://localhost${path}`, init))
      return { status: response.status, text: await response.text() }
    }
    const invoke = (name: string, input: unknown = {}) =>
      send('POST', `/books/b-1/${name}`, JSON.stringify(kind.input(input)), kind.mediaType)
    const bytesOf = (path: string) => send('GET', `/books/b-1/${path}`)

    beforeEach(async () => {
      reported = []
      router = kind.router(await make(), {
        blobs: memoryBlobs(),
        onError: (error) => reported.push(error),
      })
      router.prepare(Author)
      router.prepare(Book)
      await router.load(Author, [{ id: 'a-1', name: 'Ada' }])
      await router.load(Book, [
        { id: 'b-1', title: 'Dune', author: 'a-1', editions: [{ year: 1965 }] },
      ])
      expect((await send('POST', '/authors/a-1/letter', 'Dear all')).status).toBe(200)
      for (const path of ['text', 'draft', 'editions/0/text'])
        expect((await send('POST', `/books/b-1/${path}`, `The ${path}`)).status).toBe(200)
    })

    it('keeps resources that it does not touch', async () => {
      expect((await invoke('rename', { title: 'Arrakis' })).status).toBe(200)
      for (const path of ['text', 'draft', 'editions/0/text'])
        expect((await bytesOf(path)).text).toBe(`The ${path}`)
    })

    it('can clear a resource, and assign one to another field', async () => {
      expect((await invoke('publish')).status).toBe(200)
      expect(await bytesOf('text')).toEqual({ status: 200, text: 'The draft' })
      expect((await bytesOf('draft')).status).toBe(404)
      expect((await invoke('withdraw')).status).toBe(200)
      expect((await bytesOf('text')).status).toBe(404)
    })

    it.each(['duplicate', 'borrow', 'invent'])(
      'cannot use a resource twice, take one from another item, or make one up (%s)',
      async (name) => {
        expect((await invoke(name)).status).toBe(500)
        expect(reported).toHaveLength(1)
        expect(await bytesOf('text')).toEqual({ status: 200, text: 'The text' })
        expect(await send('GET', '/authors/a-1/letter')).toEqual({ status: 200, text: 'Dear all' })
      },
    )
  })
})
