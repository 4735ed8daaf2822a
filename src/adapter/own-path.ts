import { RegistrationError } from '../model/registration-error.ts'

/** A path at which the host itself responds, before its services. */
export interface OwnPath {
  readonly path: string
  /** What is there: `a health check`. */
  readonly purpose: string
  /** How another path is chosen, as a sentence. */
  readonly advice: string
}

/**
 * Checks a path at which the host itself responds, beside its services.
 * @param subject with which the message begins: `The option 'path' of metrics`
 * @throws RegistrationError
 */
export function checkOwnPath(subject: string, path: unknown, example: string): void {
  if (typeof path === 'string' && /^(?:\/(?!\.+(?:\/|$))[\w.~-]+)+$/.test(path)) return
  throw new RegistrationError(
    `${subject} must be a path such as '${example}', of letters, digits and '-._~'; got '${String(path)}'.`,
  )
}

/** @throws RegistrationError where the host would respond twice at a path */
export function refuseEqualOwnPaths(ownPaths: readonly OwnPath[]): void {
  const all = ownPaths.map(({ path }) => path)
  const repeated = ownPaths.find(({ path }, index) => all.indexOf(path) !== index)
  if (repeated)
    throw new RegistrationError(
      `The path '${repeated.path}' of ${repeated.purpose} of serve() is that of ${ownPaths[all.indexOf(repeated.path)]!.purpose}, too. ${repeated.advice}`,
    )
}
