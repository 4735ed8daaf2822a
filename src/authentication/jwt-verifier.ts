import type { errors, JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { lazy } from '../cache/lazy.ts'
import { AuthenticationUnavailable } from '../error/authentication-unavailable.ts'
import {
  type BearerJwtOptions,
  defaultMaxAgeMs,
  defaultMaxStaleMs,
  type JwtClaims,
} from './jwt-options.ts'
import { RemoteKeys } from './remote-keys.ts'

/** The claims of a valid token, or why it is refused. */
type Verification =
  | { readonly kind: 'claims'; readonly claims: JwtClaims }
  | { readonly kind: 'refused'; readonly detail: string }

/** @throws AuthenticationUnavailable if the keys cannot be read */
export type VerifyJwt = (token: string) => Promise<Verification>

type Jose = typeof import('jose')

/** The first token loads `jose`. */
export function jwtVerifier<Caller>(options: BearerJwtOptions<Caller>): VerifyJwt {
  const start = lazy(async (): Promise<VerifyJwt> => {
    const jose = await loadJose()
    const verifyOptions = verifyOptionsOf(options)
    const { key } = options
    const verify = key
      ? (token: string) => jose.jwtVerify(token, key, verifyOptions)
      : withKeys(jose, keysOf(jose, options), verifyOptions)
    return async (token) => {
      try {
        const { payload } = await verify(token)
        return { kind: 'claims', claims: payload as JwtClaims }
      } catch (error) {
        if (error instanceof AuthenticationUnavailable) throw error
        if (error instanceof jose.errors.JOSEError)
          return { kind: 'refused', detail: reasonOf(error) }
        // Keys of an algorithm may have another curve, or too few bits: jose throws a TypeError or
        // a DOMException for a token that names such an algorithm.
        return { kind: 'refused', detail: 'The key of the token does not fit its algorithm.' }
      }
    }
  })
  return async (token) => (await start())(token)
}

function loadJose(): Promise<Jose> {
  return import('jose').catch((cause) => {
    throw new Error("bearerJwt() needs the package 'jose'. Run 'npm install jose'.", { cause })
  })
}

function verifyOptionsOf<Caller>(options: BearerJwtOptions<Caller>): JWTVerifyOptions {
  const { issuer, audience, algorithms, typ, requiredClaims = [], clockToleranceMs = 0 } = options
  return {
    issuer: [issuer].flat(),
    audience: [audience].flat(),
    algorithms: [...algorithms],
    requiredClaims: ['exp', ...requiredClaims],
    clockTolerance: clockToleranceMs / 1000,
    ...(typ !== undefined && { typ }),
  }
}

function withKeys(jose: Jose, keys: JWTVerifyGetKey, options: JWTVerifyOptions) {
  return (token: string) => jose.jwtVerify(token, keys, options)
}

/** `jose` reads the set when it is told to, and at no other time. */
function keysOf<Caller>(
  jose: Jose,
  {
    jwksUrl,
    jwksTimeoutMs = 5_000,
    jwksMaxAgeMs = defaultMaxAgeMs,
    jwksMaxStaleMs = Math.max(defaultMaxStaleMs, jwksMaxAgeMs),
  }: BearerJwtOptions<Caller>,
): JWTVerifyGetKey {
  const keySet = jose.createRemoteJWKSet(new URL(jwksUrl!), {
    timeoutDuration: jwksTimeoutMs,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
  })
  const ages = { maxAgeMs: jwksMaxAgeMs, maxStaleMs: jwksMaxStaleMs }
  return new RemoteKeys(keySet, jwksUrl!, ages).keyOf
}

function reasonOf(error: errors.JOSEError): string {
  const { code, claim } = error as errors.JOSEError & { readonly claim?: string }
  switch (code) {
    case 'ERR_JWT_EXPIRED':
      return 'The token has expired.'
    case 'ERR_JWT_CLAIM_VALIDATION_FAILED':
      return `The claim '${claim}' of the token is missing or has another value than this service expects.`
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return 'The token is signed with an algorithm that this service does not accept.'
    case 'ERR_JWKS_NO_MATCHING_KEY':
    case 'ERR_JWKS_MULTIPLE_MATCHING_KEYS':
      return 'The key of the token is not one of its issuer.'
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return 'The signature of the token is not that of its issuer.'
    default:
      return 'The token is malformed; expected a signed JWT (RFC 7519).'
  }
}
