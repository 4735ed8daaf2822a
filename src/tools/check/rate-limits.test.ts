import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateLimits, withRateLimits } from './rate-limits.ts'
import { describeRateLimits } from './report-text.ts'
import type { ServiceResponse } from './service-client.ts'

const request = { method: 'GET', requestTarget: '/things', headers: {} }

/** A client whose first responses are refusals with these values of `Retry-After`. */
function refusing(...retryAfter: readonly (string | undefined)[]) {
  const refusals = [...retryAfter]
  return {
    send: vi.fn(async (): Promise<ServiceResponse> => {
      if (refusals.length === 0) return { status: 200, headers: {}, body: Buffer.alloc(0) }
      const value = refusals.shift()
      const headers = value === undefined ? {} : { 'retry-after': value }
      return { status: 429, headers, body: Buffer.alloc(0) }
    }),
  }
}

describe('rate limits of a checked service', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['seconds', () => '2', 2_000],
    ['a date', () => new Date(Date.now() + 3_000).toUTCString(), 3_000],
    ['no time at all', () => '0', 1_000],
  ])('are waited for as Retry-After says: %s', async (_, retryAfter, waitedMs) => {
    vi.setSystemTime(1_700_000_000_000)
    const limits = new RateLimits()
    const response = withRateLimits(refusing(retryAfter()), limits).send(request)
    await vi.advanceTimersByTimeAsync(waitedMs)
    expect((await response).status).toBe(200)
    expect(limits.counts()).toEqual({ limitedCount: 0, waitedMs })
  })

  it('are waited for once by requests that are refused at the same time', async () => {
    const limits = new RateLimits()
    const client = withRateLimits(refusing('5', '5', '5'), limits)
    const responses = Promise.all([1, 2, 3].map(() => client.send(request)))
    await vi.advanceTimersByTimeAsync(5_000)
    expect((await responses).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(limits.counts()).toEqual({ limitedCount: 0, waitedMs: 5_000 })
  })

  it.each([['61'], [undefined], ['soon']])(
    'are counted where nobody can wait for them: Retry-After %j',
    async (retryAfter) => {
      const limits = new RateLimits()
      const client = refusing(retryAfter)
      expect((await withRateLimits(client, limits).send(request)).status).toBe(429)
      expect(client.send).toHaveBeenCalledTimes(1)
      expect(limits.counts()).toEqual({ limitedCount: 1, waitedMs: 0 })
    },
  )

  it('are waited for 60 s altogether', async () => {
    const limits = new RateLimits()
    const client = refusing('40', '40')
    const response = withRateLimits(client, limits).send(request)
    await vi.advanceTimersByTimeAsync(40_000)
    expect((await response).status).toBe(429)
    expect(limits.counts()).toEqual({ limitedCount: 1, waitedMs: 40_000 })
  })

  it('stand in the report', () => {
    expect(describeRateLimits({ limitedCount: 0, waitedMs: 0 })).toBe('')
    expect(describeRateLimits({ limitedCount: 12, waitedMs: 40_000 })).toBe(
      '\nWaited 40 s for rate limits.\nA rate limit refused 12 requests (429), which were not checked; raise the limits of the service for a check.',
    )
  })
})
