/**
 * Is it an origin as browsers send it? Lower case, without a path, a default port or a trailing
 * slash. Browser extensions have schemes of their own.
 */
export function isOrigin(text: unknown): boolean {
  if (typeof text !== 'string') return false
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@A-Z]+$/.test(text)) return false
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text)
}
