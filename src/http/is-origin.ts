/**
 * Is it an origin as browsers send it? Lower case, without a path, a default port or a trailing
 * slash. Browser extensions have schemes of their own.
 */
function isOrigin(text: unknown): boolean {
  if (typeof text !== 'string') return false
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@A-Z]+$/.test(text)) return false
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text)
}

/** A list of origins, or what is wrong with it. */
export function invalidOrigin(origins: unknown): { readonly shown: string } | undefined {
  if (!Array.isArray(origins)) return { shown: `'${String(origins)}'.` }
  const invalid: unknown = origins.find((origin) => !isOrigin(origin))
  if (invalid !== undefined) return { shown: `'${String(invalid)}'.${originMeant(invalid)}` }
  return undefined
}

/** A hint for a URL that has more than an origin, or another form of it. */
function originMeant(text: unknown): string {
  const origin = typeof text === 'string' && URL.canParse(text) ? new URL(text).origin : undefined
  return origin !== undefined && isOrigin(origin) ? ` Did you mean '${origin}'?` : ''
}
