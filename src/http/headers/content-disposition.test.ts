import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatContentDisposition, parseContentDisposition } from './content-disposition.ts'

/** As Node hands over header values: one character per byte. */
const bytes = (text: string) => Buffer.from(text).toString('latin1')

describe('formatContentDisposition', () => {
  it.each([
    [undefined, 'attachment'],
    ['cover.png', 'attachment; filename="cover.png"'],
    ['a b.png', 'attachment; filename="a b.png"'],
    ['naïve.pdf', `attachment; filename="na_ve.pdf"; filename*=UTF-8''na%C3%AFve.pdf`],
    ['€ rates.txt', `attachment; filename="_ rates.txt"; filename*=UTF-8''%E2%82%AC%20rates.txt`],
    ['100%.txt', `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
    ["it's (1).txt", `attachment; filename="it's (1).txt"`],
    ['🎵.mp3', `attachment; filename="_.mp3"; filename*=UTF-8''%F0%9F%8E%B5.mp3`],
    ['a\r\nX: y', 'attachment; filename="aX_ y"'],
    ['../../a";b="\\c', 'attachment; filename="c"'],
    ['..', 'attachment'],
    ['a\u202eb', 'attachment; filename="ab"'],
  ])('R12: the name %j makes %s', (name, expected) => {
    expect(formatContentDisposition('attachment', name)).toBe(expected)
  })

  it('R12: gives a value that any header can hold, and from which the name is read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', size: 'max', maxLength: 300 }), (name) => {
        const value = formatContentDisposition('inline', name)
        expect(value).toMatch(/^[\x20-\x7e]*$/)
        const parsed = parseContentDisposition(value)
        expect(parsed?.type).toBe('inline')
        expect(formatContentDisposition('inline', parsed?.fileName)).toBe(value)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('parseContentDisposition', () => {
  it.each([
    ['attachment', { type: 'attachment' }],
    ['INLINE; filename=a.png', { type: 'inline', fileName: 'a.png' }],
    [
      'attachment; filename="a \\"b\\" \\\\c.png"',
      { type: 'attachment', fileName: 'a "b" \\c.png' },
    ],
    ['attachment ;filename = "a;b.png" ;', { type: 'attachment', fileName: 'a;b.png' }],
    [
      'form-data; name="cover"; filename="x.png"',
      { type: 'form-data', name: 'cover', fileName: 'x.png' },
    ],
    ['form-data; name=cover; filename=""', { type: 'form-data', name: 'cover', fileName: '' }],
    [
      'form-data; name="a"; filename="C:\\dir\\x.png"',
      { type: 'form-data', name: 'a', fileName: 'C:\\dir\\x.png' },
    ],
    [
      `attachment; filename="x"; filename*=UTF-8''na%C3%AFve.pdf`,
      { type: 'attachment', fileName: 'naïve.pdf' },
    ],
    [
      `attachment; filename*=utf-8'en'%e2%82%ac.txt; filename=x`,
      { type: 'attachment', fileName: '€.txt' },
    ],
    [`attachment; filename*=ISO-8859-1''%A3.txt`, { type: 'attachment', fileName: '£.txt' }],
    [`attachment; filename="ok"; filename*=utf-16''x`, { type: 'attachment', fileName: 'ok' }],
    [`attachment; filename="ok"; filename*=UTF-8''%zz`, { type: 'attachment', fileName: 'ok' }],
    [
      bytes('form-data; name="größe"; filename="日本.png"'),
      { type: 'form-data', name: 'größe', fileName: '日本.png' },
    ],
    ['attachment; filename="caf\xe9.txt"', { type: 'attachment', fileName: 'café.txt' }],
    [`attachment; filename*=UTF-8''%EF%BF%BD.txt`, { type: 'attachment', fileName: '\ufffd.txt' }],
    [bytes('attachment; filename="\ufffdé.txt"'), { type: 'attachment', fileName: '\ufffdé.txt' }],
    ['attachment; size=5; filename=a', { type: 'attachment', fileName: 'a' }],
  ])('R12: reads %j', (text, expected) => {
    expect(parseContentDisposition(text)).toEqual({
      name: undefined,
      fileName: undefined,
      ...expected,
    })
  })

  it.each([
    undefined,
    '',
    ';',
    'form-data; name="a"; name="b"',
    'form-data; name="a"; NAME="b"',
    'form-data; name="a',
    'form-data; name=a b',
    'form-data name="a"',
    'form-data, name="a"',
    '"form-data"; name=a',
    'form-data; name="a" junk',
    'form-data; name',
  ])('R12: refuses %j', (text) => {
    expect(parseContentDisposition(text)).toBeUndefined()
  })

  it('reads hostile texts in linear time', () => {
    const started = performance.now()
    for (const piece of ['a', ';', '"', '\\', ';a=', ';a="', ' ', ";filename*=utf-8''"]) {
      expect(
        parseContentDisposition(`form-data${piece.repeat(200_000)}x`)?.fileName,
      ).toBeUndefined()
    }
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', size: 'max', maxLength: 200 }), (text) => {
        parseContentDisposition(text)
        parseContentDisposition(`form-data; filename="${text}"; filename*=UTF-8''${text}`)
      }),
    )
  })
})
