import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { packChange, unpackChange } from './packed-change.ts'
import { packItem } from './packed-item.ts'

const itemOf = (text: string, hiddenText: string | null = null): StoredItem => ({
  id: 'a',
  text,
  relationsOffset: 1,
  hash: text.length % 2 === 0 ? 'aba' : 'bab',
  hiddenText,
  revision: 1,
})

it('keeps of the item before what differs', () => {
  const rest = 'r'.repeat(500)
  const sides = {
    before: { ...itemOf(`{"n":1,${rest},"hash":"${'h'.repeat(40)}"}`), hash: 'h'.repeat(40) },
    after: { ...itemOf(`{"n":2,${rest},"hash":"${'g'.repeat(40)}"}`), hash: 'g'.repeat(40) },
  }
  const [before, after] = packChange(sides)
  expect(before!.length).toBeLessThan(100)
  expect(after).toBe(packItem(sides.after))
  expect(unpackChange('a', before, after)).toEqual(sides)
})

it('gives both sides back, and halves no character', () => {
  const texts = fc.string({
    minLength: 0,
    maxLength: 200,
    unit: fc.constantFrom('a', 'b', '😀', '😁', '🙂', '𐀀', '\n', '~', '['),
  })
  const items = fc.tuple(texts, fc.option(texts)).map(([text, hidden]) => itemOf(text, hidden))
  const sides = fc.option(items)
  fc.assert(
    fc.property(sides, sides, (before, after) => {
      const [old, current] = packChange({ before, after })
      for (const text of [old, current]) expect(text ?? '').not.toMatch(/\p{Surrogate}/u)
      expect(unpackChange('a', old, current)).toEqual({ before, after })
    }),
    { numRuns: 1_000 },
  )
})

it('reads what was kept whole', () => {
  const [before, after] = [itemOf('{"n":1}'), itemOf('{"n":2}')]
  expect(unpackChange('a', packItem(before), packItem(after))).toEqual({ before, after })
})
