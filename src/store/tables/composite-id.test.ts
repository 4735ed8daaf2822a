import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinIdParts, splitId } from './composite-id.ts'

const parts = fc.array(fc.string({ unit: fc.constantFrom('@', '~', '0', '1', 'a', '%', 'ü') }), {
  minLength: 1,
  maxLength: 4,
})

describe('The id of a key with several columns', () => {
  it('has the parts, joined by ~', () => {
    expect(joinIdParts(['1', '20'])).toBe('1~20')
    expect(joinIdParts(['', ''])).toBe('~')
    expect(joinIdParts(['a@b~c', '@1'])).toBe('a@0b@1c~@01')
  })

  it('is read back as these parts', () => {
    fc.assert(
      fc.property(parts, (values) => {
        expect(splitId(joinIdParts(values), values.length)).toEqual(values)
      }),
    )
  })

  it('is the only text that is read as these parts', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('@', '~', '0', '1', '2', 'a') }), (text) => {
        const split = splitId(text, text.split('~').length)
        if (split) expect(joinIdParts(split)).toBe(text)
      }),
    )
  })

  it.each(['1', '1~2~3', '1~@', '1~@2', '@@~1', ''])('is not %s, of two columns', (text) => {
    expect(splitId(text, 2)).toBeUndefined()
  })
})
