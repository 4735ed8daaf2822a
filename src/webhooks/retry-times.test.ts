import { expect, it } from 'vitest'
import { nextPauseMs } from './retry-times.ts'

const hour = 3_600_000

it('makes ten attempts within somewhat more than three days', () => {
  let total = 0
  let attempts = 1
  for (;;) {
    const pause = nextPauseMs(attempts, undefined, () => 0)
    if (pause === undefined) break
    total += pause
    attempts++
  }
  expect(attempts).toBe(10)
  expect(total).toBeGreaterThan(72 * hour)
  expect(total).toBeLessThan(80 * hour)
})

it('waits longer where the receiver asks for it, but no longer than a day and a tenth', () => {
  expect(nextPauseMs(1, 60_000, () => 0)).toBe(60_000)
  expect(nextPauseMs(1, 1, () => 0)).toBe(5_000)
  expect(nextPauseMs(1, 1_000 * hour, () => 1)).toBe(26.4 * hour)
})

it('adds up to a tenth at random', () => {
  expect(nextPauseMs(1, undefined, () => 0.5)).toBe(5_250)
})
