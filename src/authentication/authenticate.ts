import { isPromise } from '../concurrency/is-promise.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { headerCase } from '../http/headers/header-case.ts'
import { ServiceRequest } from '../http/service-request.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { challengeOf } from '../rule/authenticate-challenge.ts'
import {
  type Schema,
  type SchemaIssue,
  type ValidationResult,
  validate,
} from '../schema/standard-schema.ts'
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
export type Authenticate = (request: ApiRequest, facts?: CredentialFacts) => unknown

/** Takes what is known of the credential of a request. */
export interface CredentialFacts {
  /** In milliseconds since 1970; undefined if it is not known. */
  credentialExpiresMs?: number | undefined
}

/** Whom a router asks for the callers of its requests, and what callers are. */
export interface CallerSource {
  /** In the order in which they are asked: those that read `Authorization` first. */
  readonly authenticators: readonly Authenticator[]
  readonly callerSchema: Schema
  /** Parameters of challenges for bearer tokens. */
  readonly bearerParameters: () => Readonly<Record<string, string>>
}

/** The first authenticator that finds a credential decides. */
export function createAuthenticate(
  { authenticators, callerSchema, bearerParameters }: CallerSource,
  items: ItemsOf,
): Authenticate {
  const tools: AuthenticationTools = Object.freeze({ items })
  const ofAuthorization = authenticators.filter(
    ({ scheme }) => credentialHeader(scheme) === 'authorization',
  )
  const askFrom = (
    index: number,
    request: ApiRequest,
    facts: CredentialFacts | undefined,
  ): unknown => {
    for (let next = index; next < authenticators.length; next++) {
      // The next one reads another header: nobody knows the credential in `Authorization`.
      if (next === ofAuthorization.length) refuseUnknown(request)
      const authenticator = authenticators[next]!
      const result = authenticator.authenticate(request, tools)
      if (isPromise(result))
        return result.then((settled) =>
          settled === undefined
            ? askFrom(next + 1, request, facts)
            : callerOf(settled as CredentialResult, authenticator, facts),
        )
      if (result !== undefined) return callerOf(result, authenticator, facts)
    }
    if (ofAuthorization.length === authenticators.length) refuseUnknown(request)
    return undefined
  }
  const callerOf = (
    result: CredentialResult,
    authenticator: Authenticator,
    facts: CredentialFacts | undefined,
  ): unknown => {
    const { caller, refused, expiresAt } = Object(result) as Partial<
      Authenticated & RefusedCredential
    >
    if (typeof refused === 'string') throw refusal(refused, [authenticator], bearerParameters)
    if (caller === undefined || caller === null)
      throw new TypeError(
        `The authenticator '${authenticator.name}' must return { caller }, { refused } or undefined.`,
      )
    if (facts && expiresAt !== undefined)
      facts.credentialExpiresMs = expiryOf(expiresAt, authenticator)
    const validation = validate(callerSchema, caller)
    return isPromise(validation)
      ? validation.then((settled) => validCaller(settled as ValidationResult, authenticator))
      : validCaller(validation, authenticator)
  }
  /** @throws ApiError `invalid-credentials` for a caller that the schema does not accept */
  const validCaller = (validation: ValidationResult, authenticator: Authenticator): unknown => {
    if (validation.kind === 'invalid')
      throw refusal(unacceptedCaller(validation.issues), [authenticator], bearerParameters)
    if (validation.value === undefined || validation.value === null)
      throw new TypeError(
        `The schema of callers made ${validation.value} of what the authenticator '${authenticator.name}' gave: that would be an anonymous caller.`,
      )
    return validation.value
  }
  /** A credential that no authenticator knows must not make its sender anonymous. */
  const refuseUnknown = ({ headers }: ApiRequest): void => {
    if (headers.authorization === undefined || ofAuthorization.length === 0) return
    const names = ofAuthorization.map(({ name }) => `'${name}'`).join(' or ')
    const detail =
      headers.authorization.trim() === ''
        ? `Expected a credential for ${names} in 'Authorization'.`
        : `Unknown credential in 'Authorization'; expected one for ${names}.`
    throw refusal(detail, ofAuthorization, bearerParameters)
  }
  return (request, facts) =>
    request instanceof ServiceRequest ? request.caller : askFrom(0, request, facts)
}

/** @throws TypeError for anything but a time */
function expiryOf(expiresAt: Date, { name }: Authenticator): number {
  const time = expiresAt instanceof Date ? expiresAt.getTime() : Number.NaN
  if (Number.isNaN(time))
    throw new TypeError(`The authenticator '${name}' must return a valid Date as 'expiresAt'.`)
  return time
}

/** Names the members that are wrong, and not their values. */
function unacceptedCaller(issues: readonly SchemaIssue[]): string {
  const members = new Set(issues.flatMap(({ path }) => path.join('.') || []))
  const expected = members.size === 0 ? '' : `: expected other values of ${[...members].join(', ')}`
  return `The credential is valid, but describes no caller of this service${expected}.`
}

function refusal(
  detail: string,
  authenticators: readonly Authenticator[],
  bearerParameters: CallerSource['bearerParameters'],
): Error {
  const parameters = { error: 'invalid_token', ...bearerParameters() }
  const challenges = authenticators.flatMap(({ scheme }) => challengeOf(scheme, parameters) ?? [])
  const headers = authenticators.flatMap(({ scheme }) => credentialHeader(scheme) ?? [])
  return createApiError(
    'invalid-credentials',
    detail,
    headers[0] === undefined ? undefined : { header: headerCase(headers[0]) },
    challenges.length === 0
      ? {}
      : { headers: { 'www-authenticate': [...new Set(challenges)].join(', ') } },
  )
}
