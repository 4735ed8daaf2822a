import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareText } from './compare.ts'
import { decimalText, toDecimalKey } from './decimal.ts'

const scale = 6
const number = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(scale))

/** The same number with at most `scale` digits behind the point. */
function textOf(units: bigint, zeros: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '') + '0'.repeat(zeros)
  const whole = digits.slice(0, -scale)
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

it('Keys of decimal numbers are in the order of the numbers, however they are written', () => {
  fc.assert(
    fc.property(number, number, ([one, zeros], [other, otherZeros]) => {
      const texts = [textOf(one, zeros), textOf(other, otherZeros)] as const
      expect(texts.every((text) => decimalText.test(text))).toBe(true)
      const order = compareText(toDecimalKey(texts[0]), toDecimalKey(texts[1]))
      expect(Math.sign(order)).toBe(one < other ? -1 : one > other ? 1 : 0)
    }),
  )
})

it('A key is its own key, and so is a text that is no decimal number', () => {
  for (const text of ['', '-', '.', '1.', '.5', '01', '1e3', '+1', '1-2', '--1', '1.2.3', 'abc'])
    expect(toDecimalKey(text)).toBe(text)
  for (const text of ['0', '-12.5', '12.50']) {
    const key = toDecimalKey(text)
    expect(toDecimalKey(key)).toBe(key)
  }
  expect(toDecimalKey('-0.00')).toBe(toDecimalKey('0'))
})
