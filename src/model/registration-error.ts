/** A model, a route or a hook is declared wrongly. Thrown while the service is put together, never by a request. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'
}
