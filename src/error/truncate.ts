/**
 * What a client sent, short enough to be sent back. It is never cut inside a character: half of a
 * surrogate pair cannot be written in UTF-8, and strict readers of JSON refuse it (RFC 7493 §2.1).
 *
 * @param most UTF-16 code units
 */
export function truncate(text: string, most = 64): string {
  if (text.length <= most) return text
  const isWithinPair = isLeadingSurrogate(text.charCodeAt(most - 1))
  return `${text.slice(0, isWithinPair ? most - 1 : most)}…`
}

/** Is it the first half of a surrogate pair? Texts with lone halves are refused before. */
function isLeadingSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff
}
