import { type AnyModel, file, image, list, model, struct } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mediaSamples } from '../support/media.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const png = (await mediaSamples())['image/png']! as Uint8Array<ArrayBuffer>
const text = new TextEncoder().encode('A draft.')

const Before = model('book', {
  title: z.string(),
  cover: image(),
  draft: file({ readOnly: true }),
  prints: list(struct({ name: z.string(), scan: image() })),
})
const After = model('book', {
  title: z.string(),
  front: image({ was: ['face', 'cover'] }),
  manuscript: file({ was: 'draft' }),
  prints: list(struct({ name: z.string(), scan: image() })),
})
/** The first name again: what was renamed once can be renamed again. */
const Later = model('book', {
  title: z.string(),
  jacket: image({ was: 'front', wire: 'cover', hidden: true }),
  manuscript: file({ was: 'draft' }),
})

describe.each(stores)('A renamed file field, on $name', ({ makeData }) => {
  const start = async <T>(
    newStore: Awaited<ReturnType<typeof makeData>>,
    blobs: ReturnType<typeof memoryBlobs>,
    book: AnyModel,
    work: (started: ReturnType<typeof service>) => Promise<T>,
  ): Promise<T> => {
    const started = service(newStore(), [book], { blobs })
    try {
      await started.router.open()
      return await work(started)
    } finally {
      await started.router.close()
    }
  }

  it('keeps its bytes', async () => {
    const newStore = await makeData()
    const blobs = memoryBlobs()
    await start(newStore, blobs, Before, async ({ router }) => {
      const books = router.items(Before)
      await books.create({ id: 'b', title: 'B', prints: [{ name: 'one', scan: null }] })
      await books.create({ id: 'empty', title: 'E', prints: [] })
      await books.setResource('b', 'cover', { bytes: png, contentType: 'image/png' })
      await books.setResource('b', 'draft', {
        bytes: text,
        contentType: 'text/plain',
        fileName: 'draft.txt',
      })
      await books.setResource('b', 'prints/0/scan', { bytes: png, contentType: 'image/png' })
    })
    const plan = await service(newStore(), [After], { blobs }).router.plan()
    if (plan) {
      const summaries = plan.map(({ summary }) => summary).join(' ')
      for (const [former, present] of [
        ['cover', 'front'],
        ['draft', 'manuscript'],
      ])
        expect(summaries).toMatch(
          new RegExp(`'${former}' (becomes '${present}'|of 'books' to '${present}')`),
        )
    }
    for (const _ of ['first', 'second'])
      await start(newStore, blobs, After, async ({ api, router }) => {
        const item = await api.get('/books/b')
        expect(item.at('/book/front/size')).toBe(png.length)
        expect(item.at('/book/manuscript/fileName')).toBe('draft.txt')
        expect(item.text).not.toMatch(/cover|"draft"/)
        for (const [path, bytes] of [
          ['front', png],
          ['manuscript', text],
          ['prints/0/scan', png],
        ] as const) {
          const response = await router.handle(new Request(`http://localhost/books/b/${path}`))
          expect(response.status, path).toBe(200)
          expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(bytes))
        }
        expect((await api.get('/books/empty')).at('/book/front')).toBeNull()
      })
    await start(newStore, blobs, Later, async ({ api, router }) => {
      expect((await api.get('/books/b')).text).not.toContain('cover')
      expect((await api.get('/books/b/cover')).status).toBe(404)
      const jacket = await router.items(Later).readResource('b', 'jacket')
      const chunks: Uint8Array[] = []
      for await (const chunk of jacket!.bytes) chunks.push(chunk)
      expect(Buffer.concat(chunks)).toEqual(Buffer.from(png))
    })
  })
})

it('A file inside a value has no former name of its own', async () => {
  const book = model('book', { prints: list(struct({ scan: image({ was: 'picture' }) })) })
  const { router } = service(memory(), [book], { blobs: memoryBlobs() })
  await expect(router.open()).rejects.toThrow("it cannot have the option 'was'")
})
