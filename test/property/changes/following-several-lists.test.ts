import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { atMostAtOnce } from '../../support/at-most-at-once.ts'
import { newsroom } from '../../support/newsroom.ts'
import { randomOf } from '../../support/random-of.ts'
import { stores, transactionsEnded } from '../../support/stores.ts'
import { changeSomething } from './change-something.ts'
import { FeedFollower } from './feed-follower.ts'
import { changesBetweenComparisons, clientsAtOnce, maxRunMs, rhythmAt } from './rhythm.ts'

/** Changes of each run; `npm run reliability:feed` is the long form. */
const changeCount = Number(process.env.CHANGES ?? 100)

const people = ['ann', 'bob', 'eve:editor', undefined]

describe.each(stores)('A client that follows several lists ($name)', ({ make }) => {
  it.each([
    ['rest', rest],
    ['jsonApi', jsonApi],
  ])(
    'has the items of one that reads them again (%s)',
    async (_, policy) => {
      const room = newsroom(await make(), policy())
      const { router } = room
      const random = randomOf(1_147)
      const plurals = ['articles', 'desks', 'remarks']
      const followers = people.map((caller) => new FeedFollower(router as never, plurals, caller))
      const change = () => changeSomething(room, random)
      for (const follower of followers) await follower.begin(change)
      const compareAll = async () => {
        await transactionsEnded()
        await atMostAtOnce(clientsAtOnce, followers, (follower) => follower.follow())
        for (const follower of followers) expect(follower.items).toEqual(await follower.read())
      }
      for (let index = 0; index < changeCount; index++) {
        await change()
        const { pauseFactor, pageFactor } = rhythmAt(index)
        const following = followers.filter(() => random(5 * pauseFactor) === 0)
        await atMostAtOnce(clientsAtOnce, following, (follower) => follower.follow(pageFactor))
        // So that no later change hides a wrong one.
        if ((index + 1) % changesBetweenComparisons === 0) await compareAll()
      }
      await compareAll()
      for (const { changes } of followers) expect(changes).toBeGreaterThan(5)
      await router.close()
    },
    maxRunMs(changeCount),
  )
})
