import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'

/** Wakes one waiter. A call before it waits counts, if `next` was called before that. */
export class Wakeup {
  #next = promiseWithResolvers<void>()

  /** Resolves with the next call of {@link wake}. */
  next(): Promise<void> {
    return this.#next.promise
  }

  wake(): void {
    this.#next.resolve()
    this.#next = promiseWithResolvers()
  }
}
