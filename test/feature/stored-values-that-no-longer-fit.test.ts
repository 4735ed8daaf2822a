import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { action, field, model } from 'resourcery'
import { sqlite } from 'resourcery/sqlite'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const folder = mkdtempSync(join(tmpdir(), 'resourcery-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('A stored value that no longer fits its model', () => {
  const older = {
    title: z.string(),
    size: z.object({ width: z.number() }).optional(),
    secret: field(z.string(), { hidden: true }),
    note: z.string().optional(),
  }
  const stricter = {
    title: z.string().max(5),
    size: z.object({ width: z.number().max(10) }).optional(),
    secret: field(z.string().max(5), { hidden: true }),
    note: z.string().optional(),
  }
  const opened = async (name: string) => {
    const file = join(folder, name)
    const item = { id: 'b-1', title: 'A long title', size: { width: 50 }, secret: 'much too long' }
    const Older = model('book', older)
    const writing = service(sqlite(file), [Older])
    await writing.router.load(Older, [item])
    await writing.router.close()
    const { router, api } = service(sqlite(file), [model('book', stricter)])
    onTestFinished(() => router.close())
    return api
  }

  it('does not refuse a change of other members', async () => {
    const api = await opened('named.db')
    // The stored values do not fit the document.
    const response = await api.patch('/books/b-1?fields[books]=note', { book: { note: 'x' } })
    expect([response.status, response.at('/book/note')]).toEqual([200, 'x'])
  })

  it('is reported with its own pointer where it was sent back', async () => {
    const api = await opened('sent.db')
    // As GET gave it.
    const response = await api.put('/books/b-1', {
      book: { id: 'b-1', title: 'A long title', size: { width: 50 } },
    })
    expect([response.status, response.errors.map(({ source }) => source)]).toEqual([
      422,
      [{ pointer: '/book/title' }, { pointer: '/book/size/width' }],
    ])
    expect(response.text).not.toContain('secret')
  })

  it('can be corrected by the change itself', async () => {
    const api = await opened('mended.db')
    const response = await api.patch('/books/b-1', { book: { title: 'Short', size: { width: 5 } } })
    expect(response.status).toBe(200)
  })
})

describe.each(stores)('Text with lone surrogates, on $name', ({ make }) => {
  const cut = z
    .string()
    .transform((text) => text.slice(0, 3))
    .pipe(z.string())
  class Note extends model('note', {
    text: cut.optional(),
    tags: z.array(z.string()).default([]),
    nested: z.object({ inner: cut }).optional(),
  }) {
    cutTags({ at }: { at: number }): void {
      this.tags = this.tags.map((tag) => tag.slice(0, at))
    }

    nul(): void {
      this.text = 'a\0'
    }

    static {
      action(this, 'cutTags', z.object({ at: z.int() }))
      action(this, 'nul', z.object({}))
    }
  }
  const openRouter = async () => {
    const reported: unknown[] = []
    const { router, api } = service(await make(), [Note], {
      onError: (error) => reported.push(error),
    })
    await router.load(Note, [{ id: 'n-1', tags: ['a😀'] }])
    return { router, api, reported }
  }

  it('is refused where a schema makes it', async () => {
    const { api, reported } = await openRouter()
    for (const [note, pointer] of [
      [{ text: 'ab😀' }, '/note/text'],
      [{ nested: { inner: 'ab😀' } }, '/note/nested/inner'],
    ] as const) {
      for (const response of [
        await api.post('/notes', { note }),
        await api.patch('/notes/n-1', { note }),
      ])
        expect([
          response.status,
          response.errors.map(({ code, source }) => [code, source]),
        ]).toEqual([422, [['invalid-member', { pointer }]]])
    }
    expect((await api.post('/notes', { note: { text: 'a😀b' } })).at('/note/text')).toBe('a😀')
    expect(reported).toEqual([])
  })

  it('is refused where an action sets it', async () => {
    const { api, reported } = await openRouter()
    for (const [name, input] of [
      ['cutTags', { at: 2 }],
      ['nul', {}],
    ] as const) {
      const response = await api.post(`/notes/n-1/${name}`, input)
      expect([response.status, response.errors[0]?.code]).toEqual([422, 'invalid-outcome'])
    }
    expect((await api.post('/notes/n-1/cutTags', { at: 3 })).at('/note/tags')).toEqual(['a😀'])
    expect((await api.get('/notes/n-1')).at('/note')).toEqual({ id: 'n-1', tags: ['a😀'] })
    expect(reported).toEqual([])
  })

  it('is refused where items are loaded', async () => {
    const { router } = await openRouter()
    await expect(router.load(Note, [{ id: 'n-2', tags: ['\ud83d'] }])).rejects.toThrow(
      /'tags' contains a lone surrogate/,
    )
  })
})
