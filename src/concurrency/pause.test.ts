import { expect, it } from 'vitest'
import { growingPause, pause } from './pause.ts'

it('grows up to its limit, by at least a half of it', () => {
  for (const [failures, whole] of [
    [1, 100],
    [2, 200],
    [4, 800],
    [5, 1_000],
    [10_000, 1_000],
  ] as const) {
    const pauses = Array.from({ length: 50 }, () => growingPause(failures, 100, 1_000))
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(whole / 2)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(whole)
    expect(new Set(pauses).size).toBeGreaterThan(1)
  }
})

it('ends when the signal is aborted', async () => {
  const closing = new AbortController()
  const paused = pause(1_000_000, closing.signal)
  closing.abort()
  await paused
  await pause(1_000_000, closing.signal)
})
