import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Authenticator } from './authenticator.ts'
import { authorizationOf } from './authorization.ts'

export interface BasicOptions<Caller> {
  /** The name in the OpenAPI document. Default: `basic`. */
  readonly name?: string
  /** Passwords by user name, for example from environment variables. */
  readonly users: Readonly<Record<string, string>>
  /** The caller of a user name. */
  readonly caller: (userName: string) => Caller
}

const basicOptions: OptionChecks<BasicOptions<unknown>> = {
  name: true,
  users: true,
  caller: 'function',
}

/**
 * Recognizes user names and passwords of Basic authentication (RFC 7617), for internal tools with a
 * few users. Comparisons take the same time for every name and password. Serve it over TLS.
 *
 * ```ts
 * const operators = basic({
 *   users: { grafana: process.env.GRAFANA_PASSWORD ?? 'change me' },
 *   caller: (id) => ({ id }),
 * })
 * ```
 *
 * @throws RegistrationError for an empty password, a name with a colon, or no user
 */
export function basic<Caller>(options: BasicOptions<Caller>): Authenticator<Caller> {
  checkOptions('basic()', options, basicOptions)
  const { name = 'basic', users, caller: toCaller } = options
  checkUsers(users)
  if (typeof toCaller !== 'function')
    throw new RegistrationError("The option 'caller' of basic() must be a function of the name.")
  // Digests have the same length, whatever the length of a password.
  const secret = randomBytes(32)
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest()
  const known = Object.entries(users).map(([userName, password]) => ({
    userName,
    digest: digest(`${userName}:${password}`),
  }))
  return {
    name,
    scheme: { type: 'http', scheme: 'basic' },
    authenticate: (request) => {
      const credential = authorizationOf(request, 'basic')
      if (credential === undefined) return undefined
      if (credential.kind === 'malformed')
        return { refused: 'Expected the base64 of "name:password" after "Basic".' }
      const received = digest(Buffer.from(credential.value, 'base64').toString('utf8'))
      const matches = known.filter((user) => timingSafeEqual(user.digest, received))
      return matches[0]
        ? { caller: toCaller(matches[0].userName) }
        : { refused: 'The user name or the password is wrong.' }
    },
  }
}

function checkUsers(users: unknown): void {
  const entries = typeof users === 'object' && users !== null ? Object.entries(users) : []
  if (entries.length === 0)
    throw new RegistrationError(
      "The option 'users' of basic() must be an object of passwords by user name, with at least one.",
    )
  for (const [name, password] of entries) {
    if (name.includes(':'))
      throw new RegistrationError(`The user name '${name}' of basic() must not contain a colon.`)
    if (typeof password !== 'string' || password === '')
      throw new RegistrationError(
        `The password of the user '${name}' of basic() must be a string, and not empty.`,
      )
  }
}
