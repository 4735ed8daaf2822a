import { expect, test } from 'vitest'
import { memoizeBy } from './memoize-by.ts'

test('makes one thing for each object', () => {
  let made = 0
  const numbered = memoizeBy((_: object, word: string) => `${word} ${++made}`)
  const [one, other] = [{}, {}]
  expect([numbered(one, 'a'), numbered(other, 'b'), numbered(one, 'a')]).toEqual([
    'a 1',
    'b 2',
    'a 1',
  ])
})

test('keeps nothing of what could not be made', () => {
  let fails = true
  const fragile = memoizeBy((_: object) => {
    if (fails) throw new Error('not yet')
    return 'made'
  })
  const one = {}
  expect(() => fragile(one)).toThrow('not yet')
  fails = false
  expect(fragile(one)).toBe('made')
})
