import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../store-failures.ts'
import { Outage } from './outage.ts'
import { ConnectionLost } from './postgres-error.ts'

const away = (text: string) => new ConnectionLost(text)

describe('Outage', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => vi.useRealTimers())

  const outageOf = (probe: () => Promise<void>, limits: { maxWaiting?: number } = {}) => {
    const onEnd = vi.fn()
    const counted = vi.fn(probe)
    const options = { probe: counted, onEnd, maxWaiting: 10, waitMs: 1_000, ...limits }
    return { outage: new Outage(away('first'), options), onEnd, probe: counted }
  }
  const outcomeOf = (waiting: Promise<void>) =>
    waiting.then(
      () => 'back',
      (error: Error) => error.message,
    )

  it('lets all calls go on once one probe finds the server', async () => {
    let isAway = true
    const { outage, onEnd, probe } = outageOf(async () => {
      if (isAway) throw away('still')
    })
    const calls = Promise.all(
      [1, 2, 3].map(() => outcomeOf(outage.untilOver(undefined, performance.now()))),
    )
    await vi.advanceTimersByTimeAsync(500)
    expect(onEnd).not.toHaveBeenCalled()
    const probesBefore = probe.mock.calls.length
    expect(probesBefore).toBeGreaterThan(1)
    isAway = false
    await vi.advanceTimersByTimeAsync(250)
    expect(await calls).toEqual(['back', 'back', 'back'])
    expect([onEnd.mock.calls.length, probe.mock.calls.length]).toEqual([1, probesBefore + 1])
  })

  it('fails with the last error once a call has waited for its time', async () => {
    const { outage, probe } = outageOf(async () => {
      throw away('last')
    })
    const since = performance.now() - 600
    const call = outcomeOf(outage.untilOver(undefined, since))
    await vi.advanceTimersByTimeAsync(399)
    expect(await Promise.race([call, 'waits'])).toBe('waits')
    await vi.advanceTimersByTimeAsync(2)
    expect(await call).toBe('last')
    await expect(outage.untilOver(undefined, performance.now() - 1_000)).rejects.toThrow(
      StoreUnavailable,
    )
    // Nobody looks for the server while nobody waits for it.
    await vi.advanceTimersByTimeAsync(400)
    const { length } = probe.mock.calls
    await vi.advanceTimersByTimeAsync(5_000)
    expect(probe.mock.calls.length).toBe(length)
    const next = outcomeOf(outage.untilOver(undefined, performance.now()))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await next).toBe('last')
    expect(probe.mock.calls.length).toBeGreaterThan(length)
  })

  it('refuses further calls at once where enough of them wait', async () => {
    const { outage } = outageOf(() => Promise.reject(away('still')), { maxWaiting: 2 })
    const calls = [1, 2].map(() => outcomeOf(outage.untilOver(undefined, performance.now())))
    await expect(outage.untilOver(undefined, performance.now())).rejects.toThrow('first')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await Promise.all(calls)).toEqual(['still', 'still'])
    const next = outcomeOf(outage.untilOver(undefined, performance.now()))
    expect(await Promise.race([next, 'waits'])).toBe('waits')
    await vi.advanceTimersByTimeAsync(1_000)
    await next
  })

  it('does not keep a caller that leaves', async () => {
    const { outage } = outageOf(() => Promise.reject(away('still')))
    const caller = new AbortController()
    const call = outcomeOf(outage.untilOver({ signal: caller.signal }, performance.now()))
    caller.abort(new Error('left'))
    expect(await call).toBe('left')
    await vi.advanceTimersByTimeAsync(400)
  })

  it('ends with an error that does not pass by itself, which the calls get', async () => {
    const { outage, onEnd } = outageOf(() => Promise.reject(new Error('wrong password')))
    const call = outcomeOf(outage.untilOver(undefined, performance.now()))
    await vi.advanceTimersByTimeAsync(300)
    expect([await call, onEnd.mock.calls.length]).toEqual(['back', 1])
  })

  it('is long after a minute', async () => {
    const { outage } = outageOf(async () => {})
    await vi.advanceTimersByTimeAsync(60_000)
    expect(outage.isLong).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(outage.isLong).toBe(true)
  })
})
