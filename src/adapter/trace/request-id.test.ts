import { expect, test } from 'vitest'
import { requestIdOf } from './request-id.ts'

test.each(['a', 'req-1.2:3_4', 'dGVzdA+/==', 'x'.repeat(128)])('keeps %s', (id) => {
  expect(requestIdOf(id)).toBe(id)
})

test.each([undefined, '', 'a b', 'a, b', 'é', '\u001b[31m', '"', '<b>', 'x'.repeat(129), 'a\n'])(
  'replaces %j',
  (id) => {
    const one = requestIdOf(id)
    expect(one).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    expect(requestIdOf(id)).not.toBe(one)
  },
)
