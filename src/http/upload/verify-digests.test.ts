import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { allOf, bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { verifyDigests } from './verify-digests.ts'

const bytes = bytesOf(100_000)
const stated = (algorithm: string, content: Uint8Array) =>
  `${algorithm}=:${createHash(algorithm.replace('-', '')).update(content).digest('base64')}:`

describe('verifyDigests', () => {
  it('gives the content itself where no digest is stated', () => {
    const content = inPieces(bytes)
    expect(verifyDigests({}, content)).toBe(content)
    expect(verifyDigests({ 'content-digest': 'md5=:AAAA:' }, content)).toBe(content)
  })

  it.each([
    { 'content-digest': stated('sha-256', bytes) },
    { 'repr-digest': stated('sha-512', bytes) },
    {
      'content-digest': `${stated('sha-512', bytes)}, ${stated('sha-256', bytes)}`,
      'repr-digest': stated('sha-256', bytes),
    },
  ])('R13: passes on a content that is the stated one: %j', async (headers) => {
    expect(Buffer.compare(await allOf(verifyDigests(headers, inPieces(bytes, 999))), bytes)).toBe(0)
  })

  it.each([
    [{ 'content-digest': stated('sha-256', bytes.subarray(1)) }, 'Content-Digest'],
    [{ 'repr-digest': stated('sha-512', bytes.subarray(0, -1)) }, 'Repr-Digest'],
    [
      { 'content-digest': stated('sha-256', bytes), 'repr-digest': stated('sha-256', bytesOf(5)) },
      'Repr-Digest',
    ],
    [
      { 'content-digest': `${stated('sha-256', bytes)}, ${stated('sha-512', bytesOf(5))}` },
      'Content-Digest',
    ],
  ])('R13: fails after the last byte of another content: %j', async (headers, header) => {
    const passed: Uint8Array[] = []
    const passing = async () => {
      for await (const chunk of verifyDigests(headers, inPieces(bytes))) passed.push(chunk)
    }
    await expect(passing()).rejects.toMatchObject({
      status: 400,
      problems: [{ code: 'digest-mismatch', source: { header } }],
    })
    expect(Buffer.concat(passed).length).toBe(bytes.length)
  })

  it('R13: refuses a malformed digest before a byte is read', () => {
    expect(() => verifyDigests({ 'content-digest': 'sha-256=:AAAA:' }, inPieces(bytes))).toThrow(
      'base64 digests between colons',
    )
    expect(() => verifyDigests({ 'repr-digest': 'sha-256' }, inPieces(bytes))).toThrow(
      'Repr-Digest must have',
    )
  })
})
