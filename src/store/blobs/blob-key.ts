import { v7 } from 'uuid'

const keyPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * A new key. Keys are safe in names of files and objects, and sort by the time of their creation.
 * It is a UUID of version 7 (RFC 9562 §5.7).
 *
 * ```ts
 * const key = makeBlobKey() // '0197c2a4-9d5e-7c3a-8f21-5b6d7e8f9a0b'
 * ```
 */
export function makeBlobKey(): string {
  return v7()
}

/**
 * Has the text the form of a key? Check it before the text becomes part of a path.
 *
 * ```ts
 * isBlobKey('../secrets') // false
 * ```
 */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text)
}
