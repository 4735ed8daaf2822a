import { expect, test } from 'vitest'
import { lruCache } from './lru-cache.ts'

test('keeps what is asked for, forgets what is not', () => {
  const cache = lruCache<number, string>(10)
  cache.set(0, 'kept')
  cache.set(1, 'forgotten')
  for (let key = 2; key < 40; key++) {
    cache.set(key, `${key}`)
    expect(cache.get(0)).toBe('kept')
  }
  expect(cache.get(1)).toBeUndefined()
  expect(cache.get(39)).toBe('39')
})

test('keeps no more than twice what its entries may weigh, and the one that was too much', () => {
  const cache = lruCache<number, string>(100, (value) => value.length)
  for (let key = 0; key < 50; key++) cache.set(key, 'x'.repeat(10))
  const kept = Array.from({ length: 50 }, (_, key) => key).filter(
    (key) => cache.get(key) !== undefined,
  )
  expect(kept.at(-1)).toBe(49)
  expect(kept.length).toBeGreaterThanOrEqual(10)
  expect(kept.length).toBeLessThanOrEqual(20)
})
