import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../error/api-error.ts'
import { resolvePointer } from './json-pointer.ts'
import { readJson } from './json-text.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readJson(bytesOf(text))

function problemsOf(body: string | Uint8Array) {
  try {
    readJson(typeof body === 'string' ? bytesOf(body) : body)
  } catch (error) {
    if (error instanceof ApiError) return error.problems
    throw error
  }
  return []
}

const codesOf = (body: string | Uint8Array) => problemsOf(body).map(({ code }) => code)

function placesOf(text: string): (string | undefined)[] {
  return problemsOf(text).map(({ code, source }) => {
    expect(code).toBe('malformed-json')
    return source && 'pointer' in source ? source.pointer : undefined
  })
}

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
    const value = read('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('readJson refuses the whole body', () => {
  it.each(['', ' ', '\r\n\t '])('N5: when it is empty, %j', (text) => {
    expect(codesOf(text)).toEqual(['empty-body'])
  })

  it.each([
    [[0xff]],
    [[0x22, 0xc3, 0x22]],
    [[0x22, 0xc0, 0xaf, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xe6, 0x97]],
    [[0xfe, 0xff, 0x00, 0x31]],
  ])('N5: when it is not UTF-8, %j', (bytes) => {
    const problems = problemsOf(Uint8Array.from(bytes))
    expect(problems).toMatchObject([{ code: 'malformed-json', detail: expect.stringContaining('UTF-8') }])
  })

  it.each(['\ufeff{}', '\ufeff', '\ufeff\ufeff'])('N5: when it starts with a byte order mark, %j', (text) => {
    expect(problemsOf(text)).toMatchObject([
      { code: 'malformed-json', detail: expect.stringContaining('byte order mark') },
    ])
  })

  it.each([
    ['{"a":1} x', 8, 'the end of the text', 'x'],
    ['{}{}', 2, 'the end of the text', '{'],
    ['1 2', 2, 'the end of the text', '2'],
    ['[1,]', 3, 'a JSON value', ']'],
    ['[,1]', 1, 'a JSON value', ','],
    ['[1 2]', 3, 'a comma or ]', '2'],
    ['[1}', 2, 'a comma or ]', '}'],
    ['[', 1, 'a JSON value', 'ends'],
    ['[1', 2, 'a comma or ]', 'ends'],
    ['{', 1, 'a name in double quotes', 'ends'],
    ['{"a":1', 6, 'a comma or }', 'ends'],
    ['{"a":1]', 6, 'a comma or }', ']'],
    ['{"a":1,}', 7, 'a name in double quotes', '}'],
    ['{a:1}', 1, 'a name in double quotes', 'a'],
    ["{'a':1}", 1, 'a name in double quotes', "'"],
    ['{1:1}', 1, 'a name in double quotes', '1'],
    ['{"a" 1}', 5, 'a colon', '1'],
    ['{"a"}', 4, 'a colon', '}'],
    ['{"a":}', 5, 'a JSON value', '}'],
    ['"abc', 4, 'a closing double quote', 'ends'],
    ['"a\nb"', 2, 'a closing double quote', 'U+000A'],
    ['"a\0b"', 2, 'a closing double quote', 'U+0000'],
    ['"\\x41"', 2, 'one of', 'x'],
    ['"\\', 2, 'one of', 'ends'],
    ['"\\ug234"', 3, 'a hexadecimal digit', 'g'],
    ['"\\u123g"', 6, 'a hexadecimal digit', 'g'],
    ['"\\ "', 2, 'one of', 'U+0020'],
    ['\x7f', 0, 'a JSON value', 'U+007F'],
    ['\x0c1', 0, 'a JSON value', 'U+000C'],
    ['1\x01', 1, 'the end of the text', 'U+0001'],
    ['"\\u12g4"', 5, 'a hexadecimal digit', 'g'],
    ['"\\u12', 5, 'a hexadecimal digit', 'ends'],
    ['01', 1, 'no further digit', '1'],
    ['-01', 2, 'no further digit', '1'],
    ['-', 1, 'a digit', 'ends'],
    ['1.', 2, 'a digit', 'ends'],
    ['1.e5', 2, 'a digit', 'e'],
    ['1e', 2, 'a digit', 'ends'],
    ['1e+', 3, 'a digit', 'ends'],
    ['+1', 0, 'a JSON value', '+'],
    ['.5', 0, 'a JSON value', '.'],
    ['NaN', 0, 'a JSON value', 'N'],
    ['-Infinity', 1, 'a digit', 'I'],
    ['tru', 0, 'a JSON value', 't'],
    ['nulll', 4, 'the end of the text', 'l'],
    ['True', 0, 'a JSON value', 'T'],
    ['// no', 0, 'a JSON value', '/'],
    ['\u00a01', 0, 'a JSON value', 'U+00A0'],
    ['["日",😀]', 5, 'a JSON value', 'U+1F600'],
  ])('N5: when its syntax is wrong, %j', (text, offset, expected, found) => {
    const problems = problemsOf(text)
    expect(problems).toMatchObject([{ code: 'malformed-json', meta: { offset } }])
    expect(problems[0]?.detail).toContain(`At character ${offset}, `)
    expect(problems[0]?.detail).toContain(expected)
    expect(problems[0]?.detail).toContain(found)
    expect(problems[0]).not.toHaveProperty('source')
  })

  it('says only the syntax fault of a text that is no document', () => {
    expect(placesOf('[1e400, 9007199254740993, }')).toEqual([undefined])
  })

  it('when it is nested deeper than 64 levels', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(codesOf(nested(64))).toEqual([])
    expect(problemsOf(nested(65))).toMatchObject([{ code: 'limit-exceeded', meta: { limit: 64 } }])
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    expect(codesOf(objects(64))).toEqual([])
    expect(codesOf(objects(65))).toEqual(['limit-exceeded'])
    expect(codesOf(`[${`${'['.repeat(63)}${']'.repeat(63)},`.repeat(100)}1]`)).toEqual([])
  })

  it('when it is nested a million levels deep', () => {
    expect(codesOf('['.repeat(1_000_000))).toEqual(['limit-exceeded'])
    expect(codesOf('{"a":'.repeat(1_000_000))).toEqual(['limit-exceeded'])
    expect(codesOf('[{"a":'.repeat(1_000_000))).toEqual(['limit-exceeded'])
  })
})

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
    expect(placesOf(text)).toEqual([place])
  })

  it('members given twice among many, escaped or not', () => {
    const members = Array.from({ length: 40 }, (_, index) => `"m${index}":0`)
    expect(placesOf(`{${members.join()}}`)).toEqual([])
    expect(placesOf(`{${members.join()},"m0":1,"\\u006d39":1}`)).toEqual(['/m0', '/m39'])
  })

  it('does not mind one name in different objects', () => {
    expect(placesOf('{"a":{"a":{"a":1}},"b":{"a":1},"c":[{"a":1},{"a":2}]}')).toEqual([])
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
    expect(placesOf(number)).toEqual([''])
    expect(placesOf(`{"list":[1,{"n":${number}}]}`)).toEqual(['/list/1/n'])
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
    expect(placesOf(`[${number}]`)).toEqual([])
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
        if (placesOf(text).length === 0) expect(String(read(text))).toBe(text)
        if (number <= 2n ** 53n && number >= -(2n ** 53n)) expect(placesOf(text)).toEqual([])
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
    expect(placesOf(`"${text}"`)).toEqual([''])
    expect(placesOf(`{"a":["","${text}"]}`)).toEqual(['/a/1'])
    expect(placesOf(`{"a":{"${text}":[1e400]}}`)).toEqual(['/a', '/a'])
  })

  it.each(['\\\\u0000', '\\\\ud800', '\\u0001', '\\ud83d\\ude00', '\\uFFFF'])('keeps the text "%s"', (text) => {
    expect(read(`"${text}"`)).toBe(JSON.parse(`"${text}"`))
  })

  it('all at once, in the order of the text', () => {
    expect(placesOf('{"a":1e400,"b":["\\u0000",9007199254740993],"a":0,"\\ud800":1,"c":{"d":"\\udfff"}}')).toEqual([
      '/a',
      '/b/0',
      '/b/1',
      '/a',
      '',
      '/c/d',
    ])
  })

  it('twenty at most', () => {
    expect(placesOf(`[${'1e400,'.repeat(50)}1]`)).toEqual(Array.from({ length: 20 }, (_, index) => `/${index}`))
  })

  it('once each, however often they are repeated', () => {
    expect(placesOf(`{${'"a":1,'.repeat(1000)}"b":1}`)).toEqual(['/a'])
  })

  it('by a pointer that stays short', () => {
    const name = 'n'.repeat(1023)
    expect(placesOf(`{"a":{"${name}":{"b":1e400}}}`)).toEqual(['/a'])
    expect(placesOf(`{"${name}":1e400}`)).toEqual([`/${name}`])
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
        for (const place of placesOf(text)) expect(resolvePointer(value, place ?? 'none').found).toBe(true)
      }),
    )
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
