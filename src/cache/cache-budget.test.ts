import { expect, test } from 'vitest'
import { cacheBudget } from './cache-budget.ts'

const text = (bytes: number) => 'x'.repeat(bytes)
const lengthOf = (value: string) => value.length

test('all caches together hold at most the bytes of the budget', () => {
  const budget = cacheBudget(1_000)
  const caches = Array.from({ length: 128 }, () => budget.cache<number, string>(lengthOf))
  let held = 0
  for (let key = 0; key < 100; key++)
    for (const cache of caches) {
      cache.set(key, text(10))
      expect(budget.heldBytes()).toBeLessThanOrEqual(1_000)
    }
  for (const cache of caches)
    for (let key = 0; key < 100; key++) held += cache.get(key)?.length ?? 0
  expect(held).toBeGreaterThanOrEqual(500)
  expect(held).toBeLessThanOrEqual(1_000)
})

test('an entry that is read outlives those of other caches that are not', () => {
  const budget = cacheBudget(1_000)
  const [one, other] = [
    budget.cache<number, string>(lengthOf),
    budget.cache<number, string>(lengthOf),
  ]
  one.set(0, 'read')
  one.set(1, 'unread')
  for (let key = 0; key < 300; key++) {
    other.set(key, text(10))
    expect(one.get(0)).toBe('read')
  }
  expect(one.get(1)).toBeUndefined()
  expect(other.get(0)).toBeUndefined()
  expect(other.get(299)).toBe(text(10))
})

test('a value of more than half of the budget is not kept, and nothing is dropped for it', () => {
  const budget = cacheBudget(1_000)
  const cache = budget.cache<string, string>(lengthOf)
  cache.set('small', text(10))
  cache.set('large', text(501))
  expect([cache.get('large'), cache.get('small')]).toEqual([undefined, text(10)])
})

test('a budget of 0 keeps nothing', () => {
  const budget = cacheBudget(0)
  const cache = budget.cache<string, string>(lengthOf)
  cache.set('a', 'a')
  expect([cache.get('a'), budget.heldBytes()]).toEqual([undefined, 0])
})
