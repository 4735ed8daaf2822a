import type { TrustedOrigins } from '../http/cross-site-guard.ts'
import { shownInvalidOrigin } from '../http/is-origin.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** @throws RegistrationError if an entry is not an origin as browsers send it */
export function validateTrustedOrigins(origins: TrustedOrigins = []): TrustedOrigins {
  if (origins === 'any') return origins
  const shown = shownInvalidOrigin(origins)
  if (shown === undefined) return origins
  throw new RegistrationError(
    `The option 'security.trustedOrigins' of createRouter() must be 'any' or a list of origins, such as ['https://shop.example']; got ${shown}`,
  )
}
