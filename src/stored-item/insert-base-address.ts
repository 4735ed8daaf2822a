const tab = 0x09

/**
 * The stored text with the router's own address before the addresses of resources; the text itself
 * where it has none.
 */
export function insertBaseAddress(text: string, base: string): string {
  return text.replaceAll('\t"', `"${base}`)
}

/** The same of texts in UTF-8; the given ones themselves where there is nothing to change. */
export function insertBaseAddressInBytes(given: Uint8Array, base: string): Uint8Array {
  const texts = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  let at = texts.indexOf(tab)
  if (at < 0) return given
  const opening = Buffer.from(`"${base}`)
  const parts: Uint8Array[] = []
  let start = 0
  for (; at >= 0; at = texts.indexOf(tab, start)) {
    parts.push(texts.subarray(start, at), opening)
    // The quote behind the tab stands in the opening already.
    start = at + 2
  }
  parts.push(texts.subarray(start))
  return Buffer.concat(parts)
}
