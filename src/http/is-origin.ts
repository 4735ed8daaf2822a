/**
 * Is it an origin as browsers send it? Lower case, without a path, a default port or a trailing
 * slash. Browser extensions have schemes of their own.
 */
function isOrigin(text: unknown): boolean {
  if (typeof text !== 'string') return false
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@A-Z]+$/.test(text)) return false
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text)
}

/** What a message shows of a value that is not a list of origins; undefined for a list. */
export function shownInvalidOrigin(origins: unknown): string | undefined {
  const invalid = Array.isArray(origins) ? origins.find((origin) => !isOrigin(origin)) : origins
  const isList = Array.isArray(origins) && invalid === undefined
  return isList ? undefined : `'${String(invalid)}'.${meantOrigin(invalid)}`
}

/** A hint for a URL that has more than an origin, or another form of it. */
function meantOrigin(text: unknown): string {
  const origin = typeof text === 'string' && URL.canParse(text) ? new URL(text).origin : undefined
  return isOrigin(origin) ? ` Did you mean '${origin}'?` : ''
}
