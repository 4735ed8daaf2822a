import { expect, test } from 'vitest'
import { findNearestName } from './nearest-name.ts'

test.each([
  ['maxByte', 'maxBytes'],
  ['MaxBytes', 'maxBytes'],
  ['maxbyets', 'maxBytes'],
  ['type', 'types'],
  ['desc', 'description'],
  ['ahead', undefined],
  ['', undefined],
  ['maxBytes'.repeat(1_000), undefined],
])('for %s, %s is proposed', (name, expected) => {
  expect(findNearestName(name, ['maxBytes', 'types', 'description'])).toBe(expected)
})

test('of several that are near, the nearest is proposed', () => {
  expect(findNearestName('hots', ['horst', 'host'])).toBe('host')
})
