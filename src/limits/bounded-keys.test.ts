import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BoundedKeys } from './bounded-keys.ts'

it('holds no more keys than allowed, and lets further ones share', () => {
  const keys = new BoundedKeys(10, 1_000)
  const bounded = Array.from({ length: 5_000 }, (_, index) => keys.bounded(`k${index}`, 0))
  expect(bounded.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => `k${index}`))
  expect(new Set(bounded).size).toBeLessThanOrEqual(10 + 1_024)
  expect(bounded[4_999]).toMatch(/^shared:\d+$/)
  expect(keys.size).toBe(10)
})

it('forgets keys after two periods', () => {
  const keys = new BoundedKeys(1, 1_000)
  expect(keys.bounded('a', 0)).toBe('a')
  expect(keys.bounded('b', 1_500)).toMatch(/^shared/)
  expect(keys.bounded('b', 2_600)).toBe('b')
})

it('never exceeds its bound, and never renames a key that it has accepted within a period', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 400 }))),
      (calls) => {
        const keys = new BoundedKeys(5, 1_000)
        const acceptedAt = new Map<string, number>()
        let nowMs = 0
        for (const [number, passedMs] of calls) {
          nowMs += passedMs
          const key = `k${number}`
          const bounded = keys.bounded(key, nowMs)
          expect(keys.size).toBeLessThanOrEqual(5)
          const before = acceptedAt.get(key)
          if (before !== undefined && nowMs - before < 1_000) expect(bounded).toBe(key)
          if (bounded === key) acceptedAt.set(key, nowMs)
        }
      },
    ),
  )
})
