import { hash } from 'node:crypto'

/**
 * A name of at most so many bytes. Engines cut longer ones off, so that two could become the same:
 * the end of a long name is replaced by its hash.
 */
export function shortName(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const suffix = `_${hash('sha256', name, 'hex').slice(0, 8)}`
  const start = Buffer.from(name)
    .subarray(0, maxBytes - suffix.length)
    .toString()
  // A character that was cut in two is left out.
  return start.replace(/\uFFFD+$/, '') + suffix
}
