import { KeyObject } from 'node:crypto'
import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  positiveMilliseconds,
} from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** The claims of a token whose signature, issuer, audience and times are right (RFC 7519 §4). */
export interface JwtClaims {
  readonly iss?: string
  readonly sub?: string
  readonly aud?: string | readonly string[]
  /** In seconds since 1970. */
  readonly exp?: number
  readonly [claim: string]: unknown
}

/** The algorithms that a token may be signed with (RFC 7518 §3.1, RFC 8037, RFC 9864). */
export type JwtAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519'
  | 'HS256'
  | 'HS384'
  | 'HS512'

/** Where the keys are: at an address of the issuer, or known. */
export type JwtKeys =
  | {
      /** The JSON Web Key Set of the issuer (RFC 7517 §5), with `https:`, or on this machine. */
      readonly jwksUrl: string
      readonly key?: undefined
    }
  | {
      /**
       * One key: `createPublicKey(pem)`, or `createSecretKey(bytes)` of `node:crypto` for `HS…`.
       */
      readonly key: KeyObject
      readonly jwksUrl?: undefined
    }

/** Whom tokens are of, and what they must have. */
export interface JwtRules<Caller> {
  /** The name in the OpenAPI document. Default: `bearer`. */
  readonly name?: string
  /** `iss`: who signs the tokens, or several. */
  readonly issuer: string | readonly string[]
  /** `aud`: the name that the issuer has for this service, or several. */
  readonly audience: string | readonly string[]
  /** The algorithms that tokens may be signed with, such as `['RS256']`. */
  readonly algorithms: readonly JwtAlgorithm[]
  /**
   * The caller, made of the claims; undefined refuses the token (401). The `callerSchema` of the
   * router validates it. An error that it throws is a defect of the service: the response is 500,
   * and the error is reported.
   */
  readonly caller: (claims: JwtClaims) => Caller | undefined
  /** The header `typ` that tokens must have: `at+jwt` for RFC 9068. Default: any. */
  readonly typ?: string
  /** Claims that a token must have besides `iss`, `aud` and `exp`. Default: none. */
  readonly requiredClaims?: readonly string[]
  /** By how much clocks may differ, in milliseconds. Default: 0. */
  readonly clockToleranceMs?: number
  /** How long to wait for the key set, in milliseconds. Default: 5 000. */
  readonly jwksTimeoutMs?: number
  /**
   * How long the key set is used without reading it again, in milliseconds. It is read in the
   * background when three quarters of this time are over, so that requests do not wait. Default:
   * 600 000.
   */
  readonly jwksMaxAgeMs?: number
  /**
   * How long the key set is used while it cannot be read again, in milliseconds, counted from the
   * last time that it was read. Default: 86 400 000 (24 hours), and at least `jwksMaxAgeMs`.
   */
  readonly jwksMaxStaleMs?: number
}

/** The options of `bearerJwt`. */
export type BearerJwtOptions<Caller> = JwtRules<Caller> & JwtKeys

/** All options, so that the compiler finds one without a check. */
interface AllOptions extends JwtRules<unknown> {
  readonly jwksUrl?: string | undefined
  readonly key?: KeyObject | undefined
}

const jwtOptions: OptionChecks<AllOptions> = {
  name: true,
  issuer: true,
  audience: true,
  algorithms: true,
  caller: 'function',
  typ: true,
  requiredClaims: true,
  clockToleranceMs: milliseconds,
  jwksTimeoutMs: positiveMilliseconds,
  jwksMaxAgeMs: positiveMilliseconds,
  jwksMaxStaleMs: positiveMilliseconds,
  jwksUrl: true,
  key: true,
}

export const defaultMaxAgeMs = 600_000
export const defaultMaxStaleMs = 86_400_000

const knownAlgorithms = /^(?:(?:RS|PS|ES|HS)(?:256|384|512)|EdDSA|Ed25519)$/

/** RFC 7518 §3.3 */
const minModulusBits = 2_048

/** RFC 7518 §3.2 */
const minSecretBytes = 32

/** @throws RegistrationError for an unknown, missing or unsafe option */
export function checkJwtOptions<Caller>(options: BearerJwtOptions<Caller>): void {
  checkOptions<AllOptions>('bearerJwt()', options, jwtOptions)
  checkNames('issuer', options.issuer)
  checkNames('audience', options.audience)
  if (typeof options.caller !== 'function')
    throw new RegistrationError(
      "The option 'caller' of bearerJwt() must be a function, such as ({ sub }) => ({ id: sub }).",
    )
  checkAlgorithms(options.algorithms)
  if ((options.jwksUrl === undefined) === (options.key === undefined))
    throw new RegistrationError("bearerJwt() needs either the option 'jwksUrl' or 'key'.")
  if (options.jwksUrl === undefined) checkKey(options.key, options.algorithms)
  else checkJwksUrl(options.jwksUrl, options.algorithms)
  checkAges(options)
}

function checkAges({
  jwksMaxAgeMs = defaultMaxAgeMs,
  jwksMaxStaleMs = jwksMaxAgeMs,
}: JwtRules<unknown>): void {
  if (jwksMaxStaleMs < jwksMaxAgeMs)
    throw new RegistrationError(
      `The option 'jwksMaxStaleMs' of bearerJwt() must be at least 'jwksMaxAgeMs', ${jwksMaxAgeMs}; got ${jwksMaxStaleMs}.`,
    )
}

function checkNames(option: string, names: unknown): void {
  const list = [names].flat()
  if (list.length > 0 && list.every((name) => typeof name === 'string' && name !== '')) return
  throw new RegistrationError(
    `The option '${option}' of bearerJwt() must be a string or an array of strings, so that tokens for other services are refused.`,
  )
}

function checkAlgorithms(algorithms: unknown): void {
  const isKnown = (name: unknown) => typeof name === 'string' && knownAlgorithms.test(name)
  if (Array.isArray(algorithms) && algorithms.length > 0 && algorithms.every(isKnown)) return
  throw new RegistrationError(
    "The option 'algorithms' of bearerJwt() must list the algorithms of the issuer, such as ['RS256'] or ['ES256'].",
  )
}

function checkJwksUrl(url: string, algorithms: readonly string[]): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isLocal = parsed && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed.hostname)
  if (parsed?.protocol !== 'https:' && !(parsed?.protocol === 'http:' && isLocal))
    throw new RegistrationError(
      `The option 'jwksUrl' of bearerJwt() must be an https: URL, because who can change the keys can be anybody; got '${url}'.`,
    )
  refuseSecretAlgorithms(algorithms, 'keys that everybody can read')
}

function checkKey(key: unknown, algorithms: readonly string[]): void {
  if (!(key instanceof KeyObject) || key.type === 'private')
    throw new RegistrationError(
      "The option 'key' of bearerJwt() must be a public key or a secret: the result of createPublicKey() or createSecretKey() of node:crypto.",
    )
  if (key.type === 'public') {
    refuseSecretAlgorithms(algorithms, 'a public key')
    refuseShortKey(key)
    return
  }
  const other = algorithms.find((algorithm) => !algorithm.startsWith('HS'))
  if (other !== undefined)
    throw new RegistrationError(
      `bearerJwt() cannot verify '${other}' with a secret. Use createPublicKey(), or 'HS256'.`,
    )
  if (key.symmetricKeySize! < minSecretBytes)
    throw new RegistrationError(
      `The secret of bearerJwt() must have at least ${minSecretBytes} bytes, for example from \`openssl rand -hex 32\`; got ${key.symmetricKeySize}.`,
    )
}

/** Such a key would verify no token. */
function refuseShortKey({ asymmetricKeyDetails }: KeyObject): void {
  const bits = asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < minModulusBits)
    throw new RegistrationError(
      `An RSA key of bearerJwt() must have at least ${minModulusBits} bits; got ${bits}.`,
    )
}

/** Else anybody could sign tokens with the public key as the secret. */
function refuseSecretAlgorithms(algorithms: readonly string[], keys: string): void {
  const secret = algorithms.find((algorithm) => algorithm.startsWith('HS'))
  if (secret !== undefined)
    throw new RegistrationError(
      `bearerJwt() must not accept '${secret}' with ${keys}: whoever knows them could sign tokens.`,
    )
}
