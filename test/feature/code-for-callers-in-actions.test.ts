import { setTimeout as wait } from 'node:timers/promises'
import {
  createRouter,
  field,
  type IQuery,
  type ItemContext,
  model,
  type Router,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Judge extends model('judge', { name: z.string(), open: z.boolean().default(true) }) {}

class Paper extends model('paper', {
  title: z.string(),
  /** Of its author. */
  note: z.string().optional(),
  /** Of admins. */
  score: z.int().optional(),
  secret: field(z.string().default('s'), { hidden: true }),
  author: z.string(),
  judge: toOne<Judge>('judge', { optional: true }),
}) {}

/** Where code of an action reads in the name of its caller. */
const places = ['query', 'items', 'items in a transaction', 'items after a write'] as const
type Place = (typeof places)[number]

type Narrow = (query: IQuery) => IQuery

describe.each(stores)('Code of an action that acts for its caller, on $name', ({ make }) => {
  let router: Router<Caller>
  let api: Client
  let act: (context: ItemContext<Paper, unknown, Caller>) => unknown

  beforeEach(async () => {
    router = createRouter({
      policy: rest(),
      store: await make(),
      security: { authentication: [token], callerSchema: Caller },
      timeouts: { actionMs: 5_000 },
    })
    router.prepare(Judge).access(({ item }) => ({ read: item.open.equal(true) }))
    router
      .prepare(Paper)
      .itemOperation(
        'act',
        async (context) => JSON.stringify((await act(context as never)) ?? null),
        {
          output: z.string(),
        },
      )
      .access(({ item, caller, anyone }) => ({
        read: anyone,
        update: anyone,
        fields: {
          note: { read: item.author.equal(caller.id) },
          score: { read: caller.roles.contains('admin') },
        },
      }))
    api = client(router)
    await router.load(Judge, [
      { id: 'open', name: 'Ann' },
      { id: 'hidden', name: 'Bob', open: false },
    ])
    await router.load(Paper, [
      { id: 'p1', title: 'One', note: 'b', score: 5, author: 'ann', judge: 'hidden' },
      { id: 'p2', title: 'Two', note: 'a', score: 3, author: 'bob', judge: 'open' },
    ])
  })

  /** What the action finds at a place, as its caller. */
  const findAs = async (caller: string, place: Place, narrow: Narrow): Promise<unknown> => {
    act = async (context) => {
      const found: Record<string, unknown>[] = []
      const query = narrow as never
      const read = async (items: ReturnType<typeof router.items<typeof Paper>>) => {
        for (const { id, note, score, secret } of await items.all(query))
          found.push({ id, note, score, secret })
        return { found, count: await items.count(query) }
      }
      switch (place) {
        case 'query': {
          const all = narrow(context.query(Paper)) as IQuery<Paper>
          for await (const { id, note, score, secret } of all.exec())
            found.push({ id, note, score, secret })
          return { found, count: await all.size() }
        }
        case 'items':
          return read(router.items(Paper, { as: context }))
        case 'items in a transaction':
          return router.transaction((items) => read(items(Paper)), { as: context })
        case 'items after a write':
          await context.items(Judge).create({ name: 'New' })
          return read(router.items(Paper, { as: context }))
      }
    }
    const response = await api.post('/papers/p1/act', undefined, as(caller))
    return response.status === 200 ? JSON.parse(JSON.parse(response.text)) : response.status
  }

  describe.each(places)('by %s', (place) => {
    it('gets items without what rules keep from the caller', async () => {
      expect(await findAs('bob', place, (query) => query.sort('title'))).toEqual({
        found: [{ id: 'p1' }, { id: 'p2', note: 'a' }],
        count: 2,
      })
    })

    it('finds and sorts nothing by them', async () => {
      const byNote = await findAs('bob', place, (query) => query.where('note').equal('b'))
      expect(byNote).toEqual({ found: [], count: 0 })
      const sorted = await findAs('bob', place, (query) => query.sort('note', 'desc'))
      expect(sorted).toEqual({ found: [{ id: 'p2', note: 'a' }, { id: 'p1' }], count: 2 })
      expect(await findAs('ann', place, (query) => query.where('note').equal('b'))).toMatchObject({
        found: [{ id: 'p1', note: 'b' }],
      })
    })

    it('does not look through items that are hidden', async () => {
      const byJudge = (name: string) => (query: IQuery) => query.where('judge.name').equal(name)
      expect(await findAs('bob', place, byJudge('Bob'))).toEqual({ found: [], count: 0 })
      expect(await findAs('bob', place, byJudge('Ann'))).toMatchObject({ count: 1 })
    })

    it('finds no field that does not exist for the caller', async () => {
      const best: Narrow = (query) => query.where('score').greaterThan(3)
      expect(await findAs('bob', place, best)).toBe(500)
      expect(await findAs('bob', place, (query) => query.sort('secret'))).toBe(500)
      expect(await findAs('eve:admin', place, best)).toMatchObject({
        found: [{ id: 'p1', score: 5 }],
      })
    })
  })

  it('throws for a hidden field as for an unknown one, and suggests none', async () => {
    const messageFor = async (path: string, isInQuery: boolean) => {
      act = async (context) => {
        try {
          if (isInQuery)
            await context
              .query(Paper)
              .where(path as 'title')
              .equal('x')
              .size()
          else
            await router
              .items(Paper, { as: context })
              .count((q) => q.where(path as 'title').equal('x'))
          return 'none'
        } catch (error) {
          return (error as Error).message
        }
      }
      const { text } = await api.post('/papers/p1/act', undefined, as('bob'))
      return JSON.parse(JSON.parse(text))
    }
    for (const isInQuery of [true, false]) {
      expect(await messageFor('score', isInQuery)).toBe(
        "The path 'score' of the model 'paper' is invalid: 'paper' has no field 'score'; expected one of id, title, note, author, judge.",
      )
      expect(await messageFor('skore', isInQuery)).toBe(
        "The path 'skore' of the model 'paper' is invalid: 'paper' has no field 'skore'; expected one of id, title, note, author, judge.",
      )
    }
  })

  it('guards a query that runs inside the function of another one', async () => {
    act = (context) =>
      router.items(Paper, { as: context }).count((query) => {
        counted = query.where('note').equal('b').size()
        return query
      })
    let counted: Promise<number> | undefined
    await api.post('/papers/p1/act', undefined, as('bob'))
    expect(await counted).toBe(0)
  })

  it('runs where the caller does not see a member, and gets the whole item', async () => {
    act = async ({ item }) => {
      await wait(1)
      item.title = `${item.title} (${item.score})`
    }
    const response = await api.post('/papers/p1/act', undefined, as('bob'))
    expect([response.status, response.text]).toEqual([200, '"null"'])
    expect((await router.items(Paper).get('p1'))?.title).toBe('One (5)')
    expect((await router.items(Paper).get('p1'))?.note).toBe('b')
  })
})
