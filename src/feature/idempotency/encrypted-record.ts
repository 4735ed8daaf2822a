import { hkdfSync, randomBytes } from 'node:crypto'
import { aesKeyBytes, aesNonceBytes, decryptText, encryptText } from '../../crypto/aes-gcm.ts'

const saltBytes = 16

/**
 * Encrypts what a record keeps, so that only who repeats the request can read it: AES-256-GCM, with
 * key and nonce derived by HKDF-SHA-256 (RFC 5869) from the secret and a salt of the record, as RFC
 * 8188 §2 does.
 * @param secret has the `Idempotency-Key`, which is kept nowhere
 */
export function encryptRecord(secret: string, text: string): string {
  const salt = randomBytes(saltBytes)
  const { key, nonce } = derive(secret, salt)
  return Buffer.concat([salt, encryptText(key, nonce, text)]).toString('base64url')
}

/** Undefined if the secret is another one, or the text was changed. */
export function decryptRecord(secret: string, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64url')
  const { key, nonce } = derive(secret, bytes.subarray(0, saltBytes))
  return decryptText(key, nonce, bytes.subarray(saltBytes))
}

/** Each record has a salt, so no nonce is used twice with one key. */
function derive(secret: string, salt: Uint8Array): { key: Uint8Array; nonce: Uint8Array } {
  const info = 'resourcery: record of a request'
  const bytes = new Uint8Array(hkdfSync('sha256', secret, salt, info, aesKeyBytes + aesNonceBytes))
  return { key: bytes.subarray(0, aesKeyBytes), nonce: bytes.subarray(aesKeyBytes) }
}
