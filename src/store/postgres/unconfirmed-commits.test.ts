import { expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../store-failures.ts'
import { UnconfirmedCommits } from './unconfirmed-commits.ts'

it('UnconfirmedCommits asks the server once in a second, and only where there may be many', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let isAway = false
  let waiting = 2
  const ask = vi.fn(async () => {
    if (isAway) throw new Error('away')
    return waiting
  })
  const commits = new UnconfirmedCommits(2, ask)
  commits.add()
  await commits.check()
  expect(ask).not.toHaveBeenCalled()
  commits.add()
  for (let index = 0; index < 3; index++)
    await expect(commits.check()).rejects.toThrow(StoreUnavailable)
  expect(ask).toHaveBeenCalledTimes(1)
  isAway = true
  vi.advanceTimersByTime(1_000)
  await expect(commits.check()).rejects.toThrow(StoreUnavailable)
  isAway = false
  waiting = 1
  vi.advanceTimersByTime(1_000)
  await Promise.all([commits.check(), commits.check()])
  expect(ask).toHaveBeenCalledTimes(3)
  vi.useRealTimers()
})
