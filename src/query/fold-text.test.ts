import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldText } from './fold-text.ts'

it.each([
  ['Zoë', 'ZOE'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['ΟΔΟΣ', 'οδός'],
  ['a\u0308', 'Ä'],
  ['ﬁn', 'FIN'],
  ['İstanbul', 'istanbul'],
  ['Ёлка', 'ЕЛКА'],
  ['ｆｕｌｌ', 'FULL'],
  ['각', '\u1100\u1161\u11a8'],
])('%s and %s are the same', (one, other) => {
  expect(foldText(one)).toBe(foldText(other))
})

it.each([
  ['ø', 'o'],
  ['ł', 'l'],
  ['æ', 'ae'],
  ['กิ', 'ก'],
  ['कि', 'क'],
])('%s and %s differ', (one, other) => {
  expect(foldText(one)).not.toBe(foldText(other))
})

it('A folded text is its own folded text, and each character is folded by itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      const folded = foldText(one)
      expect(foldText(folded)).toBe(folded)
      expect(foldText(one.toLowerCase())).toBe(folded)
      // Marks in a row have an order of their own.
      expect(foldText(`${one}-${other}`)).toBe(`${folded}-${foldText(other)}`)
    }),
    { numRuns: 2_000 },
  )
})
