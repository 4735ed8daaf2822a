import type { Authenticator, CredentialResult } from './authenticator.ts'
import { authorizationOf } from './authorization.ts'
import { type BearerJwtOptions, checkJwtOptions, type JwtClaims } from './jwt-options.ts'
import { jwtVerifier } from './jwt-verifier.ts'

/**
 * Recognizes bearer tokens that are signed JWTs (RFC 6750, RFC 7519), with the package `jose`. The
 * signature, the issuer, the audience and the time of expiry must be right; the header `none` is
 * never accepted. While the keys of the issuer cannot be read, those that were read last stay valid
 * for `jwksMaxStaleMs`; without such keys the response is 503 with `Retry-After`, and the error is
 * reported.
 *
 * ```ts
 * const signIn = bearerJwt({
 *   issuer: 'https://id.example',
 *   audience: 'https://api.example',
 *   algorithms: ['RS256'],
 *   jwksUrl: 'https://id.example/.well-known/jwks.json',
 *   caller: (claims) => ({ id: claims.sub, scopes: scopesOf(claims) }),
 * })
 * ```
 *
 * @throws RegistrationError for an unknown, missing or unsafe option
 */
export function bearerJwt<Caller>(options: BearerJwtOptions<Caller>): Authenticator<Caller> {
  checkJwtOptions(options)
  const verify = jwtVerifier(options)
  const { name = 'bearer', caller: toCaller } = options
  return {
    name,
    scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    authenticate: (request) => {
      const credential = authorizationOf(request, 'bearer')
      if (credential === undefined) return undefined
      if (credential.kind === 'malformed') return { refused: 'Expected a token after "Bearer".' }
      // API keys are bearer tokens too, and have no dots.
      if (!credential.value.includes('.')) return undefined
      return verify(credential.value).then((verification) =>
        verification.kind === 'refused'
          ? { refused: verification.detail }
          : callerOf(toCaller(verification.claims), verification.claims),
      )
    },
  }
}

function callerOf<Caller>(
  caller: Caller | undefined,
  { exp }: JwtClaims,
): CredentialResult<Caller> {
  return caller === undefined
    ? { refused: 'The claims of the token describe no caller of this service.' }
    : { caller, expiresAt: new Date(Number(exp) * 1_000) }
}
