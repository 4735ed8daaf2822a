import { derived, model, rollup, toMany, toOne } from 'resourcery'
import type { Fields, RollupOptions } from 'resourcery/types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { type StoreKind, stores } from '../support/stores.ts'

const Review = model('review', {
  stars: z.int(),
  text: z.string().default('x'),
  book: toOne('book'),
})
const bookWith = (fields: Fields) =>
  model('book', {
    title: z.string(),
    reviews: toMany('review', { inverse: 'book' }),
    ...fields,
  })
const kept = (options: RollupOptions) => rollup('reviews', options as { avg: string })

/** Each has a column of another type in ordinary tables than the one before. */
const changes: [string, Fields[string], Fields[string], unknown][] = [
  ['rollup of another kind', kept({ max: 'stars' }), kept({ avg: 'stars' }), 2.5],
  ['rollup of another field', kept({ max: 'stars' }), kept({ max: 'text' }), 'b'],
  [
    'derived field with another schema',
    derived({ from: ['title'], schema: z.int(), compute: ({ title }) => title.length }),
    derived({ from: ['title'], schema: z.string(), compute: ({ title }) => title, version: 2 }),
    'Dune',
  ],
]

describe.each(stores)('A computed field of another type, on $name', ({ layout, makeData }) => {
  const started = (newStore: Awaited<ReturnType<StoreKind['makeData']>>, fields: Fields) =>
    service(newStore(), [bookWith(fields), Review])

  it.each(changes)(
    'is computed again, or under another name: a %s',
    async (_, before, after, value) => {
      const newStore = await makeData()
      const first = started(newStore, { score: before })
      await first.api.post('/books', { book: { id: 'dune', title: 'Dune' } })
      for (const [id, stars, text] of [
        ['1', 2, 'a'],
        ['2', 3, 'b'],
      ])
        await first.api.post('/reviews', { review: { id, stars, text, book: 'dune' } })
      await first.router.close()

      const changed = started(newStore, { score: after })
      if (layout === 'documents') {
        expect((await changed.api.get('/books/dune')).at('/book/score')).toBe(value)
        return
      }
      await expect(changed.router.open()).rejects.toThrow(
        /^The column 'score' of 'books' has the type .*, which cannot hold all values of the field 'score' of the model 'book'\. Give the field another name, under which a start computes it\./m,
      )
      await changed.router.close()
      const renamed = started(newStore, { points: after })
      expect((await renamed.api.get('/books/dune')).at('/book/points')).toBe(value)
      const created = await renamed.api.post('/books', { book: { id: 'emma', title: 'Emma' } })
      const steps = (await renamed.router.plan()) ?? []
      expect(steps).toMatchObject([
        { kind: 'never', summary: expect.stringContaining("Drop the column 'score' of 'books'") },
      ])
      // SQLite cannot allow NULL in a column.
      const isRefused = steps[0]!.summary.includes('each new item is refused')
      expect(created.status).toBe(isRefused ? 422 : 201)
      await renamed.router.close()
    },
  )
})
