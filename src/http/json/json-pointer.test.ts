import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDeepestExisting, formatPointer } from './json-pointer.ts'

describe('formatPointer', () => {
  it('escapes tildes and slashes', () => {
    expect(formatPointer([])).toBe('')
    expect(formatPointer(['data', 'attributes', 'a/b', '~1', 0, ''])).toBe(
      '/data/attributes/a~1b/~01/0/',
    )
  })

  it('is found as far as the document has the steps', () => {
    const name = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '"', '日') })
    fc.assert(
      fc.property(fc.array(name), (steps) => {
        const document = steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), 'here')
        expect(findDeepestExisting(document, steps)).toBe(formatPointer(steps))
        expect(findDeepestExisting(document, [...steps, 'more'])).toBe(formatPointer(steps))
      }),
    )
  })
})

describe('findDeepestExisting', () => {
  it.each([
    [['data', 'attributes', 'title'], '/data/attributes'],
    [['data', 'type'], '/data/type'],
    [['data', 'tags', 1], '/data/tags/1'],
    [['data', 'tags', 2, 'x'], '/data/tags'],
    [['data', 'tags', 'length'], '/data/tags'],
    [['meta'], ''],
    [[], ''],
  ])('of %j is %j', (steps, expected) => {
    expect(
      findDeepestExisting({ data: { type: 'books', attributes: {}, tags: ['a', 'b'] } }, steps),
    ).toBe(expected)
  })

  it('is the whole of what has no members', () => {
    for (const document of [null, 'text', 1, [], undefined])
      expect(findDeepestExisting(document, ['data'])).toBe('')
  })
})
