import { expect, test } from 'vitest'
import { parseExactValue } from './exact-value.ts'

test.each([
  ['number', '27021597764222971', '27021597764222971'],
  ['number', '-9007199254740993.25', '-9007199254740993.25'],
  ['number', '2.7021597764222971e16', '27021597764222971'],
  ['number', '1e400', `1${'0'.repeat(400)}`],
  ['number', '9.50', 9.5],
  ['integer', '9007199254740993', '9007199254740993'],
  ['integer', '42', 42],
] as const)('a %s %s is compared as %j', (kind, text, value) => {
  expect(parseExactValue({ kind }, text)).toEqual({ kind: 'value', value })
})

test.each([
  [{ kind: 'number' }, 'many'],
  [{ kind: 'number' }, '9'.repeat(1_001)],
  [{ kind: 'integer' }, '1.5'],
  [{ kind: 'integer' }, '9007199254740993.5'],
  [{ kind: 'integer', values: [1, 2] }, '9007199254740993'],
  [{ kind: 'boolean' }, '9007199254740993'],
] as const)('the type %j has no value %s', (type, text) => {
  expect(parseExactValue(type, text).kind).toBe('invalid')
})
