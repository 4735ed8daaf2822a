const unsafeInSegment = /[^\w\-.~:@]/gu
const needsEscape = /[^\w\-.~:@]/
const asciiEscapes = Array.from(
  { length: 128 },
  (_, code) => `%${code.toString(16).toUpperCase().padStart(2, '0')}`,
)
const loneSurrogate = /\p{Surrogate}/gu

/**
 * Encodes an id as one path segment (RFC 3986 §3.3): all characters but `A-Z a-z 0-9 - . _ ~ : @`
 * become percent-encoded UTF-8, also the slash. Lone surrogates become U+FFFD. The ids `.` and `..`
 * cannot be encoded, because clients resolve them in every form; `isValidId` refuses them.
 */
export function encodePathSegment(id: string): string {
  // Most ids need no escape, and a test costs less than a replacement.
  if (!needsEscape.test(id)) return id
  return id.replace(unsafeInSegment, percentEncode)
}

/** Every byte of the UTF-8 form as `%XX`. Lone surrogates become U+FFFD. */
export function percentEncode(text: string): string {
  let encoded = ''
  for (const character of text) {
    const code = character.codePointAt(0)!
    encoded += asciiEscapes[code] ?? encodeURIComponent(toWellFormed(character))
  }
  return encoded
}

/** Replaces each lone surrogate by U+FFFD, because UTF-8 cannot encode it. */
export function toWellFormed(text: string): string {
  return text.replace(loneSurrogate, '\ufffd')
}
