import { AsyncScope } from '../concurrency/async-scope.ts'

/** Called when code opens a router that it should only declare. */
const openings = new AsyncScope<() => void>()

/**
 * Imports a module whose code opens no router, so that a command that reads what the module
 * declares changes no tables. The module does not go on where it opens one, also later.
 *
 * @throws Error of `refusal` if it opens one before the import ends, and what the import throws
 */
export function importWithoutOpening<T>(
  importModule: () => Promise<T>,
  refusal: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    // The scope outlasts the import, because a module may serve in a later turn.
    void openings.run(
      () => reject(refusal()),
      () => {
        importModule().then(resolve, reject)
        return never
      },
    )
  })
}

const never = new Promise<never>(() => undefined)

/** Opens a router, unless the code that calls it is imported by {@link importWithoutOpening}. */
export function openUnlessImported<T>(open: () => Promise<T>): Promise<T> {
  const refuse = openings.current
  if (!refuse) return open()
  refuse()
  // An error would be printed beside the refusal, or be handled as one of the service.
  return never
}
