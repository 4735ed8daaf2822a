import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchWaiter } from './watch-waiter.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('leaves no timer when the wait ends by an abort, a timeout or the caller', async () => {
  const reasons: unknown[] = []
  const callbacks = {
    onTimeout: () => reasons.push('timeout'),
    onAbort: (reason: unknown) => reasons.push(reason),
  }
  const client = new AbortController()
  const waiter = { signal: client.signal, isAborted: false }
  watchWaiter(waiter, 1_000, callbacks)
  vi.advanceTimersByTime(200)
  client.abort('gone')
  watchWaiter({ signal: new AbortController().signal }, 50, callbacks)
  vi.advanceTimersByTime(60)
  watchWaiter({ signal: new AbortController().signal, isAborted: false }, 1_000, callbacks)()
  expect(reasons).toEqual(['gone', 'timeout'])
  expect(vi.getTimerCount()).toBe(0)
})

it('does not create the signal of a waiter whose host knows whether it left', () => {
  const waiter = {
    isAborted: false,
    get signal(): AbortSignal {
      throw new Error('The signal was read.')
    },
  }
  watchWaiter(waiter, 1_000, { onTimeout: () => {}, onAbort: () => {} })()
  expect(vi.getTimerCount()).toBe(0)
})
