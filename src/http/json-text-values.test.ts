import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolve } from '../../test/support/client.ts'
import { pointersOf, read } from './json/read-json.testing.ts'

describe('readJson refuses single values', () => {
  it.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":1,"b":2,"\\u0061":3}', '/a'],
    ['{"\\u0061":1,"a":3}', '/a'],
    ['[{"x":{"b":1,"c/~":[],"c/~":[]}}]', '/0/x/c~1~0'],
    ['{"":1,"":2}', '/'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"a":1,"a":2,"a":3}', '/a'],
  ])('members given twice: %s', (text, place) => {
    expect(pointersOf(text)).toEqual([place])
  })

  it('members given twice among many, escaped or not', () => {
    const members = Array.from({ length: 40 }, (_, index) => `"m${index}":0`)
    expect(pointersOf(`{${members.join()}}`)).toEqual([])
    expect(pointersOf(`{${members.join()},"m0":1,"\\u006d39":1}`)).toEqual(['/m0', '/m39'])
  })

  it('does not mind one name in different objects', () => {
    expect(pointersOf('{"a":{"a":{"a":1}},"b":{"a":1},"c":[{"a":1},{"a":2}]}')).toEqual([])
  })

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '9007199254740993.0',
    '90071992547409930e-1',
    '1152921504606846977',
    '1e400',
    '-1e400',
    '1e99999999999999999999',
    '1e-400',
    `${'9'.repeat(400)}`,
    `0.${'0'.repeat(400)}1`,
  ])('numbers that would come out as others: %s', (number) => {
    expect(pointersOf(number)).toEqual([''])
    expect(pointersOf(`{"list":[1,{"n":${number}}]}`)).toEqual(['/list/1/n'])
  })

  it.each([
    '9007199254740991',
    '-9007199254740992',
    '9007199254740994',
    '1e23',
    '6.02214076e23',
    '100000000000000000000000',
    '1.7976931348623157e308',
    '5e-324',
    '0e999999',
    '0.00000000000000000000',
    '-0',
    '0.1',
    '3.14159265358979323846264338327950288',
    '1.0000000000000000',
    '0.1e1',
  ])('keeps the number %s', (number) => {
    expect(pointersOf(`[${number}]`)).toEqual([])
    expect(read(number)).toBe(Number(number))
  })

  it('keeps every number that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(read(JSON.stringify(number))).toBe(number === 0 ? 0 : number)
      }),
    )
  })

  it('writes every whole number back as it was sent, or refuses it', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 69n), 2n ** 69n), (number) => {
        const text = String(number)
        if (pointersOf(text).length === 0) expect(String(read(text))).toBe(text)
        if (number <= 2n ** 53n && number >= -(2n ** 53n)) expect(pointersOf(text)).toEqual([])
      }),
    )
  })

  it.each([
    '\\u0000',
    '\\ud800',
    '\\udc00',
    'a\\udbffb',
    '\\ud83d\\ud83d\\ude00',
    '\\ude00\\ud83d',
    '\\ud83d😀',
    '\\\\\\u0000',
  ])('text that cannot be kept: "%s"', (text) => {
    expect(pointersOf(`"${text}"`)).toEqual([''])
    expect(pointersOf(`{"a":["","${text}"]}`)).toEqual(['/a/1'])
    expect(pointersOf(`{"a":{"${text}":[1e400]}}`)).toEqual(['/a', '/a'])
  })

  it.each(['\\\\u0000', '\\\\ud800', '\\u0001', '\\ud83d\\ude00', '\\uFFFF'])(
    'keeps the text "%s"',
    (text) => {
      expect(read(`"${text}"`)).toBe(JSON.parse(`"${text}"`))
    },
  )

  it('all at once, in the order of the text', () => {
    expect(
      pointersOf(
        '{"a":1e400,"b":["\\u0000",9007199254740993],"a":0,"\\ud800":1,"c":{"d":"\\udfff"}}',
      ),
    ).toEqual(['/a', '/b/0', '/b/1', '/a', '', '/c/d'])
  })

  it('twenty at most', () => {
    expect(pointersOf(`[${'1e400,'.repeat(50)}1]`)).toEqual(
      Array.from({ length: 20 }, (_, index) => `/${index}`),
    )
  })

  it('once each, however often they are repeated', () => {
    expect(pointersOf(`{${'"a":1,'.repeat(1000)}"b":1}`)).toEqual(['/a'])
  })

  it('by a pointer that stays short', () => {
    const name = 'n'.repeat(1023)
    expect(pointersOf(`{"a":{"${name}":{"b":1e400}}}`)).toEqual(['/a'])
    expect(pointersOf(`{"${name}":1e400}`)).toEqual([`/${name}`])
  })

  it('always by a pointer that the text has', () => {
    const scalar = fc.constantFrom('1', '1e400', '"\\u0000"', '"x"', 'null', '9007199254740993')
    const name = fc.constantFrom('a', 'b', '~', '/', '', '\\ud800', '__proto__')
    const { document } = fc.letrec<{ document: string }>((tie) => ({
      document: fc.oneof(
        { depthSize: 'medium', withCrossShrink: true },
        scalar,
        fc.array(tie('document'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
        fc
          .uniqueArray(fc.tuple(name, tie('document')), { maxLength: 4, selector: ([key]) => key })
          .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`),
      ),
    }))
    fc.assert(
      fc.property(document, (text) => {
        const value: unknown = JSON.parse(text)
        for (const pointer of pointersOf(text))
          expect(resolve(value, pointer ?? '/none')).not.toBeUndefined()
      }),
    )
  })
})
