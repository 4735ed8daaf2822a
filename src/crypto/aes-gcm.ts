import { createCipheriv, createDecipheriv } from 'node:crypto'

export const aesKeyBytes = 32
export const aesNonceBytes = 12
export const aesTagBytes = 16

const algorithm = 'aes-256-gcm'

/**
 * Encrypts a text with AES-256-GCM (NIST SP 800-38D).
 * @param nonce never the same one twice with one key
 * @returns the authentication tag, and behind it the encrypted text
 */
export function encryptText(key: Uint8Array, nonce: Uint8Array, text: string): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce)
  const encrypted = [cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([cipher.getAuthTag(), ...encrypted])
}

/** Undefined if the bytes were encrypted with another key or nonce, or were changed. */
export function decryptText(
  key: Uint8Array,
  nonce: Uint8Array,
  bytes: Uint8Array,
): string | undefined {
  if (bytes.length < aesTagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: aesTagBytes })
  decipher.setAuthTag(bytes.subarray(0, aesTagBytes))
  try {
    return decipher.update(bytes.subarray(aesTagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
