import { shownInvalidOrigin } from '../../http/is-origin.ts'
import { checkOptions, type OptionChecks, wholeNumber } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'

/** Which pages of other origins may read responses (CORS, Fetch Standard §3.2). */
export interface CorsOptions {
  /**
   * The origins, such as `['https://shop.example']`, as browsers send them; their pages may write
   * too, as if `trustedOrigins` listed them. `'*'` lets all pages read, and trusts none.
   */
  readonly origins: readonly string[] | '*'
  /**
   * May pages send cookies and other credentials of the browser? Not with `'*'`. Default: false.
   */
  readonly credentials?: boolean
  /** How long browsers keep the response to a preflight, in seconds. Default: 600. */
  readonly maxAgeSeconds?: number
  /**
   * Request headers that pages may send besides those of the rules and authenticators, such as
   * `['X-Tenant']` for a hook. Default: none.
   */
  readonly headers?: readonly string[]
}

/** The options with their defaults. */
export type CorsSettings = Required<CorsOptions>

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
  const isEmpty = Array.isArray(origins) && origins.length === 0
  const shown = isEmpty ? 'an empty list.' : shownInvalidOrigin(origins)
  if (shown === undefined) return
  throw new RegistrationError(
    `The option 'origins' of 'security.cors' must be '*' or a list of origins, such as ['https://shop.example']; got ${shown}`,
  )
}

function isHeaderName(name: unknown): boolean {
  return typeof name === 'string' && /^[!#$%&'*+.^`|~\w-]+$/.test(name)
}
