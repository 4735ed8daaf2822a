import { v7 } from 'uuid'

const keyPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * A new key. Keys are safe as names of files and objects, and sort by the time at which they were
 * made.
 */
export function makeBlobKey(): string {
  return v7()
}

/**
 * Could {@link makeBlobKey} have made it? What it could not have made names no blob, and is never
 * part of a path.
 */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text)
}
