import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDeepestExisting, formatPointer, resolvePointer } from './json-pointer.ts'

/** The document of RFC 6901 §5. */
const example = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}

describe('pointer', () => {
  it('escapes tildes and slashes', () => {
    expect(formatPointer([])).toBe('')
    expect(formatPointer(['data', 'attributes', 'a/b', '~1', 0, ''])).toBe(
      '/data/attributes/a~1b/~01/0/',
    )
  })

  it('leads to where the steps lead', () => {
    const name = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '"', '日') })
    fc.assert(
      fc.property(fc.array(name), (steps) => {
        const document = steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), 'here')
        expect(resolvePointer(document, formatPointer(steps))).toEqual({
          exists: true,
          value: 'here',
        })
        expect(findDeepestExisting(document, steps)).toBe(formatPointer(steps))
        expect(findDeepestExisting(document, [...steps, 'more'])).toBe(formatPointer(steps))
      }),
    )
  })
})

describe('resolvePointer', () => {
  it.each([
    ['', example],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('finds %j in the example of RFC 6901', (text, value) => {
    expect(resolvePointer(example, text)).toEqual({ exists: true, value })
  })

  it.each([
    'foo',
    '/bar',
    '/foo/2',
    '/foo/-',
    '/foo/00',
    '/foo/01',
    '/foo/+1',
    '/foo/length',
    '/foo/0/0',
    '/m~n',
    '/m~2n',
    '/a~',
  ])('finds nothing at %j', (text) => {
    expect(resolvePointer(example, text)).toEqual({ exists: false })
  })

  it('finds no inherited members, but own ones of the same name', () => {
    for (const text of ['/__proto__', '/constructor', '/toString', '/constructor/prototype']) {
      expect(resolvePointer({}, text)).toEqual({ exists: false })
    }
    expect(resolvePointer(JSON.parse('{"__proto__":{"a":1}}'), '/__proto__/a')).toEqual({
      exists: true,
      value: 1,
    })
  })

  it('tells a null that is there from nothing', () => {
    expect(resolvePointer({ a: null }, '/a')).toEqual({ exists: true, value: null })
    expect(resolvePointer({ a: null }, '/a/b')).toEqual({ exists: false })
  })
})

describe('deepestExisting', () => {
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
