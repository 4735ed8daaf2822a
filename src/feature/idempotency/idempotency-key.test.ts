import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseIdempotencyKey } from './idempotency-key.ts'

it.each([
  ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"with \\"quotes\\" and \\\\"', 'with "quotes" and \\'],
  ['  "spaces around"  ', 'spaces around'],
  ['a', 'a'],
  ['x'.repeat(255), 'x'.repeat(255)],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
])('reads %s', (value, key) => {
  expect(parseIdempotencyKey(value)).toBe(key)
})

it.each([
  '',
  '""',
  '"open',
  'open"',
  '"a", "b"',
  'a, b',
  'a,b',
  'two words',
  '"é"',
  'é',
  '"bad \\escape"',
  '"a";b=1',
  'x'.repeat(256),
  `"${'x'.repeat(256)}"`,
])('refuses %s', (value) => {
  expect(parseIdempotencyKey(value)).toBeUndefined()
})

it('reads each key that is quoted as a structured field', () => {
  const printable = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 255,
  })
  fc.assert(
    fc.property(printable, (key) => {
      expect(parseIdempotencyKey(`"${key.replace(/["\\]/g, '\\$&')}"`)).toBe(key)
    }),
  )
})
