import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { Article, Desk, type Newsroom, newsroom, Remark } from '../../support/newsroom.ts'
import { randomOf } from '../../support/random-of.ts'
import { stores, transactionsEnded } from '../../support/stores.ts'
import { FeedFollower } from './feed-follower.ts'
import { Follower, type Follows } from './follower.ts'

/** Changes of each run; `npm run reliability:feed` is the long form. */
const changeCount = Number(process.env.CHANGES ?? 100)

/** Long runs compare in between too, so that no later change hides a wrong one. */
const comparedEvery = 1_000

/** For runs on a busy machine. */
const maxMsPerChange = 100

const people = ['ann', 'bob', 'eve:editor', undefined]
const filters: Readonly<Record<string, readonly string[]>> = {
  articles: [
    '',
    'filter[words][gte]=50',
    'filter[status]=ready',
    'filter[notes][ne]=x',
    'filter[desk.name]=D1',
    'filter=or(eq(owner,%27ann%27),lt(words,20))',
    'fields[articles]=title',
  ],
  desks: ['', 'filter[isOpen]=true'],
  remarks: ['', 'filter[text][contains]=1'],
}

describe.each(stores)('A client that only follows changes ($name)', ({ make }) => {
  it.each([
    ['rest', rest],
    ['jsonApi', jsonApi],
  ])(
    'has the items of one that reads them again (%s)',
    async (_, policy) => {
      const room = newsroom(await make(), policy())
      const { router } = room
      const random = randomOf(4_711)
      const follows: Follows[] = Object.entries(filters).flatMap(([plural, ofModel]) =>
        people.flatMap((caller) =>
          ofModel
            // For anonymous callers there are no notes.
            .filter((filter) => caller !== undefined || !filter.includes('notes'))
            .map((filter) => ({ plural, caller, filter, limit: 1 + random(6) })),
        ),
      )
      const followers = follows.map((each) => new Follower(router as never, each))
      for (const follower of followers) await follower.follow()
      const compareAll = async () => {
        await transactionsEnded()
        for (const [index, follower] of followers.entries()) {
          await follower.follow()
          const { items } = await follower.read()
          expect(Object.fromEntries(follower.items), JSON.stringify(follows[index])).toEqual(
            Object.fromEntries(items),
          )
        }
      }
      for (let index = 0; index < changeCount; index++) {
        await changeSomething(room, random)
        // Some follow often, others seldom.
        for (const [number, follower] of followers.entries())
          if (random(4 + 3 * (number % 5)) === 0) await follower.follow()
        if ((index + 1) % comparedEvery === 0) await compareAll()
      }
      await compareAll()
      const followed = (filter: string, caller: string) =>
        followers[follows.findIndex((each) => each.filter === filter && each.caller === caller)]!
      // Rules about the items themselves are decided without a reset.
      expect(followed('filter[words][gte]=50', 'eve:editor').changes).toBeGreaterThan(5)
      expect(followed('filter[isOpen]=true', 'eve:editor').resets).toBe(0)
      await router.close()
    },
    120_000 + maxMsPerChange * changeCount,
  )

  it.each([
    ['rest', rest],
    ['jsonApi', jsonApi],
  ])(
    'has the items of several lists that it follows at once (%s)',
    async (_, policy) => {
      const room = newsroom(await make(), policy())
      const { router } = room
      const random = randomOf(1_147)
      const plurals = ['articles', 'desks', 'remarks']
      const followers = people.map((caller) => new FeedFollower(router as never, plurals, caller))
      const change = () => changeSomething(room, random)
      for (const follower of followers) await follower.follow(change)
      for (let index = 0; index < changeCount; index++) {
        await change()
        for (const follower of followers) if (random(5) === 0) await follower.follow(change)
      }
      await transactionsEnded()
      for (const follower of followers) {
        await follower.follow()
        expect(follower.items).toEqual(await follower.read())
        expect(follower.changes).toBeGreaterThan(5)
      }
      await router.close()
    },
    120_000 + maxMsPerChange * changeCount,
  )
})

async function changeSomething({ router, tick, nowMs }: Newsroom, random: (n: number) => number) {
  const articles = router.items(Article)
  const desks = router.items(Desk)
  const remarks = router.items(Remark)
  const id = `a${random(12)}`
  const values = () => ({
    title: `T${random(5)}`,
    words: random(100),
    status: random(2) === 0 ? ('draft' as const) : ('ready' as const),
    owner: random(2) === 0 ? 'ann' : 'bob',
    publishAt: new Date(nowMs() + random(100) * 60_000).toISOString(),
    notes: `n${random(2)}`,
    secret: `s${random(2)}`,
  })
  const exists = (await articles.get(id)) !== undefined
  switch (random(10)) {
    case 0:
      return tick(random(20) * 60_000)
    case 1:
      return void (await desks
        .update(`d${random(3)}`, { isOpen: random(2) === 0 })
        .catch(() =>
          desks.create({ id: `d${random(3)}`, name: `D${random(3)}` }).catch(() => undefined),
        ))
    case 2:
      return void (await desks.delete(`d${random(3)}`).catch(() => undefined))
    case 3:
      return void (await remarks
        .create({ id: `r${random(10)}`, text: `R${random(3)}`, article: id })
        .catch(() => undefined))
    case 4:
      return void (await articles.delete(id).catch(() => undefined))
    case 5:
      return void (await articles.update(id, { desk: `d${random(3)}` }).catch(() => undefined))
    case 6:
      return void (await articles.update(id, { secret: `s${random(2)}` }).catch(() => undefined))
    default: {
      if (!exists) return void (await articles.create({ id, ...values() }))
      const { title, words, status, owner, notes } = values()
      const part = [{ title }, { words }, { status }, { owner }, { notes }, { status, owner }]
      return void (await articles.update(id, part[random(part.length)]!))
    }
  }
}
