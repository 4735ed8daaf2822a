/**
 * An asynchronous schema did not come to an end in time: reported, and answered as 503 with
 * `Retry-After`.
 */
export class ValidationTimeout extends Error {
  override readonly name = 'ValidationTimeout'

  constructor() {
    super('An asynchronous schema did not say in time whether a value fits.')
  }
}
