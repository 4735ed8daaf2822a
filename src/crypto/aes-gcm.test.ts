import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { aesKeyBytes, aesNonceBytes, aesTagBytes, decryptText, encryptText } from './aes-gcm.ts'

const key = randomBytes(aesKeyBytes)
const nonce = randomBytes(aesNonceBytes)

it.each(['', 'Zürich 🚋', 'x'.repeat(100_000)])('A text is decrypted as it was: %.9s', (text) => {
  expect(decryptText(key, nonce, encryptText(key, nonce, text))).toBe(text)
})

it('Nothing is decrypted with another key or nonce, or of bytes that were changed', () => {
  const bytes = encryptText(key, nonce, 'a secret')
  expect(decryptText(randomBytes(aesKeyBytes), nonce, bytes)).toBeUndefined()
  expect(decryptText(key, randomBytes(aesNonceBytes), bytes)).toBeUndefined()
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[index]! ^= 1
    expect(decryptText(key, nonce, changed)).toBeUndefined()
    expect(decryptText(key, nonce, bytes.subarray(0, index))).toBeUndefined()
  }
  expect(bytes.length).toBe(aesTagBytes + 'a secret'.length)
})
