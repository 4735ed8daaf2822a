import { AsyncLocalStorage } from 'node:async_hooks'
import { isPromise } from './is-promise.ts'

/**
 * An `AsyncLocalStorage` that is enabled only while code runs in it. Before Node.js 24, an enabled
 * one slows down every promise of the process.
 */
export class AsyncScope<T> {
  readonly #storage = new AsyncLocalStorage<T>()
  #runCount = 0

  /** The value of the code that is running; undefined outside of it. */
  get current(): T | undefined {
    return this.#runCount === 0 ? undefined : this.#storage.getStore()
  }

  /** Runs code, until its promise settles if it returns one. */
  run<Result>(value: T, code: () => Result): Result {
    this.#runCount++
    let result: Result
    try {
      result = this.#storage.run(value, code)
    } catch (error) {
      this.#leave()
      throw error
    }
    if (isPromise(result))
      result.then(
        () => this.#leave(),
        () => this.#leave(),
      )
    else this.#leave()
    return result
  }

  /** Runs code, and what it begins, outside of the value of the code that is running. */
  runOutside<Result>(code: () => Result): Result {
    return this.#runCount === 0 ? code() : this.#storage.exit(code)
  }

  #leave(): void {
    this.#runCount--
    if (this.#runCount === 0) this.#storage.disable()
  }
}
