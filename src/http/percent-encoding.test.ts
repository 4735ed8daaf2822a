import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodePathSegment, toWellFormed } from './percent-encoding.ts'

/** Every UTF-16 unit, lone surrogates included. */
const codeUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code))

describe('encodePathSegment', () => {
  it('keeps the readable characters', () => {
    const readable = 'ABCXYZabcxyz0189-._~:@'
    expect(encodePathSegment(readable)).toBe(readable)
  })

  it('M6: encodes all others, slashes and percent signs too', () => {
    expect(encodePathSegment("a/b?c#d%e f+g'(h)!*\r\n\0[]&=;,日😀")).toBe(
      'a%2Fb%3Fc%23d%25e%20f%2Bg%27%28h%29%21%2A%0D%0A%00%5B%5D%26%3D%3B%2C%E6%97%A5%F0%9F%98%80',
    )
    expect(encodePathSegment('')).toBe('')
  })

  it('M6: replaces lone surrogates instead of throwing', () => {
    expect(encodePathSegment('a\ud800b\udc00')).toBe('a%EF%BF%BDb%EF%BF%BD')
  })

  it('is undone by decoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: codeUnit }), (id) => {
        const segment = encodePathSegment(id)
        expect(segment).toMatch(/^(?:[A-Za-z0-9\-._~:@]|%[0-9A-F]{2})*$/)
        expect(decodeURIComponent(segment)).toBe(toWellFormed(id))
      }),
    )
  })
})

describe('toWellFormed', () => {
  it('replaces lone surrogates only', () => {
    expect(toWellFormed('a😀\ud83d日\ude00')).toBe('a😀\ufffd日\ufffd')
  })
})
