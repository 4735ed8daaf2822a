import type { CorsOptions, CorsSettings } from '../http/cors-options.ts'
import type { TrustedOrigins } from '../http/cross-site-guard.ts'
import { checkOptions, type OptionChecks, wholeNumber } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isOrigin } from './trusted-origins.ts'

const corsOptions: OptionChecks<CorsOptions> = {
  origins: true,
  credentials: 'boolean',
  maxAgeSeconds: wholeNumber(0),
  headers: true,
}

/** @throws RegistrationError for an invalid option, and for credentials with any origin */
export function corsSettings(cors: CorsOptions | undefined): CorsSettings | undefined {
  if (cors === undefined) return undefined
  checkOptions("the option 'security.cors' of createRouter()", cors, corsOptions)
  const { origins, credentials = false, maxAgeSeconds = 600, headers = [] } = cors
  if (origins !== '*') checkOrigins(origins)
  else if (credentials)
    throw new RegistrationError(
      "The option 'security.cors' of createRouter() must not allow credentials to every origin: any site could read what its visitors may see. List the origins.",
    )
  if (!Array.isArray(headers) || !headers.every(isHeaderName))
    throw new RegistrationError(
      "The option 'headers' of 'security.cors' must be an array of header names, such as ['X-Tenant'].",
    )
  return Object.freeze({ origins, credentials, maxAgeSeconds, headers })
}

function checkOrigins(origins: unknown): void {
  const invalid = Array.isArray(origins) ? origins.find((origin) => !isOrigin(origin)) : origins
  if (Array.isArray(origins) && origins.length > 0 && invalid === undefined) return
  throw new RegistrationError(
    `The option 'origins' of 'security.cors' must be '*' or a list of origins, such as ['https://shop.example']; got '${String(invalid)}'.`,
  )
}

function isHeaderName(name: unknown): boolean {
  return typeof name === 'string' && /^[!#$%&'*+.^`|~\w-]+$/.test(name)
}

/** A page that may read responses with the credentials of its user may write, too. */
export function withCorsOrigins(
  trusted: TrustedOrigins,
  cors: CorsSettings | undefined,
): TrustedOrigins {
  return trusted === 'any' || !cors || cors.origins === '*'
    ? trusted
    : [...trusted, ...cors.origins]
}
