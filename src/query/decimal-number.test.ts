import { expect, test } from 'vitest'
import {
  addDecimals,
  decimalToText,
  divideDecimal,
  parseNumber,
  toDecimalNumber,
} from './decimal-number.ts'

const text = (value: string | number) => decimalToText(toDecimalNumber(value)!)

test('a number is read as it is written', () => {
  expect([0.1, -7.25, 1e21, 5e-7, 0, '9.50', '-0.0'].map(text)).toEqual([
    '0.1',
    '-7.25',
    '1000000000000000000000',
    '0.0000005',
    '0',
    '9.5',
    '0',
  ])
  expect(parseNumber('1e+300')).toEqual({ digits: 10n ** 300n, scale: 0 })
  expect(['x', '1e3', '', '01'].map(toDecimalNumber)).toEqual(Array(4).fill(undefined))
})

test('sums are exact, whatever the order', () => {
  const numbers = [0.1, 0.2, -0.3, 1e300, 1, -1e300].map((value) => toDecimalNumber(value)!)
  for (const ordered of [numbers, numbers.toReversed()])
    expect(decimalToText(ordered.reduce(addDecimals))).toBe('1')
})

test('a quotient has 20 digits, or all of the whole number', () => {
  const quotient = (value: string, count: number) =>
    decimalToText(divideDecimal(toDecimalNumber(value)!, count))
  expect(quotient('1', 3)).toBe('0.33333333333333333333')
  expect(quotient('-2', 3)).toBe('-0.66666666666666666667')
  expect(quotient('10.50', 2)).toBe('5.25')
  expect(quotient('100000000000000000000000', 3)).toBe('33333333333333333333333')
  expect(quotient('200000000000000000000000', 3)).toBe('66666666666666666666667')
  expect(quotient('0', 7)).toBe('0')
})
