import { RegistrationError } from '../../model/registration-error.ts'

const minLength = 16

/**
 * Refuses a secret that could be guessed. The message does not repeat it.
 *
 * @param owner the function, with parentheses: `postgres()`
 * @throws RegistrationError
 */
export function checkVersionSecret(owner: string, secret: string | undefined): void {
  if (secret === undefined || (typeof secret === 'string' && secret.length >= minLength)) return
  throw new RegistrationError(
    `The option 'versionSecret' of ${owner} must be a string of at least ${minLength} characters.`,
  )
}
