import { expect, test } from 'vitest'
import { freeBytes, ownBytes } from './owned-bytes.ts'

test('owned bytes are freed at once, and only once', () => {
  const bytes = ownBytes(new Uint8Array(100_000))
  freeBytes(bytes)
  expect(bytes.byteLength).toBe(0)
  expect(() => freeBytes(bytes)).not.toThrow()
})

test('an encoded text is freed', () => {
  const bytes = ownBytes(Buffer.from('é'.repeat(100_000)))
  freeBytes(bytes)
  expect(bytes.byteLength).toBe(0)
})

test('bytes that nobody said to own stay', () => {
  const bytes = new Uint8Array(100_000)
  freeBytes(bytes)
  expect(bytes.byteLength).toBe(100_000)
})

test('bytes that share their memory with others stay', () => {
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
