/**
 * A model, a route or a hook is declared wrongly. Thrown while the service is put together, never
 * by a request.
 */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'

  /** @param message a full sentence: what is wrong, where, and what would be right */
  constructor(message: string, options?: ErrorOptions) {
    super(message.charAt(0).toUpperCase() + message.slice(1), options)
  }
}
