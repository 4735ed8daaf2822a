import { expect, it } from 'vitest'
import { truncate } from './truncate.ts'

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['', 3, ''],
  ['ab😀', 4, 'ab😀'],
  ['ab😀c', 4, 'ab😀…'],
  ['ab😀c', 3, 'ab…'],
  ['😀', 1, '…'],
])('%s, %i code units at most, is told as %s', (text, most, told) => {
  expect(truncate(text, most)).toBe(told)
  expect(Buffer.from(told).toString()).toBe(told)
})

it('leaves 64 code units unless told otherwise', () => {
  expect(truncate('x'.repeat(64))).toBe('x'.repeat(64))
  expect(truncate('x'.repeat(65))).toBe(`${'x'.repeat(64)}…`)
})
