import type { TrustedOrigins } from '../http/cross-site-guard.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** @throws RegistrationError where one is no origin, as browsers send it */
export function validateTrustedOrigins(origins: TrustedOrigins = []): TrustedOrigins {
  if (origins === 'any') return origins
  const wrong = Array.isArray(origins) ? origins.find((one) => !isOrigin(one)) : origins
  if (wrong === undefined) return origins
  throw new RegistrationError(
    `The option 'trustedOrigins' of createRouter() is 'any' or a list of origins, such as ['https://shop.example']; got '${String(wrong)}'.`,
  )
}

/**
 * Lower case, without a path, a default port or a slash at the end. Extensions of browsers have
 * schemes of their own.
 */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@A-Z]+$/.test(text)) return false
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text)
}
