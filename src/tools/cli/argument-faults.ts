/** Collects what is wrong with the arguments of a command, so that all of it is said at once. */
export class ArgumentFaults {
  readonly #messages: string[] = []

  /** The result of a check; undefined if it throws. */
  attempt<Result>(check: () => Result): Result | undefined {
    try {
      return check()
    } catch (error) {
      this.#messages.push((error as Error).message)
      return undefined
    }
  }

  /** @throws Error with a line for each fault, if there are any */
  throwAll(): void {
    if (this.#messages.length > 0) throw new Error(this.#messages.join('\n'))
  }
}
