import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { atMostAtOnce } from '../../support/at-most-at-once.ts'
import { newsroom } from '../../support/newsroom.ts'
import { randomOf } from '../../support/random-of.ts'
import { stores, transactionsEnded } from '../../support/stores.ts'
import { changeSomething } from './change-something.ts'
import { Follower, type Follows } from './follower.ts'
import { changesBetweenComparisons, clientsAtOnce, maxRunMs, rhythmAt } from './rhythm.ts'

/** Changes of each run; `npm run reliability:feed` is the long form. */
const changeCount = Number(process.env.CHANGES ?? 100)

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
      await atMostAtOnce(clientsAtOnce, followers, (follower) => follower.follow())
      const compareAll = async () => {
        await transactionsEnded()
        await atMostAtOnce(clientsAtOnce, followers, (follower) => follower.follow())
        for (const [index, follower] of followers.entries()) {
          const { items } = await follower.read()
          expect(Object.fromEntries(follower.items), JSON.stringify(follows[index])).toEqual(
            Object.fromEntries(items),
          )
        }
      }
      for (let index = 0; index < changeCount; index++) {
        await changeSomething(room, random)
        const { pauseFactor, pageFactor } = rhythmAt(index)
        // Some follow often, others seldom.
        const following = followers.filter(
          (_, number) => random((4 + 3 * (number % 5)) * pauseFactor) === 0,
        )
        await atMostAtOnce(clientsAtOnce, following, (follower) => follower.follow(pageFactor))
        // So that no later change hides a wrong one.
        if ((index + 1) % changesBetweenComparisons === 0) await compareAll()
      }
      await compareAll()
      const followed = (filter: string, caller: string) =>
        followers[follows.findIndex((each) => each.filter === filter && each.caller === caller)]!
      // Rules about the items themselves are decided without a reset.
      expect(followed('filter[words][gte]=50', 'eve:editor').changes).toBeGreaterThan(5)
      expect(followed('filter[isOpen]=true', 'eve:editor').resets).toBe(0)
      await router.close()
    },
    maxRunMs(changeCount),
  )
})
