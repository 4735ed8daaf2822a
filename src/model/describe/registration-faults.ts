import { RegistrationError } from '../registration-error.ts'

/** What is wrong with declarations that do not depend on one another. */
export class RegistrationFaults {
  readonly #faults: RegistrationError[] = []

  /** The result of a check; undefined if a declaration is wrong. */
  attempt<Result>(check: () => Result): Result | undefined {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof RegistrationError)) throw error
      this.#faults.push(error)
      return undefined
    }
  }

  get count(): number {
    return this.#faults.length
  }

  /** @throws RegistrationError with a line for each fault, if there are any */
  throwAll(): void {
    const [first, ...others] = this.#faults
    if (!first) return
    if (others.length === 0) throw first
    throw new RegistrationError(this.#faults.map(({ message }) => message).join('\n'))
  }
}
