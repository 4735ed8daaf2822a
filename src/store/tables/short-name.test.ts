import { expect, test } from 'vitest'
import { shortName } from './short-name.ts'

test('short names stay, and long names end with their hash', () => {
  expect(shortName('x'.repeat(63), 63)).toBe('x'.repeat(63))
  const [one, other] = ['a', 'b'].map((end) => shortName('x'.repeat(70) + end, 63))
  expect(one).toMatch(/^x{54}_[0-9a-f]{8}$/)
  expect(one).not.toBe(other)
})

test('a character of several bytes is not cut in two', () => {
  const name = shortName(`x${'ä'.repeat(40)}`, 63)
  expect(name).toMatch(/^xä{26}_[0-9a-f]{8}$/)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
})
