import { hash, model, toMany, toOne } from 'resourcery'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Tag = model('tag', {
  rank: z.number(),
  lists: toMany('list', { inverse: 'tags' }),
  hash: hash(),
})
const List = model('list', {
  name: z.string(),
  tags: toMany('tag'),
  first: toOne('tag', { optional: true }),
  hash: hash(),
})

const count = 1_100
/** Every number below the count once, in no order. */
const shuffled = Array.from({ length: count }, (_, index) => (index * 7_919) % count)
const tags = shuffled.map((number) => ({ id: `t-${number}`, rank: (number * 31) % count }))
const lists = [
  { id: 'l-2', name: 'a', tags: tags.slice(0, 700).map(({ id }) => id), first: 't-5' },
  { id: 'l-1', name: 'b', tags: tags.slice(500).map(({ id }) => id), first: 't-10' },
]

it('Included items come in one order on every store', async () => {
  const queries = [
    'include=tags',
    'include=tags&page[size]=2',
    'include=tags,first&sort=name',
    'include=tags.lists&sort=name',
    'include=first.lists.tags',
    'sort=name&include=tags&sortIncluded[tags]=-rank&pageIncluded[tags][size]=5',
  ]
  const [first, ...others] = await Promise.all(
    stores.map(async ({ make }) => {
      const { router, api } = service(await make(), [Tag, List])
      await router.load(Tag, tags)
      await router.load(List, lists)
      const responses: unknown[] = []
      for (const query of queries) responses.push((await api.get(`/lists?${query}`)).ids('tags'))
      return responses
    }),
  )
  for (const other of others) expect(other).toEqual(first)
  expect(first?.[0]).toEqual(tags.map(({ id }) => id).sort())
  const best = lists.map((list) =>
    tags
      .filter(({ id }) => list.tags.includes(id))
      .sort((a, b) => b.rank - a.rank)
      .slice(0, 5),
  )
  expect(first?.at(-1)).toEqual([...new Set(best.flat().map(({ id }) => id))])
})
