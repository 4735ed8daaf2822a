import { expect, test } from 'vitest'
import { lruCache } from './lru-cache.ts'

test('keeps entries that are read, and drops the others', () => {
  const cache = lruCache<number, string>(10)
  cache.set(0, 'read')
  cache.set(1, 'unread')
  for (let key = 2; key < 40; key++) {
    cache.set(key, `${key}`)
    expect(cache.get(0)).toBe('read')
  }
  expect(cache.get(1)).toBeUndefined()
  expect(cache.get(39)).toBe('39')
})

test('keeps at least the last entries of its capacity, and at most twice as many', () => {
  const cache = lruCache<number, string>(10)
  for (let key = 0; key < 50; key++) cache.set(key, 'x')
  const cachedKeys = Array.from({ length: 50 }, (_, key) => key).filter(
    (key) => cache.get(key) !== undefined,
  )
  expect(cachedKeys.at(-1)).toBe(49)
  expect(cachedKeys.length).toBeGreaterThanOrEqual(10)
  expect(cachedKeys.length).toBeLessThanOrEqual(20)
})
