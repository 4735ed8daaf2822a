import { v7 } from 'uuid'

const keyPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A new key. Keys are safe in names of files and objects, and sort by the time of their creation. */
export function makeBlobKey(): string {
  return v7()
}

/** Has the text the form of a key? Check it before the text becomes part of a path. */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text)
}
