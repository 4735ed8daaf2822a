/**
 * A credential cannot be checked now, for example because the keys of its issuer cannot be read.
 * The response is a 503 with `Retry-After`, and the error is reported with its cause.
 *
 * ```ts
 * throw new AuthenticationUnavailable('The directory does not respond.', { retryAfterSeconds: 5 })
 * ```
 */
export class AuthenticationUnavailable extends Error {
  override readonly name = 'AuthenticationUnavailable'
  readonly retryAfterSeconds: number

  constructor(
    message: string,
    {
      retryAfterSeconds = 1,
      ...options
    }: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
