import { createRouter, derived, model, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Recipe = model('recipe', {
  ratings: toMany('rating', { inverse: 'recipe' }),
  stars: rollup('ratings', { avg: 'stars' }),
  ratingCount: rollup('ratings', { count: true }),
  score: derived({
    from: ['stars', 'ratingCount'],
    schema: z.number(),
    compute: ({ stars, ratingCount }: { stars: number | null; ratingCount: number }) =>
      (stars ?? 0) * ratingCount,
  }),
  sources: derived({
    from: ['stars', 'ratingCount'],
    schema: z.string(),
    compute: (values) => JSON.stringify(values),
  }),
})
const Rating = model('rating', {
  stars: z.int(),
  recipe: toOne('recipe'),
})

describe.each(stores)('Loading items with rollups, on $name', ({ make }) => {
  it('A function that derives a field gets the rollups of no related items.', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    for (const each of [Recipe, Rating]) router.prepare(each)
    const api = client(router)

    await router.load(Recipe, [{ id: 'pie' }, { id: 'tart', ratingCount: 7 } as never])

    for (const id of ['pie', 'tart'])
      expect((await api.get(`/recipes/${id}`)).at('/recipe')).toMatchObject({
        stars: null,
        ratingCount: 0,
        score: 0,
        sources: '{"stars":null,"ratingCount":0}',
      })

    await router.load(Rating, [
      { id: '1', stars: 3, recipe: 'pie' },
      { id: '2', stars: 4, recipe: 'pie' },
    ])

    expect((await api.get('/recipes/pie')).at('/recipe')).toMatchObject({
      stars: 3.5,
      ratingCount: 2,
      score: 7,
    })
  })

  it('An item that is created after the items that relate to it counts them, or these are refused.', async () => {
    const Cake = model(
      'cake',
      {
        bites: toMany('bite', { inverse: 'cake' }),
        biteCount: rollup('bites', { count: true }),
      },
      { ids: 'client', upsert: true },
    )
    const Bite = model('bite', { cake: toOne('cake') })
    const router = createRouter({ policy: rest(), store: await make() })
    for (const each of [Cake, Bite]) router.prepare(each)
    const api = client(router)
    const bites = [
      { id: '1', cake: 'created' },
      { id: '2', cake: 'put' },
      { id: '3', cake: 'put' },
    ]
    const loaded = await router.load(Bite, bites).catch((error: Error) => error.message)
    await api.post('/cakes', { cake: { id: 'created' } })
    await api.put('/cakes/put', { cake: {} })
    const counts = await Promise.all(
      ['created', 'put'].map(async (id) => (await api.get(`/cakes/${id}`)).at('/cake/biteCount')),
    )
    if (typeof loaded === 'string') expect(loaded).toContain("'created', which does not exist")
    expect(counts).toEqual(typeof loaded === 'string' ? [0, 0] : [1, 2])
  })
})
