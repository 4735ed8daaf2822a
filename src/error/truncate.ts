/**
 * Shortens a text of a client, so that it can be quoted in a response. It never splits a surrogate
 * pair: half of one is not valid UTF-8, and strict JSON parsers refuse it (RFC 7493 §2.1). Default
 * of `maxLength`: 64.
 *
 * ```ts
 * truncate('A very long title', 6) // 'A very…'
 * ```
 *
 * @param maxLength UTF-16 code units
 */
export function truncate(text: string, maxLength = 64): string {
  if (text.length <= maxLength) return text
  const splitsPair = isLeadingSurrogate(text.charCodeAt(maxLength - 1))
  return `${text.slice(0, splitsPair ? maxLength - 1 : maxLength)}…`
}

function isLeadingSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff
}
