import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safeFileName } from './file-name.ts'

describe('safeFileName', () => {
  it.each([
    ['cover.png', 'cover.png'],
    ['Ünïcødé 日本 🎵.mp3', 'Ünïcødé 日本 🎵.mp3'],
    ['e\u0301.txt', 'é.txt'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\fakepath\\a.png', 'a.png'],
    ['/a/b/', undefined],
    ['a\r\nSet-Cookie: x=1.png', 'aSet-Cookie_ x=1.png'],
    ['a\0.png', 'a.png'],
    ['exe\u202egpj.scr', 'exegpj.scr'],
    ['a\u2066b\u2069\u200f.png', 'ab.png'],
    ['quote".png', 'quote_.png'],
    ['a<b>|?*.png', 'a_b____.png'],
    ['  a.png. . ', 'a.png'],
    ['.htaccess', '.htaccess'],
    ['.', undefined],
    ['..', undefined],
    ['...', undefined],
    ['', undefined],
    [' ', undefined],
    ['\u202e\0', undefined],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['com1.png', '_com1.png'],
    ['console.log', 'console.log'],
    ['a\ud800.png', 'a\ufffd.png'],
  ])('3.5: %j becomes %j', (name, expected) => {
    expect(safeFileName(name)).toBe(expected)
  })

  it('keeps the extension of a name that is too long', () => {
    expect(safeFileName(`${'a'.repeat(300)}.png`)).toBe(`${'a'.repeat(251)}.png`)
    expect(safeFileName(`${'é'.repeat(300)}.jpeg`)).toBe(`${'é'.repeat(125)}.jpeg`)
    expect(safeFileName(`${'🎵'.repeat(100)}`)).toBe('🎵'.repeat(63))
    expect(safeFileName(`a.${'b'.repeat(300)}`)).toBe(`a.${'b'.repeat(253)}`)
  })

  it('never gives a name that leads elsewhere, is hidden from the eye or too long, and is at rest with what it gave', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', size: 'max', maxLength: 600 }), (text) => {
        const name = safeFileName(text)
        if (name === undefined) return
        expect(name).not.toMatch(/[/\\\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069"<>:|?*]|^\.*$|[ .]$/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(safeFileName(name)).toBe(name)
      }),
      { numRuns: 1_000 },
    )
  })
})
