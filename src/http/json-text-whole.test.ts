import { describe, expect, it } from 'vitest'
import { codesOf, pointersOf, problemsOf } from './json/read-json.testing.ts'

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
    expect(problems).toMatchObject([
      { code: 'malformed-json', detail: expect.stringContaining('UTF-8') },
    ])
  })

  it.each(['\ufeff{}', '\ufeff', '\ufeff\ufeff'])(
    'N5: when it starts with a byte order mark, %j',
    (text) => {
      expect(problemsOf(text)).toMatchObject([
        { code: 'malformed-json', detail: expect.stringContaining('byte order mark') },
      ])
    },
  )

  it.each([
    ['{"a":1} x', 8, 'the end of the text', 'x'],
    ['{}{}', 2, 'the end of the text', '{'],
    ['1 2', 2, 'the end of the text', '2'],
    ['[1,]', 3, 'a JSON value', ']'],
    ['[,1]', 1, 'a JSON value', ','],
    ['[1 2]', 3, "',' or ']'", '2'],
    ['[1}', 2, "',' or ']'", '}'],
    ['[', 1, 'a JSON value', 'the end of the text'],
    ['[1', 2, "',' or ']'", 'the end of the text'],
    ['{', 1, 'a member name in double quotes', 'the end of the text'],
    ['{"a":1', 6, "',' or '}'", 'the end of the text'],
    ['{"a":1]', 6, "',' or '}'", ']'],
    ['{"a":1,}', 7, 'a member name in double quotes', '}'],
    ['{a:1}', 1, 'a member name in double quotes', 'a'],
    ["{'a':1}", 1, 'a member name in double quotes', "'"],
    ['{1:1}', 1, 'a member name in double quotes', '1'],
    ['{"a" 1}', 5, "':'", '1'],
    ['{"a"}', 4, "':'", '}'],
    ['{"a":}', 5, 'a JSON value', '}'],
    ['"abc', 4, 'a closing double quote', 'the end of the text'],
    ['"a\nb"', 2, 'a closing double quote', 'U+000A'],
    ['"a\0b"', 2, 'a closing double quote', 'U+0000'],
    ['"\\x41"', 2, 'one of', 'x'],
    ['"\\', 2, 'one of', 'the end of the text'],
    ['"\\ug234"', 3, 'a hexadecimal digit', 'g'],
    ['"\\u123g"', 6, 'a hexadecimal digit', 'g'],
    ['"\\ "', 2, 'one of', 'U+0020'],
    ['\x7f', 0, 'a JSON value', 'U+007F'],
    ['\x0c1', 0, 'a JSON value', 'U+000C'],
    ['1\x01', 1, 'the end of the text', 'U+0001'],
    ['"\\u12g4"', 5, 'a hexadecimal digit', 'g'],
    ['"\\u12', 5, 'a hexadecimal digit', 'the end of the text'],
    ['01', 1, 'no digit after a leading zero', '1'],
    ['-01', 2, 'no digit after a leading zero', '1'],
    ['-', 1, 'a digit', 'the end of the text'],
    ['1.', 2, 'a digit', 'the end of the text'],
    ['1.e5', 2, 'a digit', 'e'],
    ['1e', 2, 'a digit', 'the end of the text'],
    ['1e+', 3, 'a digit', 'the end of the text'],
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
  ])('N5: with a syntax error, %j', (text, offset, expected, actual) => {
    const problems = problemsOf(text)
    expect(problems).toMatchObject([{ code: 'malformed-json', meta: { offset } }])
    expect(problems[0]?.detail).toContain(` at character ${offset}, got `)
    expect(problems[0]?.detail).toContain(expected)
    expect(problems[0]?.detail).toContain(actual)
    expect(problems[0]).not.toHaveProperty('source')
  })

  it('reports only the syntax error of a text that is not JSON', () => {
    expect(pointersOf('[1e400, 9007199254740993, }')).toEqual([undefined])
  })

  it('nested more than 64 levels deep', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(codesOf(nested(64))).toEqual([])
    expect(problemsOf(nested(65))).toMatchObject([{ code: 'limit-exceeded', meta: { limit: 64 } }])
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    expect(codesOf(objects(64))).toEqual([])
    expect(codesOf(objects(65))).toEqual(['limit-exceeded'])
    expect(codesOf(`[${`${'['.repeat(63)}${']'.repeat(63)},`.repeat(100)}1]`)).toEqual([])
  })

  it('nested a million levels deep', () => {
    expect(codesOf('['.repeat(1_000_000))).toEqual(['limit-exceeded'])
    expect(codesOf('{"a":'.repeat(1_000_000))).toEqual(['limit-exceeded'])
    expect(codesOf('[{"a":'.repeat(1_000_000))).toEqual(['limit-exceeded'])
  })
})
