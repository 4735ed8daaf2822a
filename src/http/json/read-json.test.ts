import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { problemsOf, read } from './read-json.testing.ts'

describe('readJson', () => {
  it.each([
    'null',
    ' true\n',
    'false',
    '0',
    '-0.5e-7',
    '1E+2',
    '""',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00"',
    '"é日😀\u2028\ufeff\x7f"',
    '[]',
    '{}',
    ' [ ] ',
    ' { } ',
    '[[],{},[1,[2]],{"a":[{}]}]',
    '\t{\r\n"a" : 1 ,"b":[ 1 , 2 ] , "c":{"a":null}\n}',
    '{"":{"":{"":0}}}',
  ])('N5: reads %j as JSON.parse does', (text) => {
    expect(read(text)).toEqual(JSON.parse(text))
  })

  it('reads every JSON value', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6, stringUnit: 'grapheme' }),
        fc.constantFrom(0, 2, '\t'),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent)
          fc.pre(!text.includes('\\u0000'))
          expect(read(text)).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  it('accepts exactly what JSON.parse accepts, but for what it refuses by a pointer', () => {
    const unit = fc.constantFrom(
      ...'{}[]:,"\\u019aeEtrulnfs+-. \t\n\x01\ufeff',
      '"a":',
      '{"b":',
      '[1,',
      'true',
      '\\u12aF',
      '00',
    )
    const edited = fc
      .tuple(
        fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
        fc.nat(),
        fc.nat(2),
        fc.string({ unit }),
      )
      .map(([text, place, count, inserted]) => {
        const at = place % (text.length + 1)
        return text.slice(0, at) + inserted + text.slice(at + count)
      })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), edited), (text) => {
        const isJson = isParsed(text)
        const problems = problemsOf(text)
        if (problems.some(({ source }) => source === undefined)) expect(isJson).toBe(false)
        else expect(isJson).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps __proto__ as plain data', () => {
    const value = read(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    )
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

function isParsed(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
