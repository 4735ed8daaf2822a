import { expect, test } from 'vitest'
import { freeBytes, ownBytes } from './owned-bytes.ts'

test('frees owned bytes at once, and only once', () => {
  const bytes = ownBytes(new Uint8Array(100_000))
  freeBytes(bytes)
  expect(bytes.byteLength).toBe(0)
  expect(() => freeBytes(bytes)).not.toThrow()
})

test('frees the bytes of an encoded string', () => {
  const bytes = ownBytes(Buffer.from('é'.repeat(100_000)))
  freeBytes(bytes)
  expect(bytes.byteLength).toBe(0)
})

test('keeps bytes that were not marked as owned', () => {
  const bytes = new Uint8Array(100_000)
  freeBytes(bytes)
  expect(bytes.byteLength).toBe(100_000)
})

test('keeps bytes that share their memory', () => {
  const others = new Uint8Array(100)
  for (const bytes of [
    ownBytes(others.subarray(10)),
    ownBytes(Buffer.from('short')),
    ownBytes(new Uint8Array()),
  ]) {
    const { byteLength } = bytes
    freeBytes(bytes)
    expect(bytes.byteLength).toBe(byteLength)
  }
  expect(others.byteLength).toBe(100)
})
