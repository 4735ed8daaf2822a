/** An asynchronous schema took too long. The response is a 503 with `Retry-After`. */
export class ValidationTimeout extends Error {
  override readonly name = 'ValidationTimeout'

  constructor() {
    super('An asynchronous schema took too long to validate a value.')
  }
}
