import type { Authenticator } from '../authentication/authenticator.ts'
import type { CorsOptions } from '../feature/cors/cors-options.ts'
import type { ProtectedResourceOptions } from '../feature/protected-resource/metadata.ts'
import type { TenantOptions } from '../feature/tenant/tenant-options.ts'
import type { TrustedOrigins } from '../http/cross-site-guard.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import type { InputOf, OutputOf, Schema } from '../schema/standard-schema.ts'

/** Who sends requests, from which pages, and what they may do. */
export interface SecurityOptions<CallerSchema extends Schema = Schema> {
  /**
   * How requests say who sends them. An authenticator gives the caller of a credential, or refuses
   * it (401); a request without a credential is anonymous. Those that read `Authorization` are
   * asked first, then the others in their order; the first that finds a credential decides.
   * Requires `callerSchema`. Default: none, every request is anonymous.
   */
  readonly authentication?: readonly Authenticator<InputOf<CallerSchema>>[]
  /**
   * The schema of callers. It validates what the authenticators give; its output is
   * `context.caller`. A credential whose caller it does not accept is refused (401). Default:
   * none, without `authentication`.
   */
  readonly callerSchema?: CallerSchema
  /**
   * What may be done where no access rule says so: `open` for everything, `closed` for nothing.
   * Default: `open`.
   */
  readonly defaultAccess?: 'open' | 'closed'
  /**
   * Keeps the items of tenants apart, in every model that has the field: callers read and write the
   * items of their own tenant only, the service sets the field, clients never see it, and unique
   * values are unique within a tenant. Default: none.
   */
  readonly tenant?: TenantOptions<OutputOf<CallerSchema>>
  /**
   * Lets pages of other origins read responses (CORS). `'*'` and `credentials` exclude each other.
   * Default: none, the service sends no headers of CORS.
   */
  readonly cors?: CorsOptions
  /**
   * Other origins whose pages may send writes, such as `https://shop.example`. Writes from pages of
   * other sites are refused (403), so that no foreign form acts with the cookies of its user. `any`
   * allows all, for services that authenticate by nothing that browsers send automatically.
   * Requests that no page sends are not affected. Default: none.
   */
  readonly trustedOrigins?: TrustedOrigins
  /**
   * Publishes how clients get a token, at `/.well-known/oauth-protected-resource` followed by the
   * base path (RFC 9728); challenges of bearer tokens name the address. Requires `authentication`
   * and the `baseUrl` of the router. Default: none.
   */
  readonly protectedResource?: ProtectedResourceOptions
  /**
   * Encrypts cursors of sorts by values that clients may not see: hidden members, guarded models
   * and models with mappers. With a secret, such cursors stay valid after a restart and in other
   * processes. At least 32 bytes, for example from `openssl rand -hex 32`. Default: a random secret
   * of the process, which the `workers` of `serve` have in common.
   */
  readonly cursorSecret?: string
}

export const securityOptions: OptionChecks<SecurityOptions> = {
  authentication: true,
  callerSchema: true,
  defaultAccess: ['open', 'closed'],
  tenant: true,
  cors: true,
  trustedOrigins: true,
  protectedResource: true,
  cursorSecret: true,
}

/** @throws RegistrationError for an unknown option, and for one that is not allowed */
export function securityOf<S extends Schema>(
  security: SecurityOptions<S> = {},
): SecurityOptions<S> {
  checkOptions("the option 'security' of createRouter()", security, securityOptions)
  return security
}
