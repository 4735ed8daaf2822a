import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const saltBytes = 16
const tagBytes = 16
const keyBytes = 32
const nonceBytes = 12

/**
 * Encrypts what a record keeps, so that only who repeats the request can read it: AES-256-GCM, with
 * key and nonce derived by HKDF-SHA-256 (RFC 5869) from the secret and a salt of the record, as RFC
 * 8188 §2 does.
 * @param secret has the `Idempotency-Key`, which is kept nowhere
 */
export function encryptRecord(secret: string, text: string): string {
  const salt = randomBytes(saltBytes)
  const { key, nonce } = derive(secret, salt)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([salt, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Undefined if the secret is another one, or the text was changed. */
export function decryptRecord(secret: string, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64url')
  const textStart = saltBytes + tagBytes
  if (bytes.length < textStart) return undefined
  const { key, nonce } = derive(secret, bytes.subarray(0, saltBytes))
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(bytes.subarray(saltBytes, textStart))
  try {
    return decipher.update(bytes.subarray(textStart), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

/** Each record has a salt, so no nonce is used twice with one key. */
function derive(secret: string, salt: Uint8Array): { key: Uint8Array; nonce: Uint8Array } {
  const info = 'resourcery: record of a request'
  const bytes = new Uint8Array(hkdfSync('sha256', secret, salt, info, keyBytes + nonceBytes))
  return { key: bytes.subarray(0, keyBytes), nonce: bytes.subarray(keyBytes) }
}
