import { isPromise } from '../concurrency/is-promise.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { challengeOf } from '../rule/authenticate-challenge.ts'
import { type Schema, type ValidationResult, validate } from '../schema/standard-schema.ts'
import type {
  Authenticated,
  AuthenticationTools,
  Authenticator,
  CredentialResult,
  RefusedCredential,
} from './authenticator.ts'
import { credentialHeader } from './credential-header.ts'

export const authenticateErrors = ['invalid-credentials'] as const

const { createApiError } = refusalsOf(authenticateErrors)

/**
 * Finds the caller of a request; undefined if it carries no credential. Returns a promise only if
 * an authenticator or the schema does.
 * @throws ApiError `invalid-credentials`, or what the authenticator refuses with
 */
export type Authenticate = (request: ApiRequest) => unknown

/** Whom a router asks for the callers of its requests, and what callers are. */
export interface CallerSource {
  /** In the order in which they are asked: those that read `Authorization` first. */
  readonly authenticators: readonly Authenticator[]
  readonly callerSchema: Schema
}

/** The first authenticator that finds a credential decides. */
export function createAuthenticate(
  { authenticators, callerSchema }: CallerSource,
  items: ItemsOf,
): Authenticate {
  const tools: AuthenticationTools = Object.freeze({ items })
  const ofAuthorization = authenticators.filter(
    ({ scheme }) => credentialHeader(scheme) === 'authorization',
  )
  const askFrom = (index: number, request: ApiRequest): unknown => {
    for (let next = index; next < authenticators.length; next++) {
      // The next one reads another header: nobody knows the credential in `Authorization`.
      if (next === ofAuthorization.length) refuseUnknown(request, ofAuthorization)
      const authenticator = authenticators[next]!
      const result = authenticator.authenticate(request, tools)
      if (isPromise(result))
        return result.then((settled) =>
          settled === undefined
            ? askFrom(next + 1, request)
            : callerOf(settled as CredentialResult, authenticator),
        )
      if (result !== undefined) return callerOf(result, authenticator)
    }
    if (ofAuthorization.length === authenticators.length) refuseUnknown(request, ofAuthorization)
    return undefined
  }
  const callerOf = (result: CredentialResult, authenticator: Authenticator): unknown => {
    const { caller, refused } = Object(result) as Partial<Authenticated & RefusedCredential>
    if (typeof refused === 'string') throw refusal(refused, [authenticator])
    if (caller === undefined || caller === null)
      throw new TypeError(
        `The authenticator '${authenticator.name}' must return { caller }, { refused } or undefined.`,
      )
    const validation = validate(callerSchema, caller)
    return isPromise(validation)
      ? validation.then((settled) => validCaller(settled as ValidationResult, authenticator))
      : validCaller(validation, authenticator)
  }
  return (request) => askFrom(0, request)
}

/** @throws ApiError `invalid-credentials` for a caller that the schema does not accept */
function validCaller(validation: ValidationResult, authenticator: Authenticator): unknown {
  if (validation.kind === 'invalid') {
    const members = new Set(validation.issues.flatMap(({ path }) => path.join('.') || []))
    const expected =
      members.size === 0 ? '' : `: expected other values of ${[...members].join(', ')}`
    throw refusal(`The credential is valid, but describes no caller of this service${expected}.`, [
      authenticator,
    ])
  }
  if (validation.value === undefined || validation.value === null)
    throw new TypeError(
      `The schema 'caller' made ${validation.value} of what the authenticator '${authenticator.name}' gave: that would be an anonymous caller.`,
    )
  return validation.value
}

/** A credential that no authenticator knows must not make its sender anonymous. */
function refuseUnknown(
  { headers }: ApiRequest,
  authenticators: readonly Authenticator[],
): undefined {
  if (headers.authorization === undefined || authenticators.length === 0) return undefined
  const names = authenticators.map(({ name }) => `'${name}'`).join(' or ')
  throw refusal(`Expected a credential for ${names} in 'Authorization'.`, authenticators)
}

function refusal(detail: string, authenticators: readonly Authenticator[]): Error {
  const challenges = authenticators.flatMap(
    ({ scheme }) => challengeOf(scheme, { error: 'invalid_token' }) ?? [],
  )
  const headers = authenticators.flatMap(({ scheme }) => credentialHeader(scheme) ?? [])
  return createApiError(
    'invalid-credentials',
    detail,
    headers[0] === undefined ? undefined : { header: headers[0] },
    challenges.length === 0
      ? {}
      : { headers: { 'www-authenticate': [...new Set(challenges)].join(', ') } },
  )
}
