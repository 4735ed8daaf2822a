import { expect, test } from 'vitest'
import { memoizeBy } from './memoize-by.ts'

test('computes one value for each object', () => {
  let count = 0
  const numbered = memoizeBy((_: object, word: string) => `${word} ${++count}`)
  const [first, second] = [{}, {}]
  expect([numbered(first, 'a'), numbered(second, 'b'), numbered(first, 'a')]).toEqual([
    'a 1',
    'b 2',
    'a 1',
  ])
})

test('keeps nothing if computing the value throws', () => {
  let fails = true
  const compute = memoizeBy((_: object) => {
    if (fails) throw new Error('not yet')
    return 'computed'
  })
  const key = {}
  expect(() => compute(key)).toThrow('not yet')
  fails = false
  expect(compute(key)).toBe('computed')
})
