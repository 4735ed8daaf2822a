/**
 * A model, a route or a hook is declared wrongly. Never thrown while a request is handled.
 *
 * ```ts
 * try {
 *   await router.open()
 * } catch (error) {
 *   if (!(error instanceof RegistrationError)) throw error
 *   console.error(error.message)
 * }
 * ```
 */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'

  /** @param message what is wrong and what is expected, in a full sentence */
  constructor(message: string, options?: ErrorOptions) {
    super(message.charAt(0).toUpperCase() + message.slice(1), options)
  }
}
