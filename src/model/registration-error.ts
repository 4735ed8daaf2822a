import { capitalize } from '../text/message-text.ts'

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
    super(startsWithCode.test(message) ? message : capitalize(message), options)
  }
}

/** The name of a function keeps its case: `prepare() expects …`. */
const startsWithCode = /^[\w$.]+\(/
