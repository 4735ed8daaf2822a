const unsafeInHeader = /[^\t\x20-\x7e\x80-\xff]/gu
const unsafeInSegment = /[^\w\-.~:@]/gu
const asciiEscapes = Array.from(
  { length: 128 },
  (_, code) => `%${code.toString(16).toUpperCase().padStart(2, '0')}`,
)
const loneSurrogate = /\p{Surrogate}/gu

/**
 * The text as a header value that no HTTP/1.1 writer refuses and that cannot start another line
 * (RFC 9110 §5.5): control characters (CR, LF and NUL among them) and whatever Latin-1 lacks become
 * percent-encoded UTF-8, lone surrogates U+FFFD. Never throws. Meant for display, not for reading
 * back: a percent sign stays as it is.
 */
export function escapeHeaderValue(text: string): string {
  return text.replace(unsafeInHeader, percentEncode)
}

/**
 * An identifier as one segment of a path (RFC 3986 §3.3): all but `A-Z a-z 0-9 - . _ ~ : @` becomes
 * percent-encoded UTF-8, the slash included. Never throws; lone surrogates become U+FFFD. It cannot
 * help the segments `.` and `..`, which clients resolve in every spelling: such identifiers have to
 * be refused where items are created.
 */
export function encodePathSegment(id: string): string {
  return id.replace(unsafeInSegment, percentEncode)
}

/**
 * Every byte of the UTF-8 form as `%XX`, also of characters that URIs may carry as they are; lone
 * surrogates become U+FFFD.
 */
export function percentEncode(text: string): string {
  let encoded = ''
  for (const character of text) {
    const code = character.codePointAt(0)!
    encoded += asciiEscapes[code] ?? encodeURIComponent(toWellFormed(character))
  }
  return encoded
}

/** The text with U+FFFD for each lone surrogate, which UTF-8 cannot carry. */
export function toWellFormed(text: string): string {
  return text.replace(loneSurrogate, '\ufffd')
}
