import { expect, test } from 'vitest'
import { generations } from './generations.ts'

test('keeps what is asked for, forgets what is not', () => {
  const cache = generations<number, string>(10)
  cache.set(0, 'kept')
  cache.set(1, 'forgotten')
  for (let key = 2; key < 40; key++) {
    cache.set(key, `${key}`)
    expect(cache.get(0)).toBe('kept')
  }
  expect(cache.get(1)).toBeUndefined()
  expect(cache.get(39)).toBe('39')
})
