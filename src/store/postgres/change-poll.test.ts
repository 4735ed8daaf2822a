import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ChangePoll, type LatestChange } from './change-poll.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function polling(latest: () => LatestChange) {
  let looks = 0
  let changes = 0
  const poll = new ChangePoll({
    look: async () => {
      looks++
      return latest()
    },
    idleMs: () => 1_000,
    onChange: () => void changes++,
  })
  const countsAfter = async (ms: number) => {
    looks = 0
    changes = 0
    await vi.advanceTimersByTimeAsync(ms)
    return { looks, changes }
  }
  return { poll, countsAfter }
}

it('looks once in a while, and says once that more can be read', async () => {
  let text: string | null = null
  const { poll, countsAfter } = polling(() => ({ text, isFollowed: false }))
  expect(await countsAfter(500)).toEqual({ looks: 1, changes: 1 })
  expect(await countsAfter(4_000)).toEqual({ looks: 4, changes: 0 })
  text = '7.1'
  expect(await countsAfter(4_000)).toEqual({ looks: 4, changes: 1 })
  poll.stop()
  expect(await countsAfter(4_000)).toEqual({ looks: 0, changes: 0 })
})

it('looks again and again while changes wait for other transactions', async () => {
  let latest = { text: '7.1', isFollowed: true }
  const { countsAfter } = polling(() => latest)
  expect(await countsAfter(150)).toEqual({ looks: 4, changes: 1 })
  expect(await countsAfter(1_000)).toEqual({ looks: 10, changes: 0 })
  latest = { text: '8.1', isFollowed: false }
  expect(await countsAfter(1_000)).toEqual({ looks: 1, changes: 1 })
})

it('looks at once where it is told to, but not more often than each 10 ms', async () => {
  const { poll, countsAfter } = polling(() => ({ text: null, isFollowed: false }))
  await countsAfter(500)
  poll.lookWithin(0)
  poll.lookWithin(20)
  expect(await countsAfter(1)).toEqual({ looks: 1, changes: 0 })
  poll.lookWithin(0)
  expect(await countsAfter(5)).toEqual({ looks: 0, changes: 0 })
  expect(await countsAfter(10)).toEqual({ looks: 1, changes: 0 })
})

it('goes on after errors', async () => {
  let isAway = true
  const { countsAfter } = polling(() => {
    if (isAway) throw new Error('away')
    return { text: '7.1', isFollowed: false }
  })
  expect(await countsAfter(2_500)).toEqual({ looks: 3, changes: 0 })
  isAway = false
  expect(await countsAfter(1_000)).toEqual({ looks: 1, changes: 1 })
})
