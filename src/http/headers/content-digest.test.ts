import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDigest, parseDigests, wantsDigest } from './content-digest.ts'

const sha256 = createHash('sha256').update('{"hello": "world"}\n').digest('base64')
const sha512 = createHash('sha512').update('x').digest('base64')
const entries = (header: string) => {
  const digests = parseDigests(header)
  return digests && Object.fromEntries(digests)
}

describe('parseDigests', () => {
  it.each([
    [`sha-256=:${sha256}:`, { 'sha-256': sha256 }],
    [`sha-256=:${sha256}:, sha-512=:${sha512}:`, { 'sha-256': sha256, 'sha-512': sha512 }],
    [` sha-512=:${sha512}:\t,\tsha-256=:${sha256}: `, { 'sha-256': sha256, 'sha-512': sha512 }],
    [`md5=:AAAA:, sha-256=:${sha256}:`, { 'sha-256': sha256 }],
    [`sha-256=:${sha256}:;a=1;b`, { 'sha-256': sha256 }],
    [`sha-256=:${Buffer.alloc(32).toString('base64')}:,sha-256=:${sha256}:`, { 'sha-256': sha256 }],
    ['md5=:AAAA:', {}],
  ])('R13: reads %s', (header, expected) => {
    expect(entries(header)).toEqual(expected)
  })

  it.each([
    '',
    'sha-256',
    `sha-256=${sha256}`,
    `sha-256="${sha256}"`,
    `sha-256=:${sha256}`,
    'sha-256=:AAAA:',
    'sha-256=::',
    'sha-256=:not base64!:',
    `SHA-256=:${sha256}:`,
    `sha-256=:${sha256}:,`,
    `sha-256=:${sha256}: sha-512=:${sha512}:`,
    `sha-256=:${sha256}:, junk!`,
    'sha-256=5',
  ])('R13: finds %j malformed', (header) => {
    expect(parseDigests(header)).toBeUndefined()
  })

  it('R13: reads what it formats', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const digest = Buffer.from(bytes)
        const header = formatDigest('sha-256', digest.toString('hex'))
        expect(entries(header)).toEqual({ 'sha-256': digest.toString('base64') })
      }),
    )
    expect(
      formatDigest('sha-256', createHash('sha256').update('{"hello": "world"}\n').digest('hex')),
    ).toBe(
      // The example of RFC 9530, appendix B.1.
      'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
    )
  })

  it('reads hostile texts in linear time', () => {
    const started = performance.now()
    for (const piece of ['a', ',', 'a=:', 'a=:AA:,', ';', ' ', 'sha-256=::,', 'a;']) {
      parseDigests(piece.repeat(100_000))
      wantsDigest(piece.repeat(100_000), 'sha-256')
    }
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

describe('wantsDigest', () => {
  it.each([
    ['sha-256=10', true],
    ['sha-512=3, sha-256=10, unixsum=0', true],
    ['sha-256=1;q=x', true],
    ['sha-256=0', false],
    ['sha-256=0, sha-256=5', true],
    ['sha-256=11', false],
    ['sha-256=-1', false],
    ['sha-256', false],
    ['sha-512=10', false],
    ['sha-256=a', false],
    ['', false],
    [undefined, false],
  ])('R13: Want-Repr-Digest %s asks for SHA-256: %s', (header, expected) => {
    expect(wantsDigest(header, 'sha-256')).toBe(expected)
  })
})
