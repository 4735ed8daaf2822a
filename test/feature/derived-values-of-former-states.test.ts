import { createRouter, derived, model, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

describe.each(stores)('Former states of items with derived values, on $name', ({ make }) => {
  /** A function that fails for some titles once it is strict. */
  const open = async () => {
    const state = { isStrict: false }
    const errors: string[] = []
    const Book = model(
      'book',
      {
        title: z.string(),
        reviews: toMany('review', { inverse: 'book' }),
        reviewCount: rollup('reviews', { count: true }),
        label: derived({
          from: ['title', 'reviewCount'],
          schema: z.string(),
          compute: ({ title, reviewCount }) => {
            if (state.isStrict && title === 'old') throw new Error('no label')
            return `${title} ${reviewCount}`
          },
        }),
      },
      { history: true, trash: true },
    )
    const Review = model('review', { book: toOne('book') })
    const router = createRouter({
      policy: rest(),
      store: await make(),
      changes: true,
      onError: (error) => void errors.push(String(error)),
    })
    onTestFinished(() => router.close())
    router.prepare(Book)
    router.prepare(Review)
    return { router, api: client(router), state, errors, Book, Review }
  }

  it('are read, and keep the value for which the function fails now', async () => {
    const { router, api, state, Book } = await open()
    const since = (await api.get('/books')).headers.get('changes-position')
    for (const id of ['b1', 'b2']) await router.items(Book).create({ id, title: 'old' })
    await api.patch('/books/b1', { book: { title: 'new' } })
    await api.delete('/books/b2')
    state.isStrict = true
    await transactionsEnded()
    for (const path of [
      '/books/b1/versions',
      '/books/b1/versions/1',
      '/books/trash',
      '/books/trash/b2',
    ]) {
      const response = await api.get(path)
      expect(response.status).toBe(200)
      expect(response.text).toContain('"old 0"')
    }
    expect((await api.get(`/books/changes?since=${since}`)).text).toContain('"new 0"')
  })

  it('do not keep a write from an item that it corrects', async () => {
    const { router, api, state, Book, Review } = await open()
    await router.items(Book).create({ id: 'b1', title: 'old' })
    await router.items(Review).create({ id: 'r1', book: 'b1' })
    state.isStrict = true
    const corrected = await api.patch('/books/b1', { book: { title: 'new' } })
    expect(corrected.status).toBe(200)
    expect(corrected.at('/book/label')).toBe('new 1')
  })

  it('keep no writer from an item that relates to one for which the function fails', async () => {
    const { router, api, state, errors, Book } = await open()
    await router.items(Book).create({ id: 'b1', title: 'old' })
    state.isStrict = true
    const created = await api.post('/reviews', { review: { id: 'r1', book: 'b1' } })
    expect(created.status).toBe(201)
    expect((await api.get('/books/b1')).at('/book')).toMatchObject({
      reviewCount: 1,
      label: 'old 0',
    })
    expect(errors).toEqual([
      "TypeError: The derived field 'label' of the model 'book' failed for the item 'b1': no label.",
    ])
    expect((await api.delete('/reviews/r1')).status).toBe(204)
    state.isStrict = false
    await api.post('/reviews', { review: { book: 'b1' } })
    expect((await api.get('/books/b1')).at('/book/label')).toBe('old 1')
  })

  it('have no version of a rollup, nor of what is derived from it', async () => {
    const { router, api, Book, Review } = await open()
    await router.items(Book).create({ id: 'b1', title: 'A' })
    await router.items(Review).create({ id: 'r1', book: 'b1' })
    await api.patch('/books/b1', { book: { title: 'B' } })
    expect((await api.get('/books/b1/versions')).at('/versions')).toMatchObject([
      { number: 2, item: { title: 'B', label: 'B 1' } },
      { number: 1, item: { title: 'A', label: 'A 0' } },
    ])
  })

  it('reach consumers, with the value for which the function fails now', async () => {
    const { router, state, Book } = await open()
    const labels: unknown[] = []
    const pauses = { pauseMs: 1, maxPauseMs: 5 }
    router.consume('c', { models: [Book], from: 'start', ...pauses }, (changes) => {
      if (!state.isStrict) {
        state.isStrict = true
        throw new Error('again, and strictly')
      }
      labels.push(...changes.map(({ after }) => after?.label))
    })
    await router.items(Book).create({ id: 'b1', title: 'old' })
    await router.open()
    await transactionsEnded()
    await vi.waitFor(() => expect(labels).toEqual(['old 0']), { timeout: 15_000, interval: 5 })
    expect((await router.consumers())[0]?.aside).toEqual([])
  })
})
