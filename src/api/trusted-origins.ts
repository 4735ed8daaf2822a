import type { TrustedOrigins } from '../http/cross-site-guard.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** @throws RegistrationError if an entry is not an origin as browsers send it */
export function validateTrustedOrigins(origins: TrustedOrigins = []): TrustedOrigins {
  if (origins === 'any') return origins
  const invalid = Array.isArray(origins) ? origins.find((origin) => !isOrigin(origin)) : origins
  if (invalid === undefined) return origins
  throw new RegistrationError(
    `The option 'security.trustedOrigins' of createRouter() must be 'any' or a list of origins, such as ['https://shop.example']; got '${String(invalid)}'.`,
  )
}

/**
 * Lower case, without a path, a default port or a trailing slash. Browser extensions have schemes
 * of their own.
 */
export function isOrigin(text: unknown): boolean {
  if (typeof text !== 'string') return false
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@A-Z]+$/.test(text)) return false
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text)
}
